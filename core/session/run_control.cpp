// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_control.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/said_phase.h"

namespace loupe::session {
namespace {

bool is_inside(std::string_view scope, std::string_view module) {
    if (module.empty()) return true;
    return scope.starts_with(module) && (scope.size() == module.size() || scope[module.size()] == '.');
}

Said kind_of_breakpoint(const Breakpoint& breakpoint, const StopPoint& point) {
    switch (breakpoint.kind) {
        case Breakpoint::Kind::Node:
            return engine::said("breakpoint %1: node %2", breakpoint.id, point.op);
        case Breakpoint::Kind::OperatorKind:
            return engine::said("breakpoint %1: operator %2", breakpoint.id, point.op);
        case Breakpoint::Kind::Module:
            return engine::said("breakpoint %1: module %2", breakpoint.id, breakpoint.text);
        case Breakpoint::Kind::Line:
            return engine::said("breakpoint %1: %2", breakpoint.id, concat(breakpoint.text, ":", breakpoint.line));
        case Breakpoint::Kind::Phase:
            return engine::said("breakpoint %1: phase", breakpoint.id);
        case Breakpoint::Kind::NanOrInf:
            break;
    }
    return engine::said("breakpoint %1: NaN or Inf", breakpoint.id);
}

Said describe_breakpoint(const Breakpoint& breakpoint, const StopPoint& point) {
    const std::string condition =
        breakpoint.condition.empty() ? std::string() : concat(" (", breakpoint.condition, ")");
    return said_in_row(kind_of_breakpoint(breakpoint, point), condition, " ", said_in_phase(point.phase));
}

Said first_of_text(RunPhase phase) {
    switch (phase) {
        case RunPhase::Forward:
            return engine::said("first of forward");
        case RunPhase::Backward:
            return engine::said("first of backward");
        case RunPhase::Optimizer:
            break;
    }
    return engine::said("first of optimizer");
}

// "NaN made here", "NaN turned here, of an Inf".
Said nan_text(const std::vector<const Value*>& outputs, NotFinite kind) {
    const bool has_nan = std::any_of(outputs.begin(), outputs.end(), [](const Value* value) {
        return value != nullptr && value->statistics && value->statistics->nan_count > 0;
    });
    const std::string what = has_nan ? "NaN" : "Inf";
    return kind == NotFinite::Turned ? engine::said("%1 turned here, of an Inf", what)
                                     : engine::said("%1 made here", what);
}

// Does the operator that ran belong to what the breakpoint is on, or run inside it?
bool contains(const Breakpoint& breakpoint, const StopPoint& point, const Surroundings& surroundings) {
    if (breakpoint.phase && *breakpoint.phase != point.phase) return false;
    switch (breakpoint.kind) {
        case Breakpoint::Kind::Node:
            return breakpoint.graph_node >= 0 &&
                   (breakpoint.graph_node == point.graph_node || surroundings.is_under_node(breakpoint.graph_node));
        case Breakpoint::Kind::OperatorKind:
            return matches_operator(breakpoint.text, point.op);
        case Breakpoint::Kind::Module:
        case Breakpoint::Kind::NanOrInf:
            return is_inside(point.scope, breakpoint.text);
        case Breakpoint::Kind::Line:
            return surroundings.is_under_line(breakpoint.text, breakpoint.line);
        case Breakpoint::Kind::Phase:
            return false;
    }
    return false;
}

// What is known of a point beside itself.
struct Arrival {
    bool phase_began = false;
    std::string_view scope_before;
};

// "name 'd' is not defined", "local variable 'y' referenced before assignment": it may have a value at another time.
bool is_of_missing_name(std::string_view message) {
    for (const std::string_view words : {"is not defined", "before assignment", "not associated with a value"}) {
        if (message.find(words) != std::string_view::npos) return true;
    }
    return false;
}

bool matches(const Breakpoint& breakpoint, const StopPoint& point, const Arrival& arrival) {
    if (breakpoint.phase && *breakpoint.phase != point.phase) return false;
    switch (breakpoint.kind) {
        case Breakpoint::Kind::Node:
            return breakpoint.graph_node >= 0 && breakpoint.graph_node == point.graph_node && !point.is_part;
        case Breakpoint::Kind::OperatorKind:
            return !point.is_call && matches_operator(breakpoint.text, point.op);
        case Breakpoint::Kind::Module:
            if (!is_inside(point.scope, breakpoint.text)) return false;
            return arrival.phase_began || !is_inside(arrival.scope_before, breakpoint.text) ||
                   (point.is_call && point.scope == breakpoint.text);
        case Breakpoint::Kind::Line:
            return point.source_line == breakpoint.line && point.source_file == breakpoint.text && !point.is_call &&
                   !point.is_part;
        case Breakpoint::Kind::Phase:
            return arrival.phase_began;
        case Breakpoint::Kind::NanOrInf:
            return false;
    }
    return false;
}

}  // namespace

void RunControl::take_target() {
    const std::lock_guard lock(mutex_);
    target_ = next_target_;
}

void RunControl::begin_run(bool pause_at_start) {
    const std::lock_guard lock(mutex_);
    if (pause_at_start) target_ = RunTarget::next();
    meeting_.begin_run();
    first_stop_ = 0;
    passes_over_ = false;
    last_phase_.reset();
    last_scope_.clear();
    for (Breakpoint& breakpoint : breakpoints_) breakpoint.hits = 0;
    complained_.clear();
    never_judged_.clear();
    judged_.clear();
}

bool RunControl::wants_to_stop() const {
    const std::lock_guard lock(mutex_);
    return target_.kind != RunTarget::Kind::End ||
           std::any_of(breakpoints_.begin(), breakpoints_.end(),
                       [](const Breakpoint& breakpoint) { return breakpoint.enabled; });
}

bool RunControl::take_stop_order() {
    const std::lock_guard lock(mutex_);
    return std::exchange(target_, RunTarget::end()).kind != RunTarget::Kind::End;
}

std::optional<StopReason> RunControl::check_orders(const StopPoint& point, EventId next) {
    switch (target_.kind) {
        case RunTarget::Kind::End:
        case RunTarget::Kind::Nan:
            return std::nullopt;
        case RunTarget::Kind::Next:
            return StopReason{engine::said("paused"), 0};
        case RunTarget::Kind::Into:
            return StopReason{engine::said("step"), 0};
        case RunTarget::Kind::Over:
            if (point.depth <= from_depth_ || point.phase != from_phase_) return StopReason{engine::said("step"), 0};
            return std::nullopt;
        case RunTarget::Kind::Out:
            if (point.depth < from_depth_ || point.phase != from_phase_) return StopReason{engine::said("step out"), 0};
            return std::nullopt;
        case RunTarget::Kind::Node:
            if (point.graph_node == target_.graph_node && !point.is_part)
                return StopReason{engine::said("run to here"), 0};
            return std::nullopt;
        case RunTarget::Kind::Phase:
            if (point.phase == target_.phase) return StopReason{first_of_text(point.phase), 0};
            return std::nullopt;
        case RunTarget::Kind::Event:
            if (next >= target_.event) return StopReason{engine::said("before event %1", next), 0};
            return std::nullopt;
    }
    return std::nullopt;
}

std::optional<StopReason> RunControl::before(const StopPoint& point, const Surroundings& surroundings, EventId next) {
    std::vector<int> ids;
    const std::optional<StopReason> met = meeting_.pass(point);
    {
        const std::lock_guard lock(mutex_);
        const std::string scope_before = std::exchange(last_scope_, std::string(point.scope));
        const Arrival arrival{last_phase_ != point.phase, scope_before};
        last_phase_ = point.phase;
        for (const Breakpoint& breakpoint : breakpoints_) {
            if (!breakpoint.enabled || !breakpoint.condition.empty()) continue;
            if (breakpoint.kind == Breakpoint::Kind::Line && point.is_in_statement) continue;
            if (matches(breakpoint, point, arrival)) ids.push_back(breakpoint.id);
        }
    }
    passes_over_ = next != 0 && next < first_stop_;
    if (passes_over_) return std::nullopt;
    for (const Judged& judged : judged_at(point, surroundings, false)) {
        if (holds(judged, {}, surroundings)) ids.push_back(judged.breakpoint.id);
    }
    if (auto reason = hit(ids, point)) return reason;
    if (met) return met;
    const std::lock_guard lock(mutex_);
    return check_orders(point, next);
}

bool RunControl::searches_nan() const {
    const std::lock_guard lock(mutex_);
    return target_.kind == RunTarget::Kind::Nan;
}

std::optional<StopReason> RunControl::after(const StopPoint& point, const std::vector<const Value*>& outputs,
                                            NotFinite kind, const Surroundings& surroundings) {
    if (passes_over_) return std::nullopt;
    const bool is_seen = kind != NotFinite::None && kind != NotFinite::Meant;
    std::vector<int> ids;
    for (const Judged& judged : judged_at(point, surroundings, true)) {
        const Breakpoint& breakpoint = judged.breakpoint;
        const bool is_of_numbers = breakpoint.kind == Breakpoint::Kind::NanOrInf;
        // Inside a module every NaN and Inf counts that is not meant, else where it begins.
        if (is_of_numbers && !(breakpoint.text.empty() ? is_origin(kind) : is_seen)) continue;
        bool stops = false;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i] == nullptr) continue;
            const std::string place = concat(breakpoint.id, " ", phase_name(point.phase), " ", point.op, " ",
                                             point.scope, " ", point.source_line, " ", i);
            const auto last = last_shapes_.find(place);
            stops |= holds(judged,
                           {.output = outputs[i], .shape_before = last == last_shapes_.end() ? nullptr : &last->second},
                           surroundings);
            last_shapes_.insert_or_assign(place, outputs[i]->shape);
        }
        if (stops) ids.push_back(breakpoint.id);
    }
    if (auto reason = hit(ids, point,
                          point.scope.empty() ? engine::said(", at %1", point.op)
                                              : engine::said(", at %1 of %2", point.op, point.scope)))
        return reason;
    const std::lock_guard lock(mutex_);
    std::optional<StopReason> reason;
    if (target_.kind == RunTarget::Kind::Nan && is_origin(kind)) reason = StopReason{nan_text(outputs, kind), 0};
    return reason;
}

