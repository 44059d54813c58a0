// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is anything in a tensor not finite? Much cheaper than its statistics, for tensors that are nearly always finite.

#include <optional>
#include <span>

#include "core/record/not_finite.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// True for integers and for tensors without elements.
bool is_all_finite(const Tensor& t);
bool holds_positive_infinity(const Tensor& t);
// Element by element, inputs broadcast to the output; nothing where the shapes are not those of an element-wise
// operator.
std::optional<ElementFlow> element_flow(std::span<const Tensor> inputs, const Tensor& output);

}  // namespace loupe::session
