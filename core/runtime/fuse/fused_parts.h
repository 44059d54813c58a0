// SPDX-License-Identifier: Apache-2.0
#pragma once
// Splits a group's expression into loops: steps on fewer elements get a separate loop; a reduction of rows, and steps
// on the rows before and after, are one loop over rows.

#include <cstdint>
#include <vector>

#include "core/runtime/fuse/fused_expression.h"
#include "core/tensor/tensor.h"

namespace loupe::runtime {

// Steps of one loop. An array is a value of the group; in a loop over rows a value per row may lack the dimensions of a
// row (a sum without keepdim).
struct FusedPart {
    struct Array {
        std::uint32_t value = 0;
        bool lacks_row = false;
        friend auto operator<=>(const Array&, const Array&) = default;
    };
    FusedExpression expression;
    std::vector<std::uint32_t> values;  // of the group, that the expression's steps make
    std::vector<Array> inputs;
    std::vector<Array> outputs;
    std::int64_t reduced = 0;  // how many dimensions are a row; 0: no loop over rows
    Dims whole;                // of a loop over rows: sizes of all elements

    // Sizes that broadcast to all elements.
    Dims aligned(const Array& array, Dims sizes) const;
};

// sizes: of the expression's values. In the order in which they are to run.
std::vector<FusedPart> make_parts(const FusedExpression& whole, const std::vector<Dims>& sizes,
                                  const std::vector<std::int64_t>& outputs);

}  // namespace loupe::runtime
