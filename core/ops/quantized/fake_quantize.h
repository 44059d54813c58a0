// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the operators that imitate quantisation in floating point share.

#include "core/dispatch/gradient_context.h"
#include "core/ops/quantized/quantized.h"

namespace loupe::quantized_ops {

struct Imitated {
    Tensor output;  // the nearest numbers that the integers can stand for
    Tensor mask;    // whether the integer was within the bounds
};

// scale and zero_point: float32 tensors that broadcast to x. rounds_sum: the zero point is no integer.
Imitated imitate(const Tensor& x, const Tensor& scale, const Tensor& zero_point, bool rounds_sum, Range bounds);

struct LearnableGradients {
    Tensor x;
    Tensor scale;       // of each element, to be summed
    Tensor zero_point;  // of each element
};
LearnableGradients learnable_gradients(const Tensor& grad, const Tensor& x, const Tensor& scale,
                                       const Tensor& zero_point, Range bounds, double factor);

void check_bounds(std::int64_t quant_min, std::int64_t quant_max);
// A 0-dimensional float32 tensor.
Tensor constant(double value);
// [channels] in a shape that broadcasts along the axis of x.
Tensor along_axis(const Tensor& channels, const Tensor& x, std::int64_t axis);

}  // namespace loupe::quantized_ops
