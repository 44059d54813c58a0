// SPDX-License-Identifier: Apache-2.0
#pragma once
// LLVM IR of a fused expression:
//
//     void fused(std::byte** arrays, std::int64_t n, void** functions)
//
// and of an expression of rows
//
//     void fused(std::byte** arrays, std::int64_t n, void** functions, const std::int64_t* strides, std::int64_t rows,
//     std::byte* scratch)
//
// arrays: outputs, then inputs; of the first row. Rows are done kRowBlock elements at once, a row at least. scratch:
// row_scratch_bytes, on a boundary of 64. functions: for each call of the schedule, the operator's loop and its
// parameters; then, for code that streams, void (*)(std::byte* to, const std::byte* from, std::int64_t bytes).

#include <llvm/IR/Module.h>

#include <memory>

#include "plugins/llvm/schedule.h"

namespace loupe::llvm_fuser {

inline constexpr const char* kFunctionName = "fused";
inline constexpr std::int64_t kRowBlock = 1024;

struct Target {
    bool has_fma = false;
    bool streams = false;  // results go past the caches, block by block: for arrays that do not fit there
    // Instructions have the line of the expression that they compute as their debug location, from 1; 0: none alone.
    bool has_locations = false;
};

std::unique_ptr<llvm::Module> generate(llvm::LLVMContext& context, const FusedExpression& expression,
                                       const std::vector<bool>& is_number, const Target& target);

std::int64_t row_scratch_bytes(const FusedExpression& expression, const std::vector<bool>& is_number, std::int64_t n);

// The values whose functions are in the table, in its order.
std::vector<std::uint32_t> called_values(const FusedExpression& expression, const std::vector<bool>& is_number);

}  // namespace loupe::llvm_fuser
