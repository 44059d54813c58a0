// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators on numbers as a program names them: Python's own, and torch.sym_*.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/exported/traced_values.h"

namespace loupe::exported {

// aten: an operator on numbers, "aten::add.int". arguments: at least one is symbolic. result: for the example.
// nullptr for an operator that programs do not have.
Ptr<SymbolicNumber> call_on_numbers(std::string_view aten, const std::vector<IValue>& arguments, const IValue& result,
                                    std::vector<IValue> samples);

}  // namespace loupe::exported