bool RunControl::reads_outputs() const {
    const std::lock_guard lock(mutex_);
    return target_.kind == RunTarget::Kind::Nan || std::ranges::any_of(breakpoints_, [](const Breakpoint& breakpoint) {
               return breakpoint.enabled &&
                      (!breakpoint.condition.empty() || breakpoint.kind == Breakpoint::Kind::NanOrInf);
           });
}

// Those whose conditions are to be judged here: over variables alone when their line is about to run, others behind
// each operator.
std::vector<RunControl::Judged> RunControl::judged_at(const StopPoint& point, const Surroundings& surroundings,
                                                      bool is_after) {
    std::vector<Judged> out;
    const std::lock_guard lock(mutex_);
    for (const Breakpoint& breakpoint : breakpoints_) {
        const bool is_of_numbers = breakpoint.kind == Breakpoint::Kind::NanOrInf;
        if (!breakpoint.enabled || (breakpoint.condition.empty() && !is_of_numbers)) continue;
        const Condition& condition = condition_of(breakpoint);
        const bool waits_for_output =
            condition.needs_output() || is_of_numbers || breakpoint.kind != Breakpoint::Kind::Line;
        if (waits_for_output != is_after) continue;
        if (is_after ? contains(breakpoint, point, surroundings) : point.is_statement && matches(breakpoint, point, {}))
            out.push_back({breakpoint, condition});
    }
    return out;
}

