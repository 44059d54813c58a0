// SPDX-License-Identifier: Apache-2.0
// Attention: the fused calls that nn.MultiheadAttention and nn.TransformerEncoderLayer make, written with operators.
#include <cmath>
#include <limits>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/dispatch/cpp_type_name.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/forward.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
#include "core/ops/not_finite.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

using namespace nn_ops;

const OperatorHandle<> op_all_dim("aten::all.dim");
const OperatorHandle<> op_logsumexp("aten::logsumexp");
const OperatorHandle<std::tuple<Tensor, Tensor>> op_multi_head_attention("aten::_native_multi_head_attention");
const OperatorHandle<> op_repeat_interleave("aten::repeat_interleave.self_int");

// [B, T, D] to [B, heads, T, D / heads].
Tensor split_heads(const Tensor& x, std::int64_t heads) {
    const Tensor parts = fn::view(fn::contiguous(x), Dims{x.size(0), x.size(1), heads, x.size(2) / heads});
    return fn::transpose(parts, std::int64_t{1}, std::int64_t{2});
}

// Masks in the ways PyTorch numbers them: 0: [T, T] for all, 1: [B, T] padding of the keys, 2: full. True hides.
Tensor masked_scores(const Tensor& scores, const Tensor& mask, const std::optional<std::int64_t>& mask_type) {
    if (!mask.defined()) return scores;
    Tensor hidden =
        mask.dtype() == ScalarType::Bool ? mask : fn::to_dtype(mask, static_cast<std::int64_t>(ScalarType::Bool));
    if (mask_type && *mask_type == 1) hidden = fn::unsqueeze(fn::unsqueeze(hidden, 1), 1);
    return fn::masked_fill(scores, hidden, Scalar(-std::numeric_limits<double>::infinity()));
}

// q, k and v from the stacked weight; one product when they are the same tensor.
TensorList projected(const Tensor& query, const Tensor& key, const Tensor& value, std::int64_t dim,
                     const Tensor& weight, const Tensor& bias) {
    if (query.is_same(key) && key.is_same(value))
        return fn::chunk(fn::linear(query, weight, bias), std::int64_t{3}, std::int64_t{-1});
    TensorList parts;
    std::int64_t start = 0;
    for (const Tensor& x : {query, key, value}) {
        parts.push_back(fn::linear(x, fn::narrow(weight, std::int64_t{0}, start, dim),
                                   fn::narrow(bias, std::int64_t{0}, start, dim)));
        start += dim;
    }
    return parts;
}

std::tuple<Tensor, Tensor> multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                                std::int64_t embed_dim, std::int64_t heads, const Tensor& qkv_weight,
                                                const Tensor& qkv_bias, const Tensor& proj_weight,
                                                const Tensor& proj_bias, const Tensor& mask, bool need_weights,
                                                bool average_weights, const std::optional<std::int64_t>& mask_type) {
    require(query.dim() == 3, "expected 3-D `query`, got ", query.dim(), "-D tensor");
    require(query.size(2) == embed_dim, "passed-in embed_dim ", embed_dim, " didn't match last dim of query ",
            query.size(2));
    require(qkv_weight.dim() == 2, "expected 2-D `qkv_weight`, got ", qkv_weight.dim(), "-D tensor");
    require(heads > 0 && embed_dim % heads == 0, "`embed_dim` must divide evenly by `num_heads`");
    if (query.numel() == 0) return {query, Tensor()};
    const TensorList parts = projected(query, key, value, embed_dim, qkv_weight, qkv_bias);
    const double scale = 1.0 / std::sqrt(static_cast<double>(embed_dim / heads));
    const Tensor q = fn::mul_scalar(split_heads(parts[0], heads), Scalar(scale));
    const Tensor k = split_heads(parts[1], heads);
    const Tensor v = split_heads(parts[2], heads);
    const Tensor scores = masked_scores(fn::matmul(q, fn::transpose(k, -2, -1)), mask, mask_type);
    const Tensor weights = fn::softmax(scores, -1, IValue());
    const Tensor mixed = fn::transpose(fn::matmul(weights, v), 1, 2);
    const Tensor joined = fn::reshape(mixed, Dims{query.size(0), query.size(1), embed_dim});
    const Tensor out = fn::linear(joined, proj_weight, proj_bias);
    if (!need_weights) return {out, Tensor()};
    return {out, average_weights ? fn::mean_dim(weights, Dims{1}, false) : weights};
}

