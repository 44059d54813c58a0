// SPDX-License-Identifier: Apache-2.0
// The gradient of fused attention as PyTorch computes it: from the sums of exponentials that the forward pass kept.

#include <cmath>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

Tensor wide(const Tensor& t) {
    const bool is_half = t.defined() && is_floating(t.dtype()) && t.element_size() == 2;
    return is_half ? fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32)) : t;
}

// Keys and values that several heads of queries share, once for each.
Tensor for_each_query(const Tensor& query, const Tensor& t) {
    static const OperatorHandle<> repeat("aten::repeat_interleave.self_int");
    const std::int64_t shared = query.size(1) / std::max<std::int64_t>(t.size(1), 1);
    return shared == 1 ? t : repeat(t, shared, std::int64_t{1}, IValue());
}
Tensor summed_over_shared(const Tensor& gradient, const Tensor& t) {
    if (gradient.size(1) == t.size(1)) return gradient;
    const Dims grouped{t.size(0), t.size(1), gradient.size(1) / t.size(1), t.size(2), t.size(3)};
    return fn::sum_dim(fn::reshape(gradient, grouped), Dims{2}, false);
}

// exp(scale q k^T + mask - logsumexp)
Tensor weights_of(const Tensor& query, const Tensor& key, const Tensor& logsumexp, bool is_causal, const Tensor& mask,
                  double scale) {
    Tensor scores = fn::matmul(fn::mul_scalar(query, Scalar(scale)), fn::transpose(key, -2, -1));
    if (mask.defined()) scores = scores + mask;
    if (is_causal) {
        const Dims sizes{query.size(-2), key.size(-2)};
        const Tensor visible = fn::tril(
            fn::ones(sizes, static_cast<std::int64_t>(ScalarType::Bool), IValue(), query.device(), IValue()), 0);
        scores = fn::masked_fill(scores, fn::logical_not(visible), Scalar(-INFINITY));
    }
    return fn::exp(scores - fn::unsqueeze(logsumexp, -1));
}

fn::ThreeTensors flash_backward(const Tensor& given_grad, const Tensor& given_query, const Tensor& given_key,
                                const Tensor& given_value, const Tensor& given_out, const Tensor& logsumexp,
                                double /*dropout_p*/, bool is_causal, const Tensor& attn_mask,
                                const std::optional<double>& given_scale) {
    const Tensor grad = wide(given_grad), query = wide(given_query), out = wide(given_out);
    const Tensor key = for_each_query(query, wide(given_key)), value = for_each_query(query, wide(given_value));
    const double scale = given_scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
    const Tensor weights = weights_of(query, key, logsumexp, is_causal, wide(attn_mask), scale);
    const Tensor grad_value = fn::matmul(fn::transpose(weights, -2, -1), grad);
    const Tensor grad_weights = fn::matmul(grad, fn::transpose(value, -2, -1));
    const Tensor grad_scores = weights * (grad_weights - fn::sum_dim(grad * out, Dims{-1}, true));
    const Tensor grad_query = fn::mul_scalar(fn::matmul(grad_scores, key), Scalar(scale));
    const Tensor grad_key = fn::mul_scalar(fn::matmul(fn::transpose(grad_scores, -2, -1), query), Scalar(scale));
    const auto narrow = [](const Tensor& t, const Tensor& like) {
        return fn::to_dtype(t, static_cast<std::int64_t>(like.dtype()));
    };
    return {narrow(grad_query, given_query), narrow(summed_over_shared(grad_key, given_key), given_key),
            narrow(summed_over_shared(grad_value, given_value), given_value)};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, "
               "Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? "
               "attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
     .summary = "The gradients of _scaled_dot_product_flash_attention_for_cpu.",
     .formula = "dS = P (dO v^T - sum(dO out)), P = exp(scale q k^T + mask - logsumexp)",
     .composite = boxed<flash_backward>},
};

}  // namespace

std::span<const OperatorRecord> attention_gradient_records() { return kRecords; }

}  // namespace loupe::composed