bool RunControl::holds(const Judged& judged, ConditionFacts facts, const Surroundings& surroundings) {
    const Breakpoint& breakpoint = judged.breakpoint;
    facts.holds = [&](const std::string& expression) {
        return surroundings.holds_at_line(breakpoint.text, breakpoint.line, expression);
    };
    try {
        const bool holds = judged.condition.holds(facts);
        judged_.insert(breakpoint.id);
        return holds;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        if (is_of_missing_name(error.message())) {
            never_judged_.emplace(breakpoint.id, error.message());  // it may be given a value later
            return false;
        }
        if (complain_ && complained_.insert(concat(breakpoint.id, " ", error.message())).second)
            complain_(breakpoint, error.message());
        return false;
    }
}

void RunControl::end_run() {
    for (const Breakpoint& breakpoint : breakpoints()) {
        const auto missing = never_judged_.find(breakpoint.id);
        if (!complain_ || missing == never_judged_.end() || judged_.contains(breakpoint.id)) continue;
        complain_(breakpoint, engine::said("it could not be evaluated once in this run: %1", missing->second));
    }
    never_judged_.clear();
}

// Counts the hits of these; the first that is not to be passed over is the reason to stop.
std::optional<StopReason> RunControl::hit(const std::vector<int>& ids, const StopPoint& point, const Said& place) {
    if (ids.empty()) return std::nullopt;
    std::optional<StopReason> reason;
    const std::lock_guard lock(mutex_);
    for (Breakpoint& breakpoint : breakpoints_) {
        if (std::find(ids.begin(), ids.end(), breakpoint.id) == ids.end() ||
            ++breakpoint.hits <= breakpoint.ignore_first)
            continue;
        if (reason) continue;
        reason = StopReason{describe_breakpoint(breakpoint, point), breakpoint.id};
        if (!breakpoint.condition.empty()) reason->text += place;
    }
    return reason;
}

