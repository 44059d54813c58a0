// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiles fused expressions for the machine that it runs on; kernels are kept by content, in memory and on disk.

#include "core/runtime/fuser.h"

namespace loupe::llvm_fuser {

// Throws Error (Plugin) when LLVM cannot compile for this machine.
void start();

Ptr<const runtime::FusedKernel> compile(const runtime::FusedExpression& expression, const std::vector<bool>& is_number, std::string* why);

}  // namespace loupe::llvm_fuser