Tensor encoder_layer(const Tensor& src, std::int64_t embed_dim, std::int64_t heads, const Tensor& qkv_weight,
                     const Tensor& qkv_bias, const Tensor& proj_weight, const Tensor& proj_bias, bool use_gelu,
                     bool norm_first, double eps, const Tensor& norm_weight_1, const Tensor& norm_bias_1,
                     const Tensor& norm_weight_2, const Tensor& norm_bias_2, const Tensor& ffn_weight_1,
                     const Tensor& ffn_bias_1, const Tensor& ffn_weight_2, const Tensor& ffn_bias_2, const Tensor& mask,
                     const std::optional<std::int64_t>& mask_type) {
    const auto norm_1 = [&](const Tensor& x) {
        return fn::layer_norm(x, Dims{embed_dim}, norm_weight_1, norm_bias_1, eps, true);
    };
    const auto norm_2 = [&](const Tensor& x) {
        return fn::layer_norm(x, Dims{embed_dim}, norm_weight_2, norm_bias_2, eps, true);
    };
    Tensor x = norm_first ? norm_1(src) : src;
    // Through the dispatcher, which has a rule for nested tensors.
    const auto attend = [&](const auto& attention) {
        return std::get<0>(attention(x, x, x, embed_dim, heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask,
                                     false, true, mask_type));
    };
    x = x.is_sparse() ? attend(op_multi_head_attention) : attend(multi_head_attention);
    x = fn::add(x, src);
    if (!norm_first) x = norm_1(x);
    const Tensor before = x;
    if (norm_first) x = norm_2(x);
    x = fn::linear(x, ffn_weight_1, ffn_bias_1);
    x = use_gelu ? fn::gelu(x) : fn::relu(x);
    x = fn::add(fn::linear(x, ffn_weight_2, ffn_bias_2), before);
    return norm_first ? x : norm_2(x);
}

struct Attended {
    Tensor out, weights, scores;
    Tensor sees_nothing = {};  // queries that the mask hides from all keys
};

// Bool masks hide where they are false; others are added.
Tensor masked_by(const Tensor& scores, const Tensor& mask) {
    if (!mask.defined()) return scores;
    if (mask.dtype() != ScalarType::Bool) return fn::add(scores, mask);
    return fn::masked_fill(scores, fn::logical_not(mask), Scalar(-std::numeric_limits<double>::infinity()));
}

Tensor causal_mask(const Tensor& query, const Tensor& key) {
    const Tensor ones = fn::ones(Dims{query.size(-2), key.size(-2)}, static_cast<std::int64_t>(ScalarType::Bool),
                                 IValue(), query.device());
    return fn::tril(ones);
}

Attended attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, double dropout_p,
                   double scale) {
    const Tensor products = fn::matmul(fn::mul_scalar(query, Scalar(scale)), fn::transpose(key, -2, -1));
    const Tensor scores = masked_by(products, mask);
    Tensor weights = fn::softmax(scores, -1, IValue());
    if (dropout_p > 0) weights = fn::dropout(weights, dropout_p, true);
    return {fn::matmul(weights, value), weights, scores};
}

double usual_scale(const Tensor& query) { return 1.0 / std::sqrt(static_cast<double>(query.size(-1))); }

void check_causal(const Tensor& attn_mask, bool is_causal) {
    require(!is_causal || !attn_mask.defined(),
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
}

// The weights are always returned, as in PyTorch 1.13. attn_mask: added when floating, false hides when bool.
std::tuple<Tensor, Tensor> scaled_dot_product_with_weights(const Tensor& query, const Tensor& key, const Tensor& value,
                                                           const Tensor& attn_mask, double dropout_p, bool,
                                                           bool is_causal) {
    check_causal(attn_mask, is_causal);
    const Attended attended =
        attention(query, key, value, is_causal ? causal_mask(query, key) : attn_mask, dropout_p, usual_scale(query));
    return {attended.out, attended.weights};
}

void check_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
    require(
        query.dtype() == key.dtype() && query.dtype() == value.dtype(),
        "Expected query, key, and value to have the same dtype, but got query.dtype: ", cpp_type_name(query.dtype()),
        " key.dtype: ", cpp_type_name(key.dtype()), " and value.dtype: ", cpp_type_name(value.dtype()), " instead.");
    require(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: ", query.dim(),
            " key.dim: ", key.dim(), " and value.dim: ", value.dim(), " instead.");
    require(!mask.defined() || mask.dtype() == ScalarType::Bool || mask.dtype() == query.dtype(),
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: ",
            mask.defined() ? cpp_type_name(mask.dtype()) : "", " and  query.dtype: ", cpp_type_name(query.dtype()),
            " instead.");
}

