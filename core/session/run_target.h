// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far a run is to go: values only.

#include "core/base/fields.h"
#include "core/record/recording.h"
#include "core/session/breakpoint.h"

namespace loupe::session {

struct RunTarget {
    // End: no further than breakpoints let it. Next: the next point of all. Over, Into and Out: from where it is
    // parked. Nan: an operator that makes a NaN or Inf, or turns an Inf into NaN; not one that passes it on or means
    // it.
    enum class Kind { End, Next, Over, Into, Out, Node, Phase, Nan, Event };
    Kind kind = Kind::End;
    int graph_node = -1;                 // Node: before it
    RunPhase phase = RunPhase::Forward;  // Phase: before its first operator
    EventId event = 0;                   // Event: before the event of that number

    static RunTarget end() { return {}; }
    static RunTarget next() { return {.kind = Kind::Next}; }
    static RunTarget step(StepKind kind) {
        return {.kind = kind == StepKind::Over ? Kind::Over : kind == StepKind::Into ? Kind::Into : Kind::Out};
    }
    static RunTarget node(int graph_node) { return {.kind = Kind::Node, .graph_node = graph_node}; }
    static RunTarget first_of(RunPhase phase) { return {.kind = Kind::Phase, .phase = phase}; }
    static RunTarget nan() { return {.kind = Kind::Nan}; }
    static RunTarget before_event(EventId event) { return {.kind = Kind::Event, .event = event}; }

    bool is_step() const { return kind == Kind::Over || kind == Kind::Into || kind == Kind::Out; }
};
constexpr RunTarget::Kind last_of(RunTarget::Kind) { return RunTarget::Kind::Event; }
auto fields(Like<RunTarget> auto& it) { return std::tie(it.kind, it.graph_node, it.phase, it.event); }

}  // namespace loupe::session
