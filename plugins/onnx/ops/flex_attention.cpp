// SPDX-License-Identifier: Apache-2.0
// Attention whose scores and weights a model's own graphs may change. The reader puts those graphs between the two
// halves.
#include <cmath>

#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/ops/heads.h"

namespace loupe::onnx {
namespace {

// [batch, heads, queries, keys], in the precision of the softmax.
Tensor scores(const Tensor& q, const Tensor& k, const std::optional<double>& scale,
              const std::optional<std::int64_t>& softmax_precision) {
    require(q.dim() == 4 && k.dim() == 4, "expected 4 dimensions of queries and keys, not ", describe(q), " and ",
            describe(k));
    const double by = scale ? *scale : 1 / std::sqrt(static_cast<double>(q.size(3)));
    require(by >= 0, "a scale of ", by);
    // Each factor gets the root of the scale, in its own precision.
    const Tensor root = like_number(q, std::sqrt(by));
    const Tensor keys = fn::mul(repeated_heads(k, q.size(1)), root);
    const Tensor products = fn::matmul(fn::mul(q, root), fn::transpose(keys, -2, -1));
    const ScalarType usual = q.dtype() == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
    const ScalarType precision = softmax_precision ? held_dtype(*softmax_precision) : usual;
    require(is_floating(precision), "softmax_precision is ", dtype_name(precision));
    return cast(products, precision);
}

// weights: [batch, heads, queries, keys]. With v's dtype.
Tensor output(const Tensor& weights, const Tensor& v) {
    require(weights.dim() == 4 && v.dim() == 4, "expected 4 dimensions of weights and values, not ", describe(weights),
            " and ", describe(v));
    return cast(fn::matmul(weights, cast(repeated_heads(v, weights.size(1)), weights.dtype())), v.dtype());
}

Tensor flex_attention(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<double>& scale,
                      const std::optional<std::int64_t>& softmax_precision) {
    return output(fn::softmax(scores(q, k, scale, softmax_precision), std::int64_t{-1}), v);
}

constexpr OperatorRecord kRecords[] = {
    made_of("ai_onnx_preview::FlexAttention(Tensor Q, Tensor K, Tensor V, *, float? scale=None, int? "
            "softmax_precision=None) -> Tensor",
            "Scaled dot product attention.", boxed<flex_attention>),
    made_of("ai_onnx_preview::flex_scores(Tensor Q, Tensor K, *, float? scale=None, int? softmax_precision=None) -> "
            "Tensor",
            "The scores of keys for queries.", boxed<scores>),
    made_of("ai_onnx_preview::flex_output(Tensor weights, Tensor V) -> Tensor", "Values by the weights of keys.",
            boxed<output>),
};

}  // namespace

std::span<const OperatorRecord> flex_attention_records() { return kRecords; }

}  // namespace loupe::onnx
