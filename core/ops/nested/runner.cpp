// SPDX-License-Identifier: Apache-2.0
// Which rule takes a call with nested tensors.

#include <algorithm>
#include <set>

#include "core/base/typed_error.h"
#include "core/dispatch/nested_calls.h"
#include "core/ops/nested/family.h"
#include "core/ops/nested/jagged_rules.h"
#include "core/ops/nested/strided.h"

namespace loupe {

OperatorFamily pointwise_family();

namespace nested_ops {
namespace {

bool holds_strided(const IValue& value) {
    if (value.is_tensor()) return is_strided_nested(value.to_tensor());
    return value.is_list() && std::ranges::any_of(value.to_list().elements, holds_strided);
}

Rule find_rule(const RuleTable& table, const Call& call) {
    for (const std::string& name : {call.name(), call.function()}) {
        if (const auto found = table.find(name); found != table.end()) return found->second;
    }
    return nullptr;
}

const RuleTable& strided_rules() {
    static const RuleTable table = [] {
        RuleTable out;
        add_strided_elementwise_rules(out);
        add_strided_product_rules(out);
        add_strided_shape_rules(out);
        return out;
    }();
    return table;
}

const RuleTable& jagged_rules() {
    static const RuleTable table = [] {
        RuleTable out;
        add_jagged_rules(out);
        add_jagged_broadcast_rules(out);
        return out;
    }();
    return table;
}

bool is_pointwise(const Operator& op) {
    static const std::set<const OperatorRecord*> records = [] {
        const auto family = pointwise_family().records;
        return std::set<const OperatorRecord*>(family.begin(), family.end());
    }();
    return records.contains(op.record);
}

// Of jagged tensors all functions of each element of one tensor or two.
bool run_on_jagged(const Call& call, IValue* results) {
    const Rule rule = find_rule(jagged_rules(), call);
    std::size_t tensors = 0;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) tensors += call.is_tensor(i) ? 1 : 0;
    // min and max of two tensors are of the pointwise kind, copies and choices are not.
    const bool has_own = rule != nullptr && (tensors < 2 || !is_pointwise(call.op) || !call.is_tensor(1) ||
                                             call.function() == "copy_" || call.function() == "where");
    if (has_own)
        rule(call, results);
    else if (is_pointwise(call.op) && tensors <= 2)
        pointwise_on_jagged(call, results);
    else
        return false;
    return true;
}

bool run_rule(const Operator& op, Arguments arguments, IValue* results) {
    const Call call{op, arguments};
    if (std::ranges::none_of(arguments, holds_strided)) return run_on_jagged(call, results);
    const Rule rule = find_rule(strided_rules(), call);
    if (rule == nullptr) return false;
    rule(call, results);
    return true;
}

}  // namespace

void install_rules() { set_nested_runner(run_rule); }

}  // namespace nested_ops
}  // namespace loupe
