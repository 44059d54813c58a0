// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators of ordinary names on quantised tensors, and what they share with those of quantized::.

#include <functional>

#include "core/dispatch/record.h"
#include "core/tensor/quantizer.h"

namespace loupe::quantized_ops {

// f of each number that q stands for, rounded to another scale; q: by tensor. Of 8 bits by tables of all integers.
// inverse: of the scale within groups, where it is another than float32's.
Tensor mapped(const Tensor& q, double scale, std::int64_t zero_point,
              const std::function<Tensor(const Tensor& numbers)>& f, std::optional<float> inverse = std::nullopt);
// f of the integers less the zero point, in float32, rounded back: for what commutes with a scale.
Tensor on_moved_integers(const Tensor& q, const std::function<Tensor(const Tensor& moved)>& f);
// Rounded to one scale where theirs are others.
Tensor joined_quantized(const TensorList& tensors, std::int64_t dim, double scale, std::int64_t zero_point);
// Integers below or above the numbers' are moved to them; a number that is not given limits nothing.
Tensor clamped(const Tensor& q, std::optional<double> least, std::optional<double> most);

}  // namespace loupe::quantized_ops
