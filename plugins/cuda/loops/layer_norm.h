// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows brought to zero mean and unit variance, and their gradients. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Dense rows of `element`; parameters of length `length` in the same type or, `wide_parameters`, in the one that is
// computed in (float32, float64 for itself); moments in `moment`.
struct NormRows {
    std::int64_t rows = 0;
    std::int64_t length = 0;
    Element element = Element::Float32;
    Element moment = Element::Float32;
    bool wide_parameters = false;
    double eps = 0;
};
// weight and bias may be null. False for elements that are not floating.
bool run_layer_norm(const Queue& queue, const NormRows& shape, const void* x, const void* weight, const void* bias,
                    void* y, void* mean, void* rstd);
bool run_layer_norm_gradient(const Queue& queue, const NormRows& shape, const void* grad, const void* x,
                             const void* mean, const void* rstd, const void* weight, void* out);
// Sums over the rows, in the type that is computed in: of grad (x - mean) rstd and of grad, either may be null.
// `parts`: room for norm_parts() times 2 length numbers of that type.
std::int64_t norm_parts(const NormRows& shape);
bool run_layer_norm_sums(const Queue& queue, const NormRows& shape, const void* grad, const void* x, const void* mean,
                         const void* rstd, void* parts, void* of_weight, void* of_bias);

}  // namespace loupe::cuda
