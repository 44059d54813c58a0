// SPDX-License-Identifier: Apache-2.0
#pragma once
// LLVM IR of a fused expression:
//
//     void fused(std::byte** arrays, std::int64_t n, void** functions)
//
// arrays: outputs, then inputs. functions: for each call of the schedule, the operator's vector loop and its parameters.

#include <llvm/IR/Module.h>

#include <memory>

#include "plugins/llvm/schedule.h"

namespace loupe::llvm_fuser {

inline constexpr const char* kFunctionName = "fused";

std::unique_ptr<llvm::Module> generate(llvm::LLVMContext& context, const FusedExpression& expression, const std::vector<bool>& is_number,
                                       bool has_fma);

// The values whose functions stand in the table, in its order.
std::vector<std::uint32_t> called_values(const FusedExpression& expression, const std::vector<bool>& is_number);

}  // namespace loupe::llvm_fuser
