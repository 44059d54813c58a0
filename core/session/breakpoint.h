// SPDX-License-Identifier: Apache-2.0
#pragma once
// Places where a run stops, as callers set them: values only.

#include <optional>
#include <string>

#include "core/base/fields.h"
#include "core/record/recording.h"

namespace loupe::session {

enum class StepKind { Over, Into, Out };
constexpr StepKind last_of(StepKind) { return StepKind::Out; }

struct Breakpoint {
    enum class Kind { Node, OperatorKind, Module, Line, Phase, NanOrInf };
    int id = 0;  // given by the session
    Kind kind = Kind::Node;
    int graph_node = -1;  // Node
    // OperatorKind: "aten::conv2d", "conv*"; Module: a path; Line: the file; Node: what it was on while that is in no
    // graph. NanOrInf: the module in which any stops that is not meant; empty: where one is made or turned, anywhere.
    std::string text;
    int line = 0;
    // Only in this phase; nullopt: in any. Kind Phase stops at its first event.
    std::optional<RunPhase> phase;
    std::string
        condition;  // "", "nan", "absmax > 10", "bytes > 1e6": on an output of the operator, so it stops after it
    int ignore_first = 0;  // hits to pass over
    bool enabled = true;
    int hits = 0;  // kept by the session
};
constexpr Breakpoint::Kind last_of(Breakpoint::Kind) { return Breakpoint::Kind::NanOrInf; }
auto fields(Like<Breakpoint> auto& it) {
    return std::tie(it.id, it.kind, it.graph_node, it.text, it.line, it.phase, it.condition, it.ignore_first,
                    it.enabled, it.hits);
}

}  // namespace loupe::session
