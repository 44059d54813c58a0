// SPDX-License-Identifier: Apache-2.0
#include "core/study/named_value.h"

#include <charconv>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

// Takes ".word" off the end of text when it is there.
bool take_suffix(std::string& text, std::string_view word) {
    if (text == word) {
        text.clear();
        return true;
    }
    if (text.size() <= word.size() || !std::string_view(text).ends_with(word)) return false;
    if (text[text.size() - word.size() - 1] != '.') return false;
    text.resize(text.size() - word.size() - 1);
    return true;
}

bool is_inside(std::string_view scope, std::string_view module) {
    return module.empty() || scope == module ||
           (scope.starts_with(module) && scope.size() > module.size() && scope[module.size()] == '.');
}

// The last value of that name that was there at the event.
std::optional<ValueId> find_named(const Recording& recording, const NamedValue& named, EventId at) {
    const std::string name = named.is_gradient ? concat("grad of ", named.subject) : named.subject;
    if (name.empty()) return std::nullopt;
    for (auto id = static_cast<ValueId>(recording.value_count()); id > 0; --id) {
        const Value& value = recording.value(id);
        if (value.producer <= at && value.name == name) return id;
    }
    return std::nullopt;
}

std::optional<ValueId> find_of_module(const Recording& recording, const NamedValue& named, EventId at) {
    const RunPhase phase = named.is_gradient ? RunPhase::Backward : RunPhase::Forward;
    std::optional<ValueId> first;
    for (EventId id = at; id > 0; --id) {
        const Event& event = recording.event(id);
        if (event.phase != phase || !is_inside(event.scope, named.subject)) {
            if (first) break;  // before the module's last call began
            continue;
        }
        // The gradient of a module's output comes in with its first backward event; its input with its first event.
        const bool wants_first = named.is_input != named.is_gradient;
        const auto& values = named.is_input || named.is_gradient ? event.inputs : event.outputs;
        if (named.index < values.size()) first = values[named.index];
        if (!wants_first && first) break;
    }
    return first;
}

}  // namespace

NamedValue parse_named_value(std::string text) {
    NamedValue named;
    if (take_suffix(text, "grad")) named.is_gradient = true;
    if (text == "out0") text = "out";  // as --outputs writes it
    if (take_suffix(text, "out"))
        named.is_output = true;
    else if (take_suffix(text, "in"))
        named.is_input = true;
    named.subject = std::move(text);
    return named;
}

std::optional<ValueId> find_value(const Recording& recording, const NamedValue& named, EventId at) {
    std::optional<ValueId> id;
    if (!named.is_input && !named.is_output) id = find_named(recording, named, at);
    return id ? id : find_of_module(recording, named, at);
}

NamedElement parse_named_element(std::string_view text) {
    const auto fail = [&](std::string_view why) {
        throw Error(
            ErrorKind::Usage, concat("'", text, "': ", why),
            {.hint = "name a value and an index of each of its dimensions: fc.out[0, 3], fc.weight.grad[3, 0]"});
    };
    NamedElement out;
    const auto open = text.rfind('[');
    if (!text.ends_with(']') || open == std::string_view::npos || open == 0) {
        out.value = std::string(text);
        return out;
    }
    out.value = std::string(text.substr(0, open));
    std::string_view left = text.substr(open + 1, text.size() - open - 2);
    while (!left.empty()) {
        const std::size_t comma = std::min(left.find(','), left.size());
        std::string_view part = left.substr(0, comma);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        std::int64_t number = 0;
        const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (failed != std::errc() || end != part.data() + part.size()) fail(concat("'", part, "' is no index"));
        out.index.push_back(number);
        left.remove_prefix(std::min(comma + 1, left.size()));
    }
    return out;
}

}  // namespace loupe::session
