// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/rules.h"

#include <unordered_map>

namespace loupe::onnx_export {

std::vector<const Rule*> all_rules() {
    std::vector<const Rule*> all;
#define LOUPE_TAKE_RULES(family) \
    for (const Rule& rule : family()) all.push_back(&rule);
    LOUPE_ONNX_RULES(LOUPE_TAKE_RULES)
#undef LOUPE_TAKE_RULES
    return all;
}

const Rule* find_rule(const Operator& op) {
    static const std::unordered_map<std::string_view, const Rule*> kRules = [] {
        std::unordered_map<std::string_view, const Rule*> rules;
        for (const Rule* rule : all_rules()) rules.emplace(rule->name, rule);
        return rules;
    }();
    if (const auto exact = kRules.find(op.full_name); exact != kRules.end()) return exact->second;
    const auto named = kRules.find(op.schema.name);
    return named == kRules.end() ? nullptr : named->second;
}

}  // namespace loupe::onnx_export
