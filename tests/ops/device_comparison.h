// SPDX-License-Identifier: Apache-2.0
#pragma once
// An operator on a device beside the same on the CPU.

#include <string>
#include <string_view>

#include "core/dispatch/registry.h"

namespace loupe::sweep {

// What a sample's results and gradients on the device differ in from the CPU's, in value, dtype, strides, device or
// refusal; empty when they agree. without_rounding: gradients, and complex results, that rounding decides are passed
// over, each by itself.
std::string difference_on(Device device, const Operator& op, const Sample& sample, bool without_rounding = false);

// Does the CPU itself miss, by as much as is allowed between devices, what float64 gives for the gradient or
// result that the difference names ("gradient 4: ...")? Then rounding decides it, and another order of additions gives
// another; a result on the device may then be as far as twice the CPU's.
bool is_decided_by_rounding(Device device, const Operator& op, const Sample& sample, std::string_view difference);

}  // namespace loupe::sweep
