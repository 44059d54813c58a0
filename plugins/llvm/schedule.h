// SPDX-License-Identifier: Apache-2.0
#pragma once
// In which order a fused expression's steps run: those that the compiler has instructions for share loops, those that
// only the operators' own vector functions know are calls on a block between the loops.

#include <set>
#include <string>
#include <vector>

#include "core/runtime/fused_expression.h"

namespace loupe::llvm_fuser {

using runtime::FusedExpression;
using runtime::FusedStep;

// A value as elements of a dtype, in memory.
struct Stored {
    std::uint32_t value = 0;
    ScalarType as = ScalarType::Float32;
    friend auto operator<=>(const Stored&, const Stored&) = default;
};

struct Stage {
    std::vector<std::uint32_t> loop;   // values that the loop computes
    std::set<Stored> stores;           // what the loop writes to memory besides
    std::vector<std::uint32_t> calls;  // values that calls make after the loop
};

struct Schedule {
    std::vector<Stage> stages;
    std::set<Stored> constants;  // numbers as arrays, for calls: inputs that are numbers
    bool has_calls = false;
};

// Is the step made of instructions?
bool is_native(const FusedStep& step);
// Must the result of a call be converted before anything else reads it?
bool is_rounded(const FusedStep& step);
// "" when the expression can be compiled, else why not.
std::string refusal(const FusedExpression& expression);

Schedule make_schedule(const FusedExpression& expression, const std::vector<bool>& is_number);

}  // namespace loupe::llvm_fuser
