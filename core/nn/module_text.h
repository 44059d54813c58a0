// SPDX-License-Identifier: Apache-2.0
#pragma once
// How PyTorch prints a module tree.

#include <string>
#include <utility>
#include <vector>

namespace loupe::nn {

class Module;

// The lines of a module's children, (name, text of the child): "(0): Linear(...)". Of a ModuleList equal ones that
// follow each other are one, "(0-3): 4 x Block(...)", since PyTorch 2.
std::vector<std::string> lines_of_children(const Module& module,
                                           const std::vector<std::pair<std::string, std::string>>& children);

}  // namespace loupe::nn
