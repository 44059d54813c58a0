// SPDX-License-Identifier: Apache-2.0
#pragma once
// An operator on a device beside the same on the CPU.

#include <string>

#include "core/dispatch/registry.h"

namespace loupe::sweep {

// What a sample's results and gradients on the device differ in from the CPU's, in value, dtype, strides, device or
// refusal; empty when they agree.
std::string difference_on(Device device, const Operator& op, const Sample& sample);

// Does the CPU itself miss, by as much as is allowed between devices, what float64 gives? Then rounding decides the
// sample's gradients, and another order of additions gives others.
bool is_decided_by_rounding(const Operator& op, const Sample& sample);

}  // namespace loupe::sweep
