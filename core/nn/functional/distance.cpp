// SPDX-License-Identifier: Apache-2.0
// Distances and norms.
#include "core/dispatch/functions.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/operator_call.h"

namespace loupe::nn::functional {
namespace {

Tensor normalize(const Tensor& input, const Scalar& p, const Dims& dim, double eps, const Tensor& out) {
    const Tensor norm = fn::vector_norm(input, p, dim, true, IValue());
    const Tensor result =
        fn::div(input, fn::expand(fn::clamp(norm, Scalar(eps), IValue()), to_dims(input.sizes()), false));
    return out.defined() ? fn::copy_(out, result, false) : result;
}

constexpr NativeFunction kRecords[] = {
    {"pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False) -> Tensor",
     "The p-norm of the difference, row by row.", calls<"aten::pairwise_distance">},
    {"pdist(Tensor input, float p=2.0) -> Tensor", "The distance of every pair of rows.", calls<"aten::pdist">},
    {"cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
     "The cosine of the angle along a dimension.", calls<"aten::cosine_similarity">},
    {"normalize(Tensor input, Scalar p=2.0, int[1] dim=1, float eps=1e-12, Tensor? out=None) -> Tensor",
     "The input over its p-norm along a dimension.", boxed<normalize>},
};

}  // namespace

FunctionFamily distance_records() { return kRecords; }

}  // namespace loupe::nn::functional