// mutex_ is held.
const Condition& RunControl::condition_of(const Breakpoint& breakpoint) {
    const auto found = conditions_.find(breakpoint.condition);
    return found != conditions_.end()
               ? found->second
               : conditions_.emplace(breakpoint.condition, Condition(breakpoint.condition)).first->second;
}

void RunControl::parked_at(const StopPoint& point) {
    meeting_.parked();
    const std::lock_guard lock(mutex_);
    from_depth_ = point.depth;
    from_phase_ = point.phase;
    target_ = RunTarget::end();
}

void RunControl::order(const RunTarget& target) {
    const std::lock_guard lock(mutex_);
    target_ = target;
    next_target_ = target;
}

void RunControl::order_next_run(const RunTarget& target) {
    const std::lock_guard lock(mutex_);
    next_target_ = target;
}

int RunControl::add(Breakpoint breakpoint) {
    const std::lock_guard lock(mutex_);
    condition_of(breakpoint);
    breakpoint.id = next_id_++;
    breakpoints_.push_back(breakpoint);
    return breakpoint.id;
}

void RunControl::put(Breakpoint breakpoint) {
    const std::lock_guard lock(mutex_);
    condition_of(breakpoint);
    next_id_ = std::max(next_id_, breakpoint.id + 1);
    breakpoints_.push_back(std::move(breakpoint));
}

int RunControl::id_for(const Breakpoint& breakpoint) {
    const std::lock_guard lock(mutex_);
    condition_of(breakpoint);
    return next_id_++;
}

void RunControl::update(const Breakpoint& breakpoint) {
    const std::lock_guard lock(mutex_);
    condition_of(breakpoint);
    for (Breakpoint& mine : breakpoints_) {
        if (mine.id != breakpoint.id) continue;
        const int hits = mine.hits;
        mine = breakpoint;
        mine.hits = hits;
    }
}

void RunControl::remove(int id) {
    const std::lock_guard lock(mutex_);
    std::erase_if(breakpoints_, [id](const Breakpoint& breakpoint) { return breakpoint.id == id; });
}

void RunControl::replace(std::vector<Breakpoint> breakpoints) {
    const std::lock_guard lock(mutex_);
    for (const Breakpoint& breakpoint : breakpoints) condition_of(breakpoint);
    breakpoints_ = std::move(breakpoints);
}

std::vector<Breakpoint> RunControl::breakpoints() const {
    const std::lock_guard lock(mutex_);
    return breakpoints_;
}

std::vector<int> RunControl::missed_breakpoints() const {
    const std::lock_guard lock(mutex_);
    std::vector<int> ids;
    for (const Breakpoint& breakpoint : breakpoints_) {
        if (breakpoint.enabled && breakpoint.hits == 0) ids.push_back(breakpoint.id);
    }
    return ids;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool matches_operator(std::string_view pattern, std::string_view op) {
    if (matches_glob(pattern, op)) return true;
    const auto colon = op.rfind("::");
    return colon != std::string_view::npos && matches_glob(pattern, op.substr(colon + 2));
}

}  // namespace loupe::session
