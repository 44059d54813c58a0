// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is anything in a tensor not finite? Much cheaper than its statistics, for tensors that are nearly always finite.

#include <optional>
#include <span>
#include <vector>

#include "core/record/not_finite.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// True for integers and for tensors without elements.
bool is_all_finite(const Tensor& t);
bool holds_positive_infinity(const Tensor& t);
// Element by element, inputs broadcast to the output; nothing where the shapes are not those of an element-wise
// operator.
std::optional<ElementFlow> element_flow(std::span<const Tensor> inputs, const Tensor& output);
// Of a bad element of the output the elements of the inputs that it was computed from: of a NaN first, and of one that
// was made of finite numbers. NaN stands for an input that is undefined or complex. Empty: the output is finite, or the
// shapes are not those of an element-wise operator.
std::vector<double> elements_behind_bad(std::span<const Tensor> inputs, const Tensor& output);

}  // namespace loupe::session