// Heads of keys and values that several heads of queries share (Ainslie et al. 2023).
Tensor shared_heads(const Tensor& query, const Tensor& x) {
    const std::int64_t heads = query.size(-3);
    require(x.size(-3) > 0 && heads % x.size(-3) == 0,
            "Number of heads in key and value must divide the number of heads in query");
    return op_repeat_interleave(x, heads / x.size(-3), std::int64_t{-3}, IValue());
}

// A query that the mask hides from all keys attends to nothing, and gets zeros: the softmax of nothing would be NaN.
Attended shielded_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
                            double dropout_p, bool is_causal, const std::optional<double>& scale) {
    const double factor = scale.value_or(usual_scale(query));
    // Numbers of 16 bits are computed with in float32, as PyTorch does since 2.5.
    if (is_floating(query.dtype()) && element_size(query.dtype()) == 2) {
        const auto wide = [](const Tensor& t) {
            const bool is_number = t.defined() && t.dtype() != ScalarType::Bool;
            return is_number ? fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32)) : t;
        };
        Attended attended =
            shielded_attention(wide(query), wide(key), wide(value), wide(attn_mask), dropout_p, is_causal, factor);
        attended.out = fn::to_dtype(attended.out, static_cast<std::int64_t>(query.dtype()));
        return attended;
    }
    if (!attn_mask.defined())
        return attention(query, key, value, is_causal ? causal_mask(query, key) : Tensor(), dropout_p, factor);
    const bool is_bool = attn_mask.dtype() == ScalarType::Bool;
    const Tensor hidden = is_bool ? fn::logical_not(attn_mask)
                                  : fn::eq_scalar(attn_mask, Scalar(-std::numeric_limits<double>::infinity()));
    const Tensor sees_nothing = op_all_dim(hidden, std::int64_t{-1}, true);
    const Tensor mask = fn::masked_fill(attn_mask, sees_nothing, Scalar(is_bool ? 1 : 0));
    Attended attended = attention(query, key, value, mask, dropout_p, factor);
    attended.out = fn::masked_fill(attended.out, sees_nothing, Scalar(0));
    attended.sees_nothing = sees_nothing;
    return attended;
}

// A device that has attention as one kernel runs it so. Undefined where it has not.
Tensor attention_of_device(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
                           double dropout_p, bool is_causal, const std::optional<double>& scale) {
    const bool are_heads = query.dim() == 4 && key.dim() == 4 && value.dim() == 4;
    if (query.device().is_cpu() || !are_heads || dropout_p > 0) return {};
    if (attn_mask.defined() && requires_grad(attn_mask)) return {};
    // Heads that are repeated by broadcasting, as of one key for all queries: by products.
    for (const Tensor* each : {&key, &value}) {
        if (each->size(0) != query.size(0) || each->size(1) != query.size(1)) return {};
    }
    Tensor bias = attn_mask;
    if (attn_mask.defined() && attn_mask.dtype() == ScalarType::Bool) {
        bias =
            fn::zeros(to_dims(attn_mask.sizes()), static_cast<std::int64_t>(query.dtype()), IValue(), query.device());
        bias = fn::masked_fill(bias, fn::logical_not(attn_mask), Scalar(-std::numeric_limits<double>::infinity()));
    }
    static const Operator& op = *find_operator("aten::_scaled_dot_product_efficient_attention", "");
    const IValue arguments[] = {query, key, value, bias, GradMode::is_enabled(), 0.0, is_causal, scale};
    if (!has_device_kernel(op, arguments)) return {};
    IValue results[4];
    call_operator(op, arguments, results);
    return results[0].to_tensor();
}

