// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compiles fused expressions for the machine that it runs on; kernels are kept by content, in memory and on disk.

#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::llvm_fuser {

// Throws Error (Plugin) when LLVM cannot compile for this machine.
void start();

Ptr<const runtime::FusedKernel> compile(const runtime::FusedExpression& expression, const std::vector<bool>& is_number,
                                        std::string* why);

using CompileFunction = Ptr<const runtime::FusedKernel> (*)(const runtime::FusedExpression&, const std::vector<bool>&,
                                                            std::string*);
// What the compiler's library exports as loupe_llvm_compiler: start() may throw Error (Plugin).
struct CompilerEntry {
    CompileFunction (*start)();
};

}  // namespace loupe::llvm_fuser
