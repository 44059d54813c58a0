// SPDX-License-Identifier: Apache-2.0
#include "core/record/not_finite.h"

#include <algorithm>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

Holding holding_of(const Recording& recording, const Value& value) {
    Holding held;
    if (!value.statistics) return held;
    held.has_nan = value.statistics->nan_count > 0;
    held.has_inf = value.statistics->inf_count > 0;
    if (!held.has_inf) return held;
    if (value.producer != 0) held.is_meant = recording.event(value.producer).not_finite == NotFinite::Meant;
    // Before the run: parameters that learn are never meant to be infinite.
    else
        held.is_meant = !held.has_nan && !value.requires_grad;
    return held;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The first with NaN, else the first with Inf; 0.
ValueId bad_of(const Recording& recording, const std::vector<ValueId>& values) {
    ValueId inf = 0;
    for (const ValueId id : values) {
        const Value& value = recording.value(id);
        if (!is_bad(value)) continue;
        if (value.statistics->nan_count > 0) return id;
        if (inf == 0) inf = id;
    }
    return inf;
}

// What a backward event may have read: gradients, then what its forward event read and made.
std::vector<ValueId> sources_of(const Recording& recording, const Event& event) {
    std::vector<ValueId> all = event.inputs;
    if (event.phase != RunPhase::Backward || event.peer == 0 || event.peer > recording.event_count()) return all;
    const Event& forward = recording.event(event.peer);
    all.insert(all.end(), forward.outputs.begin(), forward.outputs.end());
    all.insert(all.end(), forward.inputs.begin(), forward.inputs.end());
    return all;
}

// The value that an event has its NaN (or, without one, its Inf) from; 0 when none is known.
ValueId source_value(const Recording& recording, const Event& event) {
    const bool wants_nan = event.has_nan && event.not_finite == NotFinite::PassedOn;
    ValueId meant = 0;
    ValueId inf = 0;
    for (const ValueId id : sources_of(recording, event)) {
        if (id == 0 || id > recording.value_count()) continue;
        const Value& value = recording.value(id);
        if (!is_bad(value) || value.producer >= event.id) continue;
        if (wants_nan && value.statistics->nan_count > 0) return id;
        const bool is_meant = holding_of(recording, value).is_meant && value.statistics->nan_count == 0;
        ValueId& kept = is_meant ? meant : inf;
        if (kept == 0) kept = id;
    }
    return inf != 0 ? inf : meant;
}

// Several gradients of one value are added where no event is: a gradient that no event made is the sum of those that
// were given for what the forward event made. The first of them that is not finite; 0.
ValueId accumulated_part(const Recording& recording, const Event& event, ValueId sum) {
    const Value& whole = recording.value(sum);
    const bool is_gradient = whole.producer == 0 && event.phase == RunPhase::Backward && event.peer != 0 &&
                             event.peer < event.id &&
                             std::find(event.inputs.begin(), event.inputs.end(), sum) != event.inputs.end();
    if (!is_gradient) return 0;
    const auto& made = recording.event(event.peer).outputs;
    ValueId inf = 0;
    for (EventId id = event.peer + 1; id < event.id; ++id) {
        const Event& before = recording.event(id);
        if (before.phase != RunPhase::Backward) continue;
        for (const ValueId output : before.outputs) {
            const Value& value = recording.value(output);
            const bool is_part = value.producer == id && value.gradient_of != 0 &&
                                 std::find(made.begin(), made.end(), value.gradient_of) != made.end();
            if (!is_part || !is_bad(value)) continue;
            if (value.statistics->nan_count > 0) return output;
            if (inf == 0) inf = output;
        }
    }
    return inf;
}

Said step_text(const Recording& recording, const OriginStep& step) {
    if (step.event == 0) {
        const std::string& name = recording.value(step.value).name;
        return name.empty() ? engine::said("a constant, which held it before the run")
                            : engine::said("%1, which held it before the run", name);
    }
    const Event& event = recording.event(step.event);
    Said text = concat("#", event.id, " ", short_operator_name(event.op));
    if (!event.scope.empty()) text += engine::said(" in %1", event.scope);
    return text;
}

}  // namespace

void Holding::add(const Holding& other) {
    has_nan |= other.has_nan;
    has_inf |= other.has_inf;
    if (other.has_inf) is_meant &= other.is_meant;
}

std::string_view short_operator_name(std::string_view op) {
    const auto colons = op.rfind("::");
    return colons == std::string_view::npos ? op : op.substr(colons + 2);
}