Tensor scaled_dot_product(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
                          double dropout_p, bool is_causal, const std::optional<double>& scale, bool enable_gqa) {
    check_attention(query, key, value, attn_mask);
    check_causal(attn_mask, is_causal);
    const Tensor keys = enable_gqa ? shared_heads(query, key) : key;
    const Tensor values = enable_gqa ? shared_heads(query, value) : value;
    if (const Tensor out = attention_of_device(query, keys, values, attn_mask, dropout_p, is_causal, scale);
        out.defined())
        return out;
    return shielded_attention(query, keys, values, attn_mask, dropout_p, is_causal, scale).out;
}

// The form that exported programs hold after decompositions. Heads lie side by side in a row of the result, as PyTorch
// lays it out, so that a view joins them; logsumexp has no gradient.
std::tuple<Tensor, Tensor> flash_attention_for_cpu(const Tensor& query, const Tensor& key, const Tensor& value,
                                                   double dropout_p, bool is_causal, const Tensor& attn_mask,
                                                   const std::optional<double>& scale) {
    constexpr const char* kName = "scaled_dot_product_attention_flash_attention: ";
    require(query.dim() == 4 && key.dim() == 4 && value.dim() == 4, kName,
            "Accept only 4 dims inputs shape of {B, H, T, K}");
    require(dropout_p == 0, kName, "Currently do not support dropout > 0");
    require(query.size(3) == value.size(3) && key.size(3) == value.size(3), kName,
            "Q/K/V should have the same head size");
    require(!attn_mask.defined() || attn_mask.dtype() == query.dtype(), kName,
            "Attention mask is the same data type as query");
    check_causal(attn_mask, is_causal);
    const bool is_shared = key.size(1) != query.size(1);
    const Attended attended =
        shielded_attention(query, is_shared ? shared_heads(query, key) : key,
                           is_shared ? shared_heads(query, value) : value, attn_mask, 0, is_causal, scale);
    const auto wide = query.dtype() == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
    Tensor sums =
        fn::to_dtype(op_logsumexp(fn::detach(attended.scores), Dims{-1}, false), static_cast<std::int64_t>(wide));
    if (attended.sees_nothing.defined())
        sums = fn::masked_fill(sums, fn::squeeze(attended.sees_nothing, -1), Scalar(0));
    return {fn::transpose(fn::contiguous(fn::transpose(attended.out, 1, 2)), 1, 2), sums};
}

std::vector<Sample> attention_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    const Tensor x = t({2, 3, 8});
    return {{{x, x, x, 8, 2, t({24, 8}), t({24}), t({8, 8}), t({8}), IValue(), true, true, IValue()}, "self"}};
}

std::vector<Sample> dot_product_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3, 4}), t({2, 5, 4}), t({2, 5, 6}), IValue(), 0.0, true, false}},
            {{t({2, 3, 4}), t({2, 3, 4}), t({2, 3, 4}), IValue(), 0.0, false, true}, "causal"}};
}

std::vector<Sample> public_dot_product_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3, 4}), t({2, 5, 4}), t({2, 5, 6}), IValue(), 0.0, false, IValue(), false}},
            {{t({2, 3, 4}), t({2, 3, 4}), t({2, 3, 4}), IValue(), 0.0, true, IValue(), false}, "causal"},
            {{t({2, 3, 4}), t({2, 5, 4}), t({2, 5, 6}), t({3, 5}), 0.0, false, 0.3, false}, "mask, scale"},
            {{t({4, 3, 4}), t({2, 5, 4}), t({2, 5, 6}), IValue(), 0.0, false, IValue(), true}, "shared heads"}};
}

std::vector<Sample> flash_attention_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 2, 3, 4}), t({2, 2, 5, 4}), t({2, 2, 5, 4}), 0.0, false, t({3, 5}), 0.3}, "mask, scale"},
            {{t({1, 2, 3, 4}), t({1, 2, 3, 4}), t({1, 2, 3, 4}), 0.0, true, IValue(), IValue()}, "causal"},
            {{t({1, 4, 3, 4}), t({1, 2, 5, 4}), t({1, 2, 5, 4}), 0.0, false, IValue(), IValue()}, "shared heads"}};
}

