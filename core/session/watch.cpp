// SPDX-License-Identifier: Apache-2.0
#include "core/session/watch.h"

#include <optional>

#include "core/base/strings.h"
#include "core/session/run_control.h"

namespace loupe::session {
namespace {

struct Query {
    std::string subject;
    bool is_input = false;
    bool is_output = false;
    bool is_gradient = false;
    std::size_t index = 0;
    std::string field;
};

// Takes ".word" off the end of text when it is there.
bool take_suffix(std::string& text, std::string_view word) {
    if (text.size() <= word.size() || !std::string_view(text).ends_with(word)) return false;
    if (text[text.size() - word.size() - 1] != '.') return false;
    text.resize(text.size() - word.size() - 1);
    return true;
}

Query parse_query(std::string text) {
    Query query;
    for (const char* field : {"absmax", "absmean", "mean", "min", "max", "std", "var", "norm", "nan", "inf", "zero", "count", "bytes"}) {
        if (take_suffix(text, field)) {
            query.field = field;
            break;
        }
    }
    if (text.ends_with(']')) {
        if (const auto open = text.rfind('['); open != std::string::npos) {
            query.index = static_cast<std::size_t>(std::strtoull(text.c_str() + open + 1, nullptr, 10));
            text.resize(open);
        }
    }
    if (take_suffix(text, "grad")) query.is_gradient = true;
    if (take_suffix(text, "out")) query.is_output = true;
    else if (take_suffix(text, "in")) query.is_input = true;
    query.subject = std::move(text);
    return query;
}

bool is_inside(std::string_view scope, std::string_view module) {
    return scope == module || (scope.starts_with(module) && scope.size() > module.size() && scope[module.size()] == '.');
}

// The last value of that name that was there at the event.
std::optional<ValueId> find_named(const Recording& recording, const Query& query, EventId at) {
    const std::string name = query.is_gradient ? concat("grad of ", query.subject) : query.subject;
    for (ValueId id = static_cast<ValueId>(recording.value_count()); id > 0; --id) {
        const Value& value = recording.value(id);
        if (value.producer <= at && value.name == name) return id;
    }
    return std::nullopt;
}

std::optional<ValueId> find_of_module(const Recording& recording, const Query& query, EventId at) {
    const RunPhase phase = query.is_gradient ? RunPhase::Backward : RunPhase::Forward;
    std::optional<ValueId> first;
    for (EventId id = at; id > 0; --id) {
        const Event& event = recording.event(id);
        if (event.phase != phase || !is_inside(event.scope, query.subject)) {
            if (first) break;  // before the module's last call began
            continue;
        }
        // The gradient of a module's output comes in with its first backward event; its input with its first event.
        const bool wants_first = query.is_input != query.is_gradient;
        const auto& values = query.is_input || query.is_gradient ? event.inputs : event.outputs;
        if (query.index < values.size()) first = values[query.index];
        if (!wants_first && first) break;
    }
    return first;
}

}  // namespace

std::string evaluate_watch(const Recording& recording, const std::string& expression, EventId at) {
    const Query query = parse_query(expression);
    if (at == 0 || at > recording.event_count()) at = static_cast<EventId>(recording.event_count());
    std::optional<ValueId> id;
    if (!query.is_input && !query.is_output) id = find_named(recording, query, at);
    if (!id) id = find_of_module(recording, query, at);
    if (!id) return concat("nothing is known of '", query.subject, "' at event ", at);
    const Value& value = recording.value(*id);
    if (query.field.empty()) return concat(value.dtype, " ", shape_text(value.shape));
    if (query.field != "bytes" && !value.statistics) return "no statistics were recorded";
    const auto number = value_field(value, query.field);
    const bool is_count = query.field == "bytes" || query.field == "count" || query.field == "nan" || query.field == "inf" || query.field == "zero";
    const std::string share = is_count ? std::string() : finite_share_text(*value.statistics);
    if (!number) return share;
    return share.empty() ? concat(*number) : concat(*number, ", ", share);
}

}  // namespace loupe::session