bool is_bad(const Value& value) { return value.statistics && value.statistics->has_nan_or_inf(); }

ValueId bad_output(const Recording& recording, const Event& event) { return bad_of(recording, event.outputs); }

NotFinite classify(const NumberFlow& flow) {
    const Holding& in = flow.in;
    const Holding& out = flow.out;
    if (out.is_finite()) return NotFinite::None;
    const bool passes_nan = out.has_nan && in.has_nan;
    if (out.has_nan && !in.has_nan && flow.has_nan_constant) return NotFinite::Meant;
    if (flow.has_infinite_constant && !passes_nan) {
        if (out.has_nan) return NotFinite::Turned;
        return in.has_inf && !in.is_meant ? NotFinite::PassedOn : NotFinite::Meant;
    }
    if (in.is_finite() || (flow.elements && flow.elements->makes)) return NotFinite::Made;
    if (out.has_nan && (!in.has_nan || (flow.elements && flow.elements->turns))) return NotFinite::Turned;
    if (!out.has_nan && !in.has_inf) return NotFinite::Made;
    return !out.has_nan && in.is_meant ? NotFinite::Meant : NotFinite::PassedOn;
}

bool names_constant(const Event& event, std::string_view word) {
    for (const std::string& argument : event.arguments) {
        const auto equals = argument.find('=');
        // Text in quotes is no number.
        if (equals == std::string::npos || argument.find_first_of("'\"", equals) != std::string::npos) continue;
        for (auto at = argument.find(word, equals); at != std::string::npos; at = argument.find(word, at + 1)) {
            const auto end = at + word.size();
            if (!is_letter(argument[at - 1]) && (end == argument.size() || !is_letter(argument[end]))) return true;
        }
    }
    return false;
}

NotFinite classify_recorded(const Recording& recording, const Event& event) {
    NumberFlow flow;
    for (const ValueId id : event.outputs) {
        const auto& statistics = recording.value(id).statistics;
        if (statistics) flow.out.add({statistics->nan_count > 0, statistics->inf_count > 0, false});
    }
    for (const ValueId id : sources_of(recording, event)) {
        if (id != 0 && recording.value(id).producer < event.id) flow.in.add(holding_of(recording, recording.value(id)));
    }
    flow.has_infinite_constant = names_constant(event, "inf");
    flow.has_nan_constant = names_constant(event, "nan");
    return classify(flow);
}

ValueId first_of_way(const Recording& recording, EventId from) {
    if (from == 0 || from > recording.event_count()) return 0;
    const Event& first = recording.event(from);
    // One without outputs accumulates a gradient.
    return first.outputs.empty() ? bad_of(recording, first.inputs) : bad_output(recording, first);
}

std::vector<OriginStep> trace_origin(const Recording& recording, EventId from) {
    std::vector<OriginStep> way;
    ValueId value = first_of_way(recording, from);
    for (EventId id = from; value != 0;) {
        way.push_back({id, value});
        if (id == 0) break;
        const Event& event = recording.event(id);
        if (event.outputs.empty()) {  // it only reads
            const EventId producer = recording.value(value).producer;
            if (producer >= id) break;
            id = producer;
            continue;
        }
        const bool is_end = event.not_finite == NotFinite::Made || event.not_finite == NotFinite::None ||
                            (event.not_finite == NotFinite::Turned && id != from);
        if (is_end) break;
        value = source_value(recording, event);
        if (value == 0) break;
        if (const ValueId part = accumulated_part(recording, event, value); part != 0) value = part;
        id = recording.value(value).producer;
    }
    return way;
}

Said origin_text(const Recording& recording, const std::vector<OriginStep>& way) {
    constexpr std::size_t kShown = 12;
    Said text;
    for (std::size_t i = 0; i < way.size(); ++i) {
        const bool is_left_out = way.size() > kShown && i >= kShown / 2 && i < way.size() - kShown / 2;
        if (is_left_out) {
            if (i == kShown / 2) text += engine::said(" \u2190 %1 more", way.size() - kShown);
            continue;
        }
        text = said_in_row(text, i > 0 ? " \u2190 " : "", step_text(recording, way[i]));
    }
    if (way.empty() || way.back().event == 0) return text;
    const NotFinite kind = recording.event(way.back().event).not_finite;
    return kind == NotFinite::None ? text : said_in_row(text, " (", engine::listed(not_finite_name(kind)), ")");
}

}  // namespace loupe::session
