// SPDX-License-Identifier: Apache-2.0
// weight_norm (Salimans and Kingma, "Weight Normalization").
#include "core/kernels/arithmetic.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;
using namespace arithmetic;

// The norm of each slice along dim, over all other dimensions; of the whole for dim = -1.
Tensor slice_norms(const Tensor& v, std::int64_t dim) {
    if (dim != -1 && v.dim() == 0)
        throw Error(ErrorKind::Run, concat("Dimension specified as ", dim, " but tensor has no dimensions"));
    if (dim == -1) return fn::vector_norm(v, Scalar(2.0), IValue(), false, IValue());
    Dims others;
    for (std::int64_t d = 0; d < v.dim(); ++d) {
        if (d != dim) others.push_back(d);
    }
    return fn::vector_norm(v, Scalar(2.0), others, true, IValue());
}
Tensor weight_norm(const Tensor& v, const Tensor& g, std::int64_t dim) { return v * (g / slice_norms(v, dim)); }
fn::TwoTensors weight_norm_interface(const Tensor& v, const Tensor& g, std::int64_t dim) {
    const Tensor norms = slice_norms(v, dim);
    return {v * (g / norms), norms};
}

std::vector<Sample> weight_norm_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {3, 2, 2}, dtype), random_tensor(random, {3, 1, 1}, dtype), 0}},
            {{random_tensor(random, {3, 4}, dtype), random_tensor(random, {1, 4}, dtype), 1}, "last dimension"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor",
     .summary = "The direction of v with the length g, slice by slice along dim.",
     .formula = "w = g v / |v|",
     .composite = boxed<weight_norm>,
     .samples = weight_norm_samples},
    {.schema = "aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)",
     .summary = "The same as _weight_norm, and the norms of v.",
     .formula = "w = g v / |v|",
     .composite = boxed<weight_norm_interface>,
     .variants = kOut,
     .constant_results = 0b10},
};

}  // namespace

std::span<const OperatorRecord> nn_ops::weight_norm_records() { return kRecords; }

}  // namespace loupe
