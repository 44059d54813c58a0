// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of a class in Python text, as expressions that stand alone: names that the text assigns are replaced by what
// they are assigned.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/source.h"

namespace loupe::python {

struct ExampleCall {
    std::string expression;           // "ViT(dim=64, depth=(2))"
    std::vector<std::string> inputs;  // what the made model is called with, "torch.randn(1, 3, 32, 32)" each
    std::string place;                // "README.md"
};

// is_known: may the name stand in the expression as it is? Text that is no Python gives none.
std::vector<ExampleCall> find_example_calls(const std::string& text, const std::string& place,
                                            std::string_view class_name,
                                            const std::function<bool(std::string_view)>& is_known);

// The Python in a page or in a documentation text: fenced blocks, and lines behind ">>> ", a text each.
std::vector<std::string> python_blocks(std::string_view page);

}  // namespace loupe::python
