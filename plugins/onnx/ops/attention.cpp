// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/ops/heads.h"

namespace loupe::onnx {

Tensor repeated_heads(const Tensor& x, std::int64_t heads) {
    if (x.size(1) == heads) return x;
    require(x.size(1) > 0 && heads % x.size(1) == 0, heads, " heads of queries and ", x.size(1), " of keys");
    const Tensor times = scalar_tensor(Scalar(heads / x.size(1)), ScalarType::Int64);
    return fn::repeat_interleave(x, fn::expand(times, Dims{x.size(1)}), 1);
}

namespace {

// [batch, length, heads x size] as [batch, heads, length, size].
Tensor by_heads(const Tensor& x, const std::optional<std::int64_t>& heads) {
    if (x.dim() == 4) return x;
    require(x.dim() == 3 && heads && *heads > 0 && x.size(2) % *heads == 0, "expected heads in ", describe(x));
    return fn::transpose(fn::reshape(x, Dims{x.size(0), x.size(1), *heads, x.size(2) / *heads}), 1, 2);
}
Tensor without_heads(const Tensor& x) {
    return fn::reshape(fn::transpose(x, 1, 2), Dims{x.size(0), x.size(2), x.size(1) * x.size(3)});
}

struct Attention {
    Tensor q, k, v, mask, past_key, past_value, lengths;
    bool is_causal = false;
    std::int64_t qk_mode = 0;
    double scale = 0;
    double softcap = 0;
    std::optional<std::int64_t> precision;
    std::int64_t left_window = -1;  // keys before a query's own that it sees; -1: all
    std::int64_t right_window = -1;
};

// How far each key lies before each query: [queries, keys], and by example where lengths say where queries stand. The
// queries are the last of what there is.
Tensor distances(const Attention& a, std::int64_t past) {
    const std::int64_t queries = a.q.size(2), keys = a.k.size(2);
    Tensor place = fn::reshape(fn::arange(Scalar(queries)), Dims{queries, 1});
    if (past > 0) place = fn::add_scalar(place, Scalar(past), Scalar(1));
    if (past == 0 && a.lengths.defined()) {
        const Tensor ends = fn::reshape(cast(a.lengths, ScalarType::Int64), Dims{a.lengths.numel(), 1, 1, 1});
        place = fn::add(place, fn::sub_scalar(ends, Scalar(queries), Scalar(1)));
    }
    return fn::sub(place, fn::reshape(fn::arange(Scalar(keys)), Dims{1, keys}));
}

// What is added to the scores; undefined when nothing is.
Tensor bias_of(const Attention& a, std::int64_t past) {
    const std::int64_t keys = a.k.size(2);
    const Tensor infinity = like_number(a.q, -std::numeric_limits<double>::infinity());
    const Tensor zero = like_number(a.q, 0);
    Tensor bias;
    const auto add = [&](const Tensor& more) { bias = bias.defined() ? fn::add(bias, more) : more; };
    if (a.mask.defined()) {
        Tensor mask =
            a.mask.dtype() == ScalarType::Bool ? fn::where(a.mask, zero, infinity) : cast(a.mask, a.q.dtype());
        // A mask of fewer keys hides the others.
        if (mask.size(-1) != 1 && mask.size(-1) < keys)
            mask = fn::constant_pad_nd(mask, Dims{0, keys - mask.size(-1)},
                                       Scalar(-std::numeric_limits<double>::infinity()));
        add(mask);
    }
    if (a.is_causal || a.left_window >= 0 || a.right_window >= 0) {
        const Tensor before = distances(a, past);
        if (a.is_causal) add(fn::where(fn::ge_scalar(before, Scalar(0)), zero, infinity));
        if (a.left_window >= 0) add(fn::where(fn::le_scalar(before, Scalar(a.left_window)), zero, infinity));
        if (a.right_window >= 0) add(fn::where(fn::ge_scalar(before, Scalar(-a.right_window)), zero, infinity));
    }
    if (a.lengths.defined()) {
        const Tensor place = fn::reshape(fn::arange(Scalar(keys)), Dims{1, 1, 1, keys});
        const Tensor end = fn::reshape(cast(a.lengths, ScalarType::Int64), Dims{a.lengths.numel(), 1, 1, 1});
        add(fn::where(fn::lt(place, end), zero, infinity));
    }
    return bias;
}

// A query that sees no key attends to nothing.
Tensor without_masked_rows(const Tensor& weights, const Tensor& bias) {
    const Tensor greatest = call_one("aten::amax", {bias, Dims{-1}, true});
    const Tensor is_masked = fn::eq_scalar(greatest, Scalar(-std::numeric_limits<double>::infinity()));
    return fn::where(is_masked, like_number(weights, 0), weights);
}

void run(Attention a, bool joins_heads, IValue* results, std::size_t wanted) {
    const std::int64_t past = a.past_key.defined() ? a.past_key.size(2) : 0;
    if (a.past_key.defined()) a.k = fn::cat(TensorList{a.past_key, a.k}, 2);
    if (a.past_value.defined()) a.v = fn::cat(TensorList{a.past_value, a.v}, 2);
    const Tensor present_key = a.k, present_value = a.v;
    a.k = repeated_heads(a.k, a.q.size(1));
    a.v = repeated_heads(a.v, a.q.size(1));
    const double scale = a.scale != 0 ? a.scale : 1 / std::sqrt(static_cast<double>(a.q.size(3)));
    const Tensor bias = bias_of(a, past);
    Tensor out, scores;
    if (wanted < 4 && a.softcap == 0) {
        out = call_one("aten::scaled_dot_product_attention",
                       {a.q, a.k, a.v, bias.defined() ? IValue(bias) : IValue(), 0.0, false, scale});
    } else {
        // Each factor gets the root of the scale, in its own precision: products in 16 bits would leave the range.
        const Tensor root = like_number(a.q, std::sqrt(scale));
        Tensor now = fn::matmul(fn::mul(a.q, root), fn::mul(fn::transpose(a.k, -2, -1), root));
        scores = now;
        // Before the mask: what is masked stays -inf.
        if (a.softcap != 0) now = fn::mul_scalar(fn::tanh(fn::div_scalar(now, Scalar(a.softcap))), Scalar(a.softcap));
        if (a.qk_mode == 1) scores = now;
        if (bias.defined()) now = fn::add(now, bias);
        if (a.qk_mode == 2) scores = now;
        const Tensor wide = a.precision ? cast(now, held_dtype(*a.precision)) : now;
        Tensor weights = cast(fn::softmax(wide, std::int64_t{-1}), a.q.dtype());
        if (bias.defined()) weights = without_masked_rows(weights, bias);
        if (a.qk_mode == 3) scores = weights;
        out = fn::matmul(weights, a.v);
    }
    results[0] = joins_heads ? without_heads(out) : out;
    if (wanted < 4) return;
    results[1] = fn::alias(present_key);
    results[2] = fn::alias(present_value);
    results[3] = scores;
}

// Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen; is_causal, kv_num_heads, q_num_heads,
// qk_matmul_output_mode, scale, softcap, softmax_precision, left_window_size, right_window_size.
void attend(Arguments in, IValue* results, std::size_t wanted) {
    const auto whole = [&](std::size_t i) {
        return in[i].is_none() ? std::optional<std::int64_t>() : std::optional<std::int64_t>(in[i].to_int());
    };
    const bool joins_heads = in[0].to_tensor().dim() == 3;
    Attention a{by_heads(in[0].to_tensor(), whole(9)),
                by_heads(in[1].to_tensor(), whole(8)),
                by_heads(in[2].to_tensor(), whole(8)),
                in[3].to_tensor(),
                in[4].to_tensor(),
                in[5].to_tensor(),
                in[6].to_tensor(),
                in[7].to_int() != 0,
                in[10].to_int(),
                in[11].is_none() ? 0 : in[11].to_double(),
                in[12].to_double(),
                whole(13),
                in[14].to_int(),
                in[15].to_int()};
    run(std::move(a), joins_heads, results, wanted);
}
void attention(Arguments in, IValue* results) { attend(in, results, 4); }
void attention_one(Arguments in, IValue* results) { attend(in, results, 1); }

// Pairs of elements turned by an angle that grows with their place.
Tensor rotary(const Tensor& input, const Tensor& cos_cache, const Tensor& sin_cache, const Tensor& position_ids,
              std::int64_t interleaved, const std::optional<std::int64_t>& num_heads, std::int64_t rotary_dim) {
    const bool joins_heads = input.dim() == 3;
    const Tensor x = fn::transpose(by_heads(input, num_heads), 1, 2);  // [batch, length, heads, size]
    const std::int64_t size = x.size(3);
    const std::int64_t turned = rotary_dim > 0 ? rotary_dim : size;
    require(turned <= size && turned % 2 == 0, turned, " of ", size, " elements");
    const auto at_places_of = [&](const Tensor& cache) {
        Tensor rows = cache;
        if (position_ids.defined()) {
            rows = fn::index_select(cache, 0, fn::reshape(cast(position_ids, ScalarType::Int64), Dims{-1}));
            rows = fn::reshape(rows, Dims{position_ids.size(0), position_ids.size(1), cache.size(-1)});
        }
        return fn::unsqueeze(fn::narrow(rows, -1, 0, turned / 2), 2);
    };
    const Tensor cosine = at_places_of(cos_cache), sine = at_places_of(sin_cache);
    const Tensor part = fn::narrow(x, -1, 0, turned);
    const std::int64_t end = turned;
    const Tensor first = interleaved != 0 ? fn::slice(part, -1, std::int64_t{0}, end, std::int64_t{2})
                                          : fn::narrow(part, -1, 0, turned / 2);
    const Tensor second = interleaved != 0 ? fn::slice(part, -1, std::int64_t{1}, end, std::int64_t{2})
                                           : fn::narrow(part, -1, turned / 2, turned / 2);
    const Tensor real = fn::sub(fn::mul(cosine, first), fn::mul(sine, second));
    const Tensor imaginary = fn::add(fn::mul(sine, first), fn::mul(cosine, second));
    Tensor out = interleaved != 0 ? fn::reshape(fn::stack(TensorList{real, imaginary}, -1), to_dims(part.sizes()))
                                  : fn::cat(TensorList{real, imaginary}, -1);
    if (turned < size) out = fn::cat(TensorList{out, fn::narrow(x, -1, turned, size - turned)}, -1);
    return joins_heads ? fn::reshape(out, to_dims(input.sizes())) : fn::transpose(out, 1, 2);
}

#define LOUPE_ATTENTION                                                                                               \
    "(Tensor Q, Tensor K, Tensor V, Tensor? attn_mask=None, Tensor? past_key=None, Tensor? past_value=None, Tensor? " \
    "nonpad_kv_seqlen=None, *, int is_causal=0, int? kv_num_heads=None, int? q_num_heads=None, int "                  \
    "qk_matmul_output_mode=0, float? scale=None, float softcap=0., int? softmax_precision=None, "                     \
    "int left_window_size=-1, int right_window_size=-1) -> "

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Attention" LOUPE_ATTENTION "(Tensor, Tensor, Tensor, Tensor)",
            "Scaled dot product attention, all keys and values, and the scores.", attention),
    made_of("onnx::Attention.one" LOUPE_ATTENTION "Tensor", "Scaled dot product attention.", attention_one),
    made_of("onnx::RotaryEmbedding(Tensor X, Tensor cos_cache, Tensor sin_cache, Tensor? position_ids=None, *, int "
            "interleaved=0, int? num_heads=None, int rotary_embedding_dim=0) -> Tensor",
            "Places as rotations of pairs of elements.", boxed<rotary>),
};

#undef LOUPE_ATTENTION

}  // namespace

std::span<const OperatorRecord> attention_records() { return kRecords; }

}  // namespace loupe::onnx
