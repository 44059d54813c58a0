// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a session is doing, and how far it is: values only.

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/fields.h"
#include "core/base/said.h"
#include "core/model/model_info.h"
#include "core/record/recording.h"

namespace loupe::session {

struct Verdict;  // see verdict.h

enum class RunState { Empty, Opening, Ready, Running, Paused, Finished, Failed };
constexpr RunState last_of(RunState) { return RunState::Failed; }

// Everything a caller needs to draw buttons and marks.
struct Status {
    RunState state = RunState::Empty;
    EventId reached = 0;  // last event that ran
    int next_node = -1;   // graph node the engine is parked before
    std::string next_op;
    std::string next_scope;
    SourcePlace next_source;  // of the statement of a model source that it is parked before; else empty
    RunPhase phase = RunPhase::Forward;
    int stopped_at_breakpoint = 0;  // its id; 0 when it stopped for another reason
    Said why;                       // "breakpoint 2: module layer2 in backward", "step", "paused", "error"
    Said error;                     // one line
    std::string details;            // where error is the first of several lines: all of them, the source underlined
    SourcePlace error_source;       // where it happened, as far as that is known
    bool is_restored = false;       // the run that is shown is of a session before
    Said progress;                  // "reading weights"
    double fraction = -1;           // of the work under way; negative: unknown
    bool is_training = false;       // what runs, or is parked, is a step of a training
    // Of the training: the step that it is parked inside; else the last that is done.
    std::int64_t training_step = 0;
    // Not 0: the training ended at this step, and one of its steps was run again: the model is as it was there.
    std::int64_t training_end = 0;
    std::shared_ptr<const Verdict>
        verdict;  // what a run came to, or why an event that it is parked behind made a NaN or Inf
};
auto fields(Like<Status> auto& it) {
    return std::tie(it.state, it.reached, it.next_node, it.next_op, it.next_scope, it.next_source, it.phase,
                    it.stopped_at_breakpoint, it.why, it.error, it.details, it.error_source, it.is_restored,
                    it.progress, it.fraction, it.is_training, it.training_step, it.training_end, it.verdict);
}

}  // namespace loupe::session
