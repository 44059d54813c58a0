// SPDX-License-Identifier: Apache-2.0
// Multi-head attention: Vaswani et al. 2017.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/kernels/arithmetic.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/functional.h"
#include "core/nn/functional/operator_call.h"
#include "core/nn/tied_size.h"

namespace loupe::nn::functional {
namespace {

using namespace arithmetic;

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void require(bool condition, const std::string& message) {
    if (!condition) run_error(message);
}

std::string size_text(const Tensor& t) { return concat("torch.Size(", shape_list_text(t.sizes()), ")"); }

bool has_sizes(const Tensor& t, std::initializer_list<std::int64_t> sizes) {
    const auto own = t.sizes();
    return std::equal(own.begin(), own.end(), sizes.begin(), sizes.end());
}

// True where the inputs have a batch.
bool check_dims(const AttentionArguments& a) {
    require(
        a.query.dim() == 3 || a.query.dim() == 2,
        concat("query should be unbatched 2D or batched 3D tensor but received ", a.query.dim(), "-D query tensor"));
    const bool has_batch = a.query.dim() == 3;
    const std::int64_t dim = a.query.dim();
    const char* what = has_batch ? "batched (3-D)" : "unbatched (2-D)";
    require(a.key.dim() == dim && a.value.dim() == dim,
            concat("For ", what, " `query`, expected `key` and `value` to be ", dim, "-D but found ", a.key.dim(),
                   "-D and ", a.value.dim(), "-D tensors respectively"));
    require(!a.key_padding_mask.defined() || a.key_padding_mask.dim() == dim - 1,
            concat("For ", what, " `query`, expected `key_padding_mask` to be `None` or ", dim - 1, "-D but found ",
                   a.key_padding_mask.defined() ? a.key_padding_mask.dim() : 0, "-D tensor instead"));
    require(!a.attn_mask.defined() || a.attn_mask.dim() == 2 || a.attn_mask.dim() == 3,
            concat("For ", what, " `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found ",
                   a.attn_mask.defined() ? a.attn_mask.dim() : 0, "-D tensor instead"));
    return has_batch;
}

Tensor rows(const Tensor& t, std::int64_t from, std::int64_t count) {
    return t.defined() ? fn::narrow(t, 0, from, count) : Tensor();
}

// Query, key and value through their weights. Where they are the same tensor, one product makes several.
std::array<Tensor, 3> projected(const AttentionArguments& a, const Tensor& q, const Tensor& k, const Tensor& v) {
    const std::int64_t e = a.embed_dim;
    const Tensor& bias = a.in_proj_bias;
    if (a.use_separate_proj_weight) {
        require(a.q_proj_weight.defined(), "use_separate_proj_weight is True but q_proj_weight is None");
        require(a.k_proj_weight.defined(), "use_separate_proj_weight is True but k_proj_weight is None");
        require(a.v_proj_weight.defined(), "use_separate_proj_weight is True but v_proj_weight is None");
        return {fn::linear(q, a.q_proj_weight, rows(bias, 0, e)), fn::linear(k, a.k_proj_weight, rows(bias, e, e)),
                fn::linear(v, a.v_proj_weight, rows(bias, 2 * e, e))};
    }
    require(a.in_proj_weight.defined(), "use_separate_proj_weight is False but in_proj_weight is None");
    if (k.is_same(v) && q.is_same(k)) {
        const TensorList parts = fn::chunk(fn::linear(q, a.in_proj_weight, bias), 3, -1);
        return {parts[0], parts[1], parts[2]};
    }
    const Tensor projected_q = fn::linear(q, rows(a.in_proj_weight, 0, e), rows(bias, 0, e));
    if (k.is_same(v)) {
        const TensorList parts =
            fn::chunk(fn::linear(k, rows(a.in_proj_weight, e, 2 * e), rows(bias, e, 2 * e)), 2, -1);
        return {projected_q, parts[0], parts[1]};
    }
    return {projected_q, fn::linear(k, rows(a.in_proj_weight, e, e), rows(bias, e, e)),
            fn::linear(v, rows(a.in_proj_weight, 2 * e, e), rows(bias, 2 * e, e))};
}

Tensor as_bool_mask(const Tensor& mask) {
    if (!mask.defined() || mask.dtype() != ScalarType::UInt8) return mask;
    return fn::to_dtype(mask, static_cast<std::int64_t>(ScalarType::Bool), false, false, IValue());
}

// [1 or N * heads, L, S]
Tensor checked_mask(const Tensor& mask, std::int64_t length, std::int64_t source, std::int64_t copies) {
    if (!mask.defined()) return mask;
    require(
        is_floating(mask.dtype()) || mask.dtype() == ScalarType::Bool,
        concat("Only float, byte, and bool types are supported for attn_mask, not torch.", dtype_name(mask.dtype())));
    if (mask.dim() == 2) {
        require(has_sizes(mask, {length, source}), concat("The shape of the 2D attn_mask is ", size_text(mask),
                                                          ", but should be (", length, ", ", source, ")."));
        return fn::unsqueeze(mask, 0);
    }
    require(has_sizes(mask, {copies, length, source}),
            concat("The shape of the 3D attn_mask is ", size_text(mask), ", but should be (", copies, ", ", length,
                   ", ", source, ")."));
    return mask;
}

Tensor with_column(const Tensor& mask) {
    return mask.defined() ? fn::constant_pad_nd(mask, Dims{0, 1}, Scalar(0)) : mask;
}

// [L, N, heads * d] -> [N * heads, L, d]
Tensor by_head(const Tensor& t, const TiedSize& copies, std::int64_t head_dim) {
    const Tensor rows = fn::contiguous(t, 0);
    const TiedSize length = size_of(t, 0);
    return fn::transpose(fn::view(rows, tied_dims(fn::view, 1, {length, copies, head_dim})), 0, 1);
}

Tensor with_zeros(const Tensor& t) {
    const TiedSize copies = size_of(t, 0);
    const IValue dtype = static_cast<std::int64_t>(t.dtype());
    return fn::cat(TensorList{t, fn::zeros(tied_dims(fn::zeros, 0, {copies, 1, t.size(2)}), dtype, IValue(), t.device(),
                                           IValue())},
                   1);
}

// Both masks as one that is added to the products; undefined without masks.
Tensor added_mask(Tensor mask, const Tensor& padding, const Tensor& like, const TiedSize& batch, std::int64_t heads) {
    const Scalar never(-std::numeric_limits<double>::infinity());
    if (padding.defined()) {
        const TiedSize source = size_of(padding, 1);
        const TiedSize copies = batch * heads;
        Tensor spread = fn::view(padding, tied_dims(fn::view, 1, {batch, 1, 1, source}));
        spread = fn::expand(spread, Dims{-1, heads, -1, -1}, false);
        spread = fn::reshape(spread, tied_dims(fn::reshape, 1, {copies, 1, source}));
        if (!mask.defined())
            mask = spread;
        else if (mask.dtype() == ScalarType::Bool)
            mask = fn::logical_or(mask, spread);
        else
            mask = fn::masked_fill(mask, spread, never);
    }
    if (!mask.defined() || mask.dtype() != ScalarType::Bool) return mask;
    const Tensor zeros =
        fn::zeros_like(mask, static_cast<std::int64_t>(like.dtype()), IValue(), IValue(), IValue(), IValue());
    return fn::masked_fill(zeros, mask, never);
}

IValue attention(Arguments a) {
    const AttentionArguments given{.query = a[0].to_tensor(),
                                   .key = a[1].to_tensor(),
                                   .value = a[2].to_tensor(),
                                   .embed_dim = a[3].to_int(),
                                   .num_heads = a[4].to_int(),
                                   .in_proj_weight = a[5].to_tensor(),
                                   .in_proj_bias = a[6].to_tensor(),
                                   .bias_k = a[7].to_tensor(),
                                   .bias_v = a[8].to_tensor(),
                                   .add_zero_attn = a[9].to_bool(),
                                   .dropout_p = a[10].to_double(),
                                   .out_proj_weight = a[11].to_tensor(),
                                   .out_proj_bias = a[12].to_tensor(),
                                   .training = a[13].to_bool(),
                                   .key_padding_mask = a[14].to_tensor(),
                                   .need_weights = a[15].to_bool(),
                                   .attn_mask = a[16].to_tensor(),
                                   .use_separate_proj_weight = a[17].to_bool(),
                                   .q_proj_weight = a[18].to_tensor(),
                                   .k_proj_weight = a[19].to_tensor(),
                                   .v_proj_weight = a[20].to_tensor(),
                                   .static_k = a[21].to_tensor(),
                                   .static_v = a[22].to_tensor(),
                                   .average_attn_weights = a[23].to_bool(),
                                   .is_causal = a[24].to_bool()};
    const auto [output, weights] = multi_head_attention_forward(given);
    return make_ptr<TupleObject>(std::vector<IValue>{output, weights});
}
void call_attention(Arguments arguments, IValue* result) { *result = attention(arguments); }

constexpr NativeFunction kRecords[] = {
    {"multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, "
     "Tensor? "
     "in_proj_weight, Tensor? in_proj_bias, Tensor? bias_k, Tensor? bias_v, bool add_zero_attn, float dropout_p, "
     "Tensor "
     "out_proj_weight, Tensor? out_proj_bias, bool training=True, Tensor? key_padding_mask=None, bool "
     "need_weights=True, Tensor? "
     "attn_mask=None, bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, "
     "Tensor? "
     "v_proj_weight=None, Tensor? static_k=None, Tensor? static_v=None, bool average_attn_weights=True, bool "
     "is_causal=False) -> Any",
     "Attention of several heads, and its weights.", call_attention},
    {"scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
     "dropout_p=0.0, bool "
     "is_causal=False, float? scale=None, bool enable_gqa=False) -> Tensor",
     "Attention of queries over keys and values.", calls<"aten::scaled_dot_product_attention">},
};

}  // namespace

std::pair<Tensor, Tensor> multi_head_attention_forward(const AttentionArguments& given) {
    AttentionArguments a = given;
    require(!a.is_causal || a.attn_mask.defined(),
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask.");
    const bool has_batch = check_dims(a);
    if (!has_batch) {
        const bool k_is_q = a.key.is_same(a.query);
        const bool v_is_k = a.value.is_same(a.key);
        a.query = fn::unsqueeze(a.query, 1);
        a.key = k_is_q ? a.query : fn::unsqueeze(a.key, 1);
        a.value = v_is_k ? a.key : fn::unsqueeze(a.value, 1);
        if (a.key_padding_mask.defined()) a.key_padding_mask = fn::unsqueeze(a.key_padding_mask, 0);
    }
    const TiedSize length = size_of(a.query, 0);
    const TiedSize batch = size_of(a.query, 1);
    const std::int64_t embed = a.query.size(2);
    const TiedSize copies = batch * a.num_heads;
    require(embed == a.embed_dim, concat("was expecting embedding dimension of ", a.embed_dim, ", but got ", embed));
    const std::int64_t head_dim = embed / a.num_heads;
    require(head_dim * a.num_heads == embed, concat("embed_dim ", embed, " not divisible by num_heads ", a.num_heads));
    require(a.use_separate_proj_weight || std::ranges::equal(a.key.sizes(), a.value.sizes()),
            concat("key shape ", size_text(a.key), " does not match value shape ", size_text(a.value)));

    auto [q, k, v] = projected(a, a.query, a.key, a.value);
    Tensor mask = checked_mask(as_bool_mask(a.attn_mask), length.value, a.key.size(0), copies.value);
    Tensor padding = as_bool_mask(a.key_padding_mask);
    if (a.bias_k.defined() && a.bias_v.defined()) {
        require(!a.static_k.defined(), "bias cannot be added to static key.");
        require(!a.static_v.defined(), "bias cannot be added to static value.");
        k = fn::cat(TensorList{k, fn::repeat(a.bias_k, tied_dims(fn::repeat, 1, {1, batch, 1}))}, 0);
        v = fn::cat(TensorList{v, fn::repeat(a.bias_v, tied_dims(fn::repeat, 1, {1, batch, 1}))}, 0);
        mask = with_column(mask);
        padding = with_column(padding);
    }
    q = by_head(q, copies, head_dim);
    k = a.static_k.defined() ? a.static_k : by_head(k, copies, head_dim);
    v = a.static_v.defined() ? a.static_v : by_head(v, copies, head_dim);
    if (a.add_zero_attn) {
        k = with_zeros(k);
        v = with_zeros(v);
        mask = with_column(mask);
        padding = with_column(padding);
    }
    const TiedSize source = size_of(k, 1);
    if (padding.defined()) {
        if (!is_older_torch() && padding.dim() == 2) {
            const std::pair<std::int64_t, std::int64_t> wanted[] = {{padding.size(0), batch.value},
                                                                    {padding.size(1), source.value}};
            for (std::size_t i = 0; i < 2; ++i) {
                if (wanted[i].first != wanted[i].second)
                    fail_assertion(concat("Expected key_padded_mask.shape[", i, "] to be ", wanted[i].second,
                                          ", but got ", wanted[i].first));
            }
        }
        require(has_sizes(padding, {batch.value, source.value}),
                concat("expecting key_padding_mask shape of ", "(", batch.value, ", ", source.value, ")", ", but got ",
                       size_text(padding)));
    }
    mask = added_mask(mask, padding, q, batch, a.num_heads);

    q = q / Scalar(std::sqrt(static_cast<double>(head_dim)));
    const Tensor keys = fn::transpose(k, -2, -1);
    Tensor weights = mask.defined() ? fn::baddbmm(mask, q, keys, Scalar(1), Scalar(1)) : fn::bmm(q, keys);
    weights = fn::softmax(weights, -1, IValue());
    if (a.training && a.dropout_p > 0) weights = fn::dropout(weights, a.dropout_p, true);
    Tensor output = fn::bmm(weights, v);
    const TiedSize rows_of_all = length * batch;
    output = fn::contiguous(fn::transpose(output, 0, 1), 0);
    output = fn::view(output, tied_dims(fn::view, 1, {rows_of_all, embed}));
    output = fn::linear(output, a.out_proj_weight, a.out_proj_bias);
    output = fn::view(output, tied_dims(fn::view, 1, {length, batch, output.size(1)}));
    if (!has_batch) output = fn::squeeze(output, 1);
    if (!a.need_weights) return {output, Tensor()};
    weights = fn::view(weights, tied_dims(fn::view, 1, {batch, a.num_heads, length, source}));
    if (a.average_attn_weights) weights = fn::sum_dim(weights, Dims{1}, false, IValue()) / Scalar(a.num_heads);
    return {output, has_batch ? weights : fn::squeeze(weights, 0)};
}

FunctionFamily attention_records() { return kRecords; }

}  // namespace loupe::nn::functional
