// SPDX-License-Identifier: Apache-2.0
#pragma once
// The expression of a size, found from its values for several inputs and the sizes that it may depend on.

#include <optional>
#include <vector>

#include "core/formats/exported/symbols.h"

namespace loupe::exported {

// Values for the example and every sample, in one order.
struct SizeValues {
    SymbolExpression expression;
    std::vector<std::int64_t> values;
};

// nullopt when none of these gives the values: a constant, a candidate, a sum, product, multiple or quotient of them.
std::optional<SymbolExpression> fit_expression(const std::vector<std::int64_t>& values,
                                               const std::vector<SizeValues>& candidates);

// Simplified where both are numbers, or one changes nothing.
SymbolExpression sum_of(SymbolExpression a, SymbolExpression b);
SymbolExpression product_of(SymbolExpression a, SymbolExpression b);
SymbolExpression quotient_of(SymbolExpression a, std::int64_t by);  // rounded down

}  // namespace loupe::exported