constexpr std::string_view kAttention =
    "query: (dS key) / sqrt(d), dS = P (dP - sum_j P dP), P = softmax(query key^T / sqrt(d) + mask), dP = grad "
    "value^T\n"
    "key: (dS^T query) / sqrt(d)\n"
    "value: P^T grad\n"
    "attn_mask: dS";

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kScaledDotProductAttentionNotFinite[] = {
    {In::Either, When::Infinite, 0, "attention over Inf, or over a row that is fully masked", advice::kMask},
    {In::Either, When::Always, 0, "attention over a fully masked row, or with scores that leave the range of the dtype",
     "leave every row one position that is not masked; where none is masked, bring queries and keys down: normalise "
     "them",
     NotFiniteNote::Makes::Nan},
    {In::Either, When::Always, 0, "attention that leaves the range of its dtype", advice::kShrink},
};

constexpr OperatorRecord kRecords[] = {
    {
        .schema =
            "aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, "
            "Tensor qkv_weight, "
            "Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool "
            "average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)",
        .summary =
            "Multi-head attention with its input and output projections; gives the attention weights too when asked.",
        .formula = "softmax(q k^T / sqrt(d)) v, by heads",
        .composite = boxed<multi_head_attention>,
        .gradient = "query: through the projections and the attention, as by linear and _scaled_dot_product_attention\n"
                    "key: as query\n"
                    "value: as query",
        .samples = attention_samples,
        .variants = kOut,
        .autocast = {.cpu = Autocast::Lower},
    },
    {
        .schema =
            "aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor "
            "qkv_bias, Tensor "
            "proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor "
            "norm_bias_1, Tensor "
            "norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor "
            "ffn_bias_2, "
            "Tensor? mask=None, int? mask_type=None) -> Tensor",
        .summary = "A Transformer encoder layer: attention and a feed-forward network, each with a residual and a "
                   "normalisation.",
        .formula = "x = norm1(src + attention(src)); out = norm2(x + W_2 relu(W_1 x + b_1) + b_2); norm first: before, "
                   "not behind",
        .composite = boxed<encoder_layer>,
        .gradient = "src: through both residuals, the attention and the feed-forward network",
        .variants = kOut,
    },
    {
        .schema =
            "aten::_scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
            "dropout_p=0., bool "
            "need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)",
        .summary = "Attention of queries over keys and values.",
        .formula = "softmax(q k^T / sqrt(d) + mask) v",
        .composite = boxed<scaled_dot_product_with_weights>,
        .gradient = kAttention,
        .samples = dot_product_samples,
    },
    {
        .schema =
            "aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
            "float dropout_p=0., "
            "bool need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)",
        .summary = "Attention of queries over keys and values.",
        .formula = "softmax(q k^T / sqrt(d) + mask) v",
        .composite = boxed<scaled_dot_product_with_weights>,
        .gradient = kAttention,
        .samples = dot_product_samples,
    },
    // PyTorch 2.0; enable_gqa of 2.5.
    {
        .schema =
            "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
            "dropout_p=0., bool "
            "is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
        .summary = "Attention of queries over keys and values.",
        .formula = "softmax(scale q k^T + mask) v",
        .composite = boxed<scaled_dot_product>,
        .gradient = kAttention,
        .samples = public_dot_product_samples,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .not_finite = kScaledDotProductAttentionNotFinite,
    },
    {
        .schema = "aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float "
                  "dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor "
                  "output, Tensor logsumexp)",
        .summary = "Attention of queries over keys and values, and the logarithm of each query's sum of exponentials.",
        .formula = "output = softmax(scale q k^T + mask) v; logsumexp = ln(sum_j exp(scale q k^T + mask))",
        .composite = boxed<flash_attention_for_cpu>,
        .gradient = kAttention,
        .samples = flash_attention_samples,
        .not_finite = kScaledDotProductAttentionNotFinite,
    },
    {.schema = "aten::_scaled_dot_product_attention_forward(Tensor query, Tensor key, Tensor value, Tensor? "
               "attn_mask=None, float "
               "dropout_p=0., bool need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)",
     .summary = "The same as _scaled_dot_product_attention.",
     .composite = forward<"aten::_scaled_dot_product_attention">},
};

}  // namespace

std::span<const OperatorRecord> nn_ops::attention_records() { return kRecords; }

}  // namespace loupe
