// SPDX-License-Identifier: Apache-2.0
#pragma once
// The run that a session shows, and what it takes to repeat it. The engine thread's.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/recorder.h"
#include "core/record/recording_file.h"
#include "core/record/replay.h"
#include "core/record/run_options.h"
#include "core/study/measure_what_if.h"

namespace loupe::session {

struct ShownRun {
    std::shared_ptr<Recorder> recorder;  // null: nothing was recorded since the model was opened
    bool failed = false;                 // it ended in an error, and nothing was opened since
    std::shared_ptr<const PreparedMethod> method;
    std::unique_ptr<const RunStart> start;
    RunBody body;
    std::unique_ptr<const BackwardSource> backward_source;  // null: forward alone
    std::optional<MeasuredRun> step_to_measure;             // when the recording is of a step of a training
    std::shared_ptr<RecordingFile> restored;                // the last run of the model, from a session before
    std::vector<IValue> arguments;
    std::vector<std::int64_t> held_ids;  // tokens whose keys and values the run was given in a cache
    bool is_given = false;               // its arguments are not made of the inputs of `ran`
    RunOptions ran;

    // Null: there is none.
    std::shared_ptr<const Recording> recording() const {
        if (recorder != nullptr) return recorder->recording();
        return restored != nullptr ? restored->recording() : nullptr;
    }
};

}  // namespace loupe::session
