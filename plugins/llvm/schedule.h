// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order of a fused expression's steps: steps with instructions in the compiler share loops, others are calls of the
// operators' vector functions on a block between the loops.

#include <set>
#include <string>
#include <vector>

#include "core/runtime/fuse/fused_expression.h"

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
    std::set<Stored> stores;           // other values that the loop writes to memory
    std::vector<std::uint32_t> calls;  // values that calls make after the loop
};

struct Schedule {
    std::vector<Stage> stages;
    std::set<Stored> constants;  // numbers as arrays, for calls: inputs that are numbers
    bool has_calls = false;
};

// Is the step compiled to instructions?
bool is_native(const FusedStep& step);
// Must the result of a call be converted before other reads?
bool is_rounded(const FusedStep& step);
// Is a value one for all of a row?
inline bool is_per_row(const FusedExpression& expression, std::uint32_t value) {
    return expression.is_of_rows() && expression.shapes[value] == runtime::RowShape::PerRow;
}
// "" when the expression can be compiled, else why not.
std::string refusal(const FusedExpression& expression);

Schedule make_schedule(const FusedExpression& expression, const std::vector<bool>& is_number);
// Values in the kernel's scratch memory: all but outputs, which are in the caller's unless they are `apart`.
std::vector<Stored> buffers_of(const FusedExpression& expression, const Schedule& schedule, bool apart);
// A number that a call reads as an array: of which value, which operand.
struct Literal {
    std::uint32_t value = 0;
    std::size_t operand = 0;
    friend auto operator<=>(const Literal&, const Literal&) = default;
};
std::vector<Literal> literals_of(const FusedExpression& expression, const Schedule& schedule);

}  // namespace loupe::llvm_fuser
