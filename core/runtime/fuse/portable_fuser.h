// SPDX-License-Identifier: Apache-2.0
#pragma once
// The default fuser: the operators' vector loops in sequence, on blocks that stay in the cache.

#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::runtime {

Ptr<const FusedKernel> compile_portable(const FusedExpression& expression, const std::vector<bool>& is_number,
                                        std::string* why);

}  // namespace loupe::runtime
