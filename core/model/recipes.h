// SPDX-License-Identifier: Apache-2.0
#pragma once
// What can be chosen for a training or a loss, for forms: optimisers, schedules, losses.

#include <string>
#include <vector>

namespace loupe::session {

// What can be chosen, for forms: "Adam" with what its constructor takes.
struct RecipeInfo {
    struct Argument {
        std::string name;
        std::string type;          // "float", "int", "bool", "Optional[float]"
        std::string default_text;  // Python's; empty: it must be given
    };
    std::string name;
    std::string summary;
    std::vector<Argument> arguments;
};
std::vector<RecipeInfo> list_optimizers();
std::vector<RecipeInfo> list_schedules();  // those that can be given without functions
std::vector<RecipeInfo> list_losses();     // those of an output and a target

}  // namespace loupe::session
