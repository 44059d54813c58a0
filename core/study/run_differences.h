// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two runs held against each other, event by event, module by module and parameter by parameter: values only.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/study/align_runs.h"
#include "core/study/compared_run.h"
#include "core/study/difference.h"

namespace loupe::session {

struct CompareOptions {
    std::optional<double> rtol;  // not given: by the dtypes, see tolerance_of
    std::optional<double> atol;
    std::vector<AlignmentMend> mends;
};
auto fields(Like<CompareOptions> auto& it) { return std::tie(it.rtol, it.atol, it.mends); }

// An event of one run and its partner; one of the two may be 0: only the other run has it.
struct EventDifference {
    EventId here = 0;
    EventId there = 0;
    int output = 0;                     // the numbers are of this output: the one that differs most
    std::optional<Difference> numbers;  // nullopt: nothing was compared
    Said why;                           // why not, or why it diverges all the same: "shape 1x8, there 2x8"
    bool diverges = false;
};
auto fields(Like<EventDifference> auto& it) {
    return std::tie(it.here, it.there, it.output, it.numbers, it.why, it.diverges);
}

// An event of the reference, as panels show it.
struct ReferenceEvent {
    RunPhase phase = RunPhase::Forward;
    std::string op;
    std::string scope;
    Shape shape;  // of the first output
    std::string dtype;
    double start = 0;        // seconds
    double seconds = 0;      // of warm runs where it has them
    std::int64_t bytes = 0;  // of all outputs
    std::int64_t memory_after = 0;
    int graph_node = -1;  // in the reference's graph
    SourcePlace source;
};
auto fields(Like<ReferenceEvent> auto& it) {
    return std::tie(it.phase, it.op, it.scope, it.shape, it.dtype, it.start, it.seconds, it.bytes, it.memory_after,
                    it.graph_node, it.source);
}

// What there is of a thing in two runs.
enum class Presence : std::uint8_t { Both, OnlyHere, OnlyThere };
constexpr Presence last_of(Presence) { return Presence::OnlyThere; }

struct ParameterDifference {
    std::string here;  // name
    std::string there;
    Presence presence = Presence::Both;
    std::optional<Difference> numbers;
    Said why;
    std::optional<Difference> gradient;
    std::optional<GradientRow> gradient_there;  // of the reference's parameter
};
auto fields(Like<ParameterDifference> auto& it) {
    return std::tie(it.here, it.there, it.presence, it.numbers, it.why, it.gradient, it.gradient_there);
}

struct ModuleDifference {
    std::string here;  // path
    std::string there;
    std::string class_name;
    Presence presence = Presence::Both;
    bool has_events = false;             // of its own, in forward
    bool changed = false;                // events in it were inserted, removed or replaced by another operator
    bool diverges = false;               // something in it does, in forward
    bool backward_diverges = false;      // or in backward
    EventId output = 0;                  // the last compared event in it, in forward
    std::optional<Difference> numbers;   // of that
    std::optional<Difference> backward;  // of the last compared event of it in backward: the gradient that leaves it
    EventId worst = 0;                   // the compared event in it with the least signal to noise
    double worst_snr = 0;                // dB; infinity: nothing differs
    double seconds_here = 0;             // of all its events, in all phases
    double seconds_there = 0;
    std::int64_t bytes_here = 0;  // of all outputs of its events
    std::int64_t bytes_there = 0;
    bool differs() const { return diverges || backward_diverges; }
};
auto fields(Like<ModuleDifference> auto& it) {
    return std::tie(it.here, it.there, it.class_name, it.presence, it.has_events, it.changed, it.diverges,
                    it.backward_diverges, it.output, it.numbers, it.backward, it.worst, it.worst_snr, it.seconds_here,
                    it.seconds_there, it.bytes_here, it.bytes_there);
}

struct Divergence {
    EventId here = 0;
    EventId there = 0;
    int output = 0;  // that one of the event's
    Said text;       // "net.2, aten::linear #3: max abs 2.5e-01, relative 3.1e+00, 12.1 dB"
};
auto fields(Like<Divergence> auto& it) { return std::tie(it.here, it.there, it.output, it.text); }

struct RunDifferences {
    std::string error;                             // not empty: nothing else is valid
    int reference = 0;                             // its number
    std::string label;                             // of the reference
    std::vector<EventDifference> events;           // in the order of both runs
    std::vector<ReferenceEvent> reference_events;  // by its events, the first at 0
    std::vector<ModuleDifference> modules;         // in own order, then those of the reference alone
    std::vector<ParameterDifference> parameters;
    std::optional<Divergence> forward;  // the first
    std::optional<Divergence> backward;
    std::int64_t aligned = 0;
    std::int64_t compared = 0;
    std::int64_t diverging = 0;
    std::int64_t only_here = 0;
    std::int64_t only_there = 0;
    double seconds_here = 0;
    double seconds_there = 0;
    bool is_warm_here = false;  // these seconds are of warm runs; of a first run they say little
    bool is_warm_there = false;
    std::int64_t peak_here = 0;
    std::int64_t peak_there = 0;
    bool are_complete = true;  // both runs came to their end
    std::vector<Said> notes;

    bool diverges() const { return forward.has_value() || backward.has_value(); }
    // The times of both runs can be held against each other.
    bool has_times() const { return is_warm_here && is_warm_there; }
    // Without a line's end: "first divergence: ..." or that there is none.
    Said headline() const;
};
auto fields(Like<RunDifferences> auto& it) {
    return std::tie(it.error, it.reference, it.label, it.events, it.reference_events, it.modules, it.parameters,
                    it.forward, it.backward, it.aligned, it.compared, it.diverging, it.only_here, it.only_there,
                    it.seconds_here, it.seconds_there, it.is_warm_here, it.is_warm_there, it.peak_here, it.peak_there,
                    it.are_complete, it.notes);
}

// Where an aligned pair diverges and what stands unpaired behind it on one side does not, that is its partner: a fused
// operator gives what the last of its parts gave. alignment: as it was used, where it is wanted. Throws Error
// (Cancelled), and what reading elements throws.
RunDifferences compare_runs_by_value(const ComparedRun& own, const ComparedRun& reference,
                                     const CompareOptions& options, RunAlignment* alignment = nullptr);

}  // namespace loupe::session
