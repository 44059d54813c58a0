// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fuser that is always there: the operators' own vector loops, one after another on blocks that stay in the cache.

#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::runtime {

Ptr<const FusedKernel> compile_portable(const FusedExpression& expression, const std::vector<bool>& is_number, std::string* why);

}  // namespace loupe::runtime
