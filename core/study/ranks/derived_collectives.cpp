// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/derived_collectives.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOperations[] = {
    {"allreduce", "all_reduce"},
    {"allreduce_coalesced", "all_reduce"},
    {"all_reduce", "all_reduce"},
    {"all_reduce_coalesced", "all_reduce"},
    {"broadcast", "broadcast"},
    {"reduce", "reduce"},
    {"allgather", "all_gather"},
    {"allgather_coalesced", "all_gather"},
    {"_allgather_base", "all_gather"},
    {"allgather_into_tensor_coalesced", "all_gather"},
    {"all_gather_into_tensor", "all_gather"},
    {"all_gather_into_tensor_out", "all_gather"},
    {"all_gather_into_tensor_coalesced", "all_gather"},
    {"reduce_scatter", "reduce_scatter"},
    {"_reduce_scatter_base", "reduce_scatter"},
    {"reduce_scatter_tensor", "reduce_scatter"},
    {"reduce_scatter_tensor_coalesced", "reduce_scatter"},
    {"gather", "gather"},
    {"gather_into_tensor", "gather"},
    {"scatter", "scatter"},
    {"alltoall", "all_to_all"},
    {"alltoall_base", "all_to_all"},
    {"all_to_all_single", "all_to_all"},
    {"barrier", "barrier"},
    {"monitored_barrier", "barrier"},
    {"send", "send"},
    {"recv", "recv"},
    {"recv_any_source", "recv"},
};

std::string_view argument_of(const Event& event, std::string_view name) {
    for (const std::string& each : event.arguments) {
        if (each.starts_with(name) && each.size() > name.size() && each[name.size()] == '=')
            return std::string_view(each).substr(name.size() + 1);
    }
    return {};
}

int number_of(std::string_view text) {
    int number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string unquoted(std::string_view text) {
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"')) text = text.substr(1, text.size() - 2);
    return std::string(text);
}

// Where an operator is given what it fills before what it reads, the latter counts.
std::vector<ValueId> given_to(const Event& event, std::string_view operation) {
    const bool fills_first = operation == "all_gather" || operation == "reduce_scatter" || operation == "all_to_all";
    const bool is_base = event.op.find("_base") != std::string_view::npos;
    if (!fills_first || !event.op.starts_with("c10d::") || event.inputs.empty()) return event.inputs;
    if (is_base || operation == "all_gather") return {event.inputs.back()};
    return {event.inputs.begin() + 1, event.inputs.end()};
}

}  // namespace

std::string_view collective_operation(std::string_view op) {
    for (const std::string_view space : {"c10d::", "_c10d_functional::", "_c10d_functional_autograd::"}) {
        if (!op.starts_with(space)) continue;
        op.remove_prefix(space.size());
        if (op.ends_with('_')) op.remove_suffix(1);
        for (const auto& [name, operation] : kOperations) {
            if (name == op) return operation;
        }
    }
    return {};
}

std::vector<Collective> derive_collectives(const Recording& recording) {
    std::vector<Collective> all;
    std::map<std::string, std::uint64_t> sequences;
    std::map<ValueId, std::size_t> by_result;  // of functional ones, which are waited for by an operator
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.op == "_c10d_functional::wait_tensor" && !event.inputs.empty()) {
            const auto found = by_result.find(event.inputs.front());
            if (found == by_result.end()) continue;
            Collective& waited = all[found->second];
            waited.waited_by = id;
            waited.waited_from = event.start;
            waited.waited_until = waited.completed = std::max(event.start, event.end());
            continue;
        }
        const std::string_view operation = collective_operation(event.op);
        if (operation.empty()) continue;
        Collective each;
        each.operation = operation;
        each.group = "0";
        if (const std::string_view name = argument_of(event, "group_name"); !name.empty()) each.group = unquoted(name);
        if (operation == "send" || operation == "recv") {
            each.peer = number_of(argument_of(event, operation == "send" ? "dst" : "src"));
            each.sequence = ++sequences[concat(each.group, " ", operation, " ", each.peer)];
        } else {
            each.peer = number_of(argument_of(event, "root_rank"));
            each.sequence = ++sequences[each.group];
        }
        if (const std::string_view how = argument_of(event, "reduce_op"); !how.empty() && how.front() != '<') {
            each.reduction = unquoted(how);
            std::transform(each.reduction.begin(), each.reduction.end(), each.reduction.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
        }
        if (operation != "barrier") {
            for (const ValueId input : given_to(event, operation)) {
                const Value& value = recording.value(input);
                each.dtype = value.dtype;
                each.shapes.push_back(value.shape);
                each.bytes += value.bytes;
            }
        }
        each.event = id;
        each.scope = event.scope;
        each.place = {std::string(event.source_file), event.source_line, 0};
        each.launched = event.start;
        each.error = event.error;
        for (const ValueId output : event.outputs) by_result[output] = all.size();
        all.push_back(std::move(each));
    }
    return all;
}

}  // namespace loupe::session
