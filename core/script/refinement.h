// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a condition says about the types of variables where it holds, and where it does not.

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::script {

struct Refinement {
    std::string_view variable;
    TypePtr type;
};
using Refinements = std::vector<Refinement>;

struct RefinementSet {
    Refinements if_true;
    Refinements if_false;

    // Of `a and b`: what both say where it holds, what they have in common where it does not.
    static RefinementSet both(const RefinementSet& a, const RefinementSet& b);
    // Of `a or b`.
    static RefinementSet either(const RefinementSet& a, const RefinementSet& b);
    RefinementSet negated() const { return {if_false, if_true}; }
};

struct Condition {
    ir::Value* value = nullptr;
    RefinementSet refinements = {};
    // Known while compiling: only the branch that is taken is emitted.
    std::optional<bool> known = std::nullopt;
};

}  // namespace loupe::script
