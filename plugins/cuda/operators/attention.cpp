// SPDX-License-Identifier: Apache-2.0
// loupe::attention in steps: products of batches of matrices and softmax.
#include <cmath>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// (query, key, value, mask, scale, fill, joined)
void attention(const Tensor& out, const Tensor& weights, const Tensor& query, const Tensor& key, const Tensor& value,
               const Tensor& mask, const Scalar& scale, const Scalar& fill, bool) {
    Tensor scores = fn::mul_scalar(fn::matmul(query, fn::transpose(key, -2, -1)), scale);
    if (mask.defined()) scores = fn::masked_fill(scores, mask, fill);
    const Tensor shares = fn::_softmax(scores, std::int64_t{-1}, false);
    copy_into(weights, shares);
    copy_into(out, fn::matmul(shares, value));
}

// (grad_output, query, key, value, mask, scale, weights)
void attention_backward(const Tensor& of_query, const Tensor& of_key, const Tensor& of_value, const Tensor& grad,
                        const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                        const Scalar& scale, const Tensor& weights) {
    copy_into(of_value, fn::matmul(fn::transpose(weights, -2, -1), grad));
    const Tensor along = fn::matmul(grad, fn::transpose(value, -2, -1));
    Tensor scores =
        fn::_softmax_backward_data(along, weights, std::int64_t{-1}, static_cast<std::int64_t>(weights.dtype()));
    scores = fn::mul_scalar(scores, scale);
    if (mask.defined()) scores = fn::masked_fill(scores, mask, Scalar(0));
    copy_into(of_query, fn::matmul(scores, key));
    copy_into(of_key, fn::matmul(fn::transpose(scores, -2, -1), query));
}

bool takes_some(Arguments a, std::string* why) {
    if (!takes_floating<0, 1, 2>(a, why)) return false;
    bool some = true;
    for (std::size_t i = 0; i < 4; ++i) some = some && (!a[i].is_tensor() || a[i].to_tensor().numel() > 0);
    if (!some && why != nullptr) *why = "no elements";
    return some;
}

}  // namespace

void register_attention(const Registration& to) {
    to.add("loupe::attention", filling<attention, 2>, takes_some);
    to.add("loupe::attention_backward", filling<attention_backward, 3>, takes_some);
}

}  // namespace loupe::cuda
