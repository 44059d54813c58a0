// SPDX-License-Identifier: Apache-2.0
#include "core/study/operator_info.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/dispatch/registry.h"
#include "core/ops/notes.h"

namespace loupe::session {
namespace {

// As a schema writes it: "Tensor(a!)[]? out".
std::string printed(Argument argument) {
    argument.default_value.reset();
    argument.alias.reset();
    argument.element_alias.reset();
    argument.name.clear();
    FunctionSchema alone;
    alone.returns.push_back(std::move(argument));
    const std::string text = alone.str();
    return text.substr(text.find("-> ") + 3);
}

std::string default_text(Argument argument) {
    if (!argument.default_value) return {};
    FunctionSchema alone;
    alone.returns.push_back(std::move(argument));
    const std::string text = alone.str();
    return text.substr(text.find('=') + 1);
}

OperatorInfo::Argument describe(const Argument& argument) {
    OperatorInfo::Argument out;
    out.name = argument.name;
    out.type = printed(argument);
    out.default_text = default_text(argument);
    out.is_keyword_only = argument.kwarg_only;
    for (const auto& mark : {argument.alias, argument.element_alias}) {
        if (!mark || !out.alias.empty()) continue;
        out.is_written = mark->is_write;
        out.alias = concat(mark->set, mark->is_write ? "!" : "",
                           mark->set_after != mark->set ? concat(" -> ", mark->set_after) : "");
    }
    return out;
}

std::string result_name(const FunctionSchema& schema, std::size_t index) {
    const std::string& name = schema.returns[index].name;
    if (!name.empty()) return name;
    return schema.returns.size() == 1 ? "out" : concat("out", index);
}

void describe_derivative(const Operator& op, OperatorInfo& info) {
    for (OperatorInfo::Argument& argument : info.arguments) argument.gradient = gradient_formula(op, argument.name);
    if (!op.record->derivative) return;
    info.derivative = op.node_name;
    const auto& arguments = op.schema.arguments;
    for (const SavedPlace& save : op.saves) {
        const auto index = static_cast<std::size_t>(save.index);
        OperatorInfo::Saved saved;
        saved.name = save.is_result ? result_name(op.schema, index) : arguments[index].name;
        if (save.if_needed >= 0) saved.if_needed = arguments[static_cast<std::size_t>(save.if_needed)].name;
        info.saved.push_back(std::move(saved));
    }
}

void describe_kernels(const Operator& op, OperatorInfo& info) {
    for (std::size_t device = 0; device < kDeviceTypes; ++device) {
        for (const KernelCandidate& candidate : op.kernels->candidates[device])
            info.kernels.push_back({std::string(device_type_name(static_cast<DeviceType>(device))), candidate.backend});
    }
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Operators that this one leads to: whom it is the same as, its backward operator, the operator it is the backward of,
// the forms with and without an underscore in front.
void describe_relatives(const Operator& op, OperatorInfo& info) {
    for (const Operator* other : operators_named(op.schema.name)) {
        if (other == &op) continue;
        if (other->record == op.record) {
            info.variants.push_back(other->full_name);
        } else {
            info.overloads.push_back(other->full_name);
        }
    }
    const std::string& name = op.schema.name;
    const std::string plain = name.ends_with('_') && !name.ends_with("__") ? name.substr(0, name.size() - 1) : name;
    const std::string in_place = name == plain ? name + "_" : plain;
    for (const Operator* other : operators_named(in_place)) {
        if (other->record == op.record) info.variants.push_back(other->full_name);
    }
    if (const Operator* same = same_operator(op)) add_once(info.related, same->full_name);
    for (const std::string_view phrase : {"radient of ", "radients of ", "nverse of "}) {
        const std::string_view text = op.record->summary;
        const auto at = text.find(phrase);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = text.substr(at + phrase.size());
        const auto found = operators_named(concat("aten::", rest.substr(0, rest.find_first_of(" ,:;."))));
        if (!found.empty()) add_once(info.related, found.front()->full_name);
    }
    const auto space = plain.find("::");
    const std::string scope = plain.substr(0, space + 2);
    const std::string bare = plain.substr(space + 2);
    std::vector<std::string> names{plain + "_backward",     plain + "_backward_data",  scope + "native_" + bare,
                                   scope + "_" + bare,      scope + "special_" + bare, plain + "_forward",
                                   plain + "_with_indices", plain + "_mean",           plain + "_with_logits"};
    for (const std::string_view prefix : {"_", "native_", "special_"}) {
        if (bare.starts_with(prefix) && bare.size() > prefix.size())
            names.push_back(scope + bare.substr(prefix.size()));
    }
    for (const std::string_view suffix : {"_backward", "_backward_data", "_forward", "_with_indices", "_with_logits"}) {
        if (bare.ends_with(suffix)) names.push_back(plain.substr(0, plain.size() - suffix.size()));
    }
    for (const std::string& candidate : names) {
        const auto found = operators_named(candidate);
        if (!found.empty()) add_once(info.related, found.front()->full_name);
    }
}

OperatorInfo describe(const Operator& op) {
    const OperatorRecord& record = *op.record;
    OperatorInfo info;
    info.name = op.full_name;
    info.schema = op.schema.str();
    info.family = std::string(op.family);
    info.summary = std::string(record.summary);
    info.formula = std::string(operator_formula(op));
    for (const Argument& argument : op.schema.arguments) info.arguments.push_back(describe(argument));
    for (const Argument& result : op.schema.returns) info.returns.push_back(describe(result));
    describe_derivative(op, info);
    info.is_composite = op.is_composite();
    info.has_cost = record.cost != nullptr;
    info.is_random = record.is_random;
    info.is_gradient_stop = record.is_gradient_stop;
    info.is_view = op.is_view;
    describe_kernels(op, info);
    describe_relatives(op, info);
    return info;
}

}  // namespace

std::vector<OperatorInfo> list_operators() {
    plugins();
    std::vector<OperatorInfo> all;
    for (const Operator* op : all_operators()) all.push_back(describe(*op));
    return all;
}

std::vector<OperatorTitle> list_operator_titles() {
    plugins();
    std::vector<OperatorTitle> all;
    for (const Operator* op : all_operators()) all.push_back({op->full_name, std::string(op->record->summary)});
    return all;
}

std::optional<OperatorInfo> find_operator_info(std::string_view full_name) {
    plugins();
    const std::string name =
        full_name.find("::") == std::string_view::npos ? concat("aten::", full_name) : std::string(full_name);
    if (const Operator* op = find_operator(name)) return describe(*op);
    const auto overloads = operators_named(name);
    if (overloads.empty()) return std::nullopt;
    return describe(*overloads.front());
}

}  // namespace loupe::session
