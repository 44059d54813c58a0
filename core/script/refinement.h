// SPDX-License-Identifier: Apache-2.0
#pragma once
// Type refinements of variables by a condition, for its true and its false branch.

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

    // Of `a and b`: the union where true, the intersection where false.
    static RefinementSet both(const RefinementSet& a, const RefinementSet& b);
    // Of `a or b`.
    static RefinementSet either(const RefinementSet& a, const RefinementSet& b);
    RefinementSet negated() const { return {if_false, if_true}; }
};

struct Condition {
    ir::Value* value = nullptr;
    RefinementSet refinements = {};
    // Static condition: only the branch that is taken is emitted.
    std::optional<bool> known = std::nullopt;
};

}  // namespace loupe::script
