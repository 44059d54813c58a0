// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops that a group's expression is cut into: what is computed for fewer elements is computed once, not for each of
// more; what reduces rows, and what is done to rows before and after, is one loop over rows.

#include <cstdint>
#include <vector>

#include "core/runtime/fuse/fused_expression.h"
#include "core/tensor/tensor.h"

namespace loupe::runtime {

// Steps that are done in one loop. An array is a value of the group; in a loop over rows one whose dimensions are those of
// rows alone (a sum without keepdim) lacks the dimensions of a row.
struct FusedPart {
    struct Array {
        std::uint32_t value = 0;
        bool lacks_row = false;
        friend auto operator<=>(const Array&, const Array&) = default;
    };
    FusedExpression expression;
    std::vector<Array> inputs;
    std::vector<Array> outputs;
    std::int64_t reduced = 0;  // how many dimensions are a row; 0: no loop over rows
    Dims whole;                // of a loop over rows: sizes of all elements

    // Sizes that align with those of all elements.
    Dims aligned(const Array& array, Dims sizes) const;
};

// sizes: of the expression's values. In the order in which they are to run.
std::vector<FusedPart> make_parts(const FusedExpression& whole, const std::vector<Dims>& sizes, const std::vector<std::int64_t>& outputs);

}  // namespace loupe::runtime
