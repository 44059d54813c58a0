// SPDX-License-Identifier: Apache-2.0
#include "core/script/refinement.h"

#include <algorithm>

namespace loupe::script {
namespace {

auto find_variable(auto& refinements, std::string_view variable) {
    return std::find_if(refinements.begin(), refinements.end(),
                        [&](const Refinement& each) { return each.variable == variable; });
}

// A variable that both refine, but not alike, is refined by neither.
Refinements united(const Refinements& a, const Refinements& b) {
    Refinements result = a;
    for (const Refinement& each : b) {
        const auto found = find_variable(result, each.variable);
        if (found == result.end()) {
            result.push_back(each);
        } else if (!found->type->equals(*each.type)) {
            result.erase(found);
        }
    }
    return result;
}

Refinements common(const Refinements& a, const Refinements& b) {
    Refinements result;
    for (const Refinement& each : a) {
        const auto found = find_variable(b, each.variable);
        if (found != b.end() && found->type->equals(*each.type)) result.push_back(each);
    }
    return result;
}

}  // namespace

RefinementSet RefinementSet::both(const RefinementSet& a, const RefinementSet& b) {
    return {united(a.if_true, b.if_true), common(a.if_false, b.if_false)};
}

RefinementSet RefinementSet::either(const RefinementSet& a, const RefinementSet& b) {
    return {common(a.if_true, b.if_true), united(a.if_false, b.if_false)};
}

}  // namespace loupe::script
