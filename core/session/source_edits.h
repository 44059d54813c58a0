// SPDX-License-Identifier: Apache-2.0
#pragma once
// Edit and continue. Used on the engine thread alone.
//
// A run cannot be cut in the middle: autograd's graph, hooks and the program's own objects have no copy of a moment.
// So the run that continues is the old one made again: modules, random numbers and arguments are what they were when it
// began, functions that nothing changed give the same events under the same numbers, without a stop, up to where the
// edit counts. What came out before that is held against the recording, and the log says how that ended and how long
// it took. The program is not loaded again: its modules, parameters and the state of an optimizer are the same objects.
//
// 1. The edited text is parsed, and compared with the one that runs, function by function
// (python/language/source_edit).
// 2. The calls of the run (python/language/call_record) tell what ran before: the edit is refused, with the reason, or
//    the outermost live frame of what changed is where the run continues; with none, where it was parked.
// 3. The old run is pinned if asked for, the edited text takes the place of the other, and the run is ordered.

#include "core/session/continued_edit.h"
#include "core/session/model_holder.h"
#include "core/session/publisher.h"
#include "core/session/references.h"
#include "core/session/run_control.h"
#include "core/session/run_driver.h"
#include "core/session/run_recorder.h"
#include "core/session/work_queue.h"

namespace loupe::session {

class SourceEdits {
  public:
    SourceEdits(Publisher& publisher, WorkQueue& queue, RunControl& control, ModelHolder& model, RunRecorder& recorder,
                RunDriver& runs, References& references)
        : publisher_(publisher),
          queue_(queue),
          control_(control),
          model_(model),
          recorder_(recorder),
          runs_(runs),
          references_(references) {}

    // Answers at once; the run is ordered then. Throws Error where the answer's `error` says all; see the request.
    ContinuedEdit continue_with(const EditRequest& request);

  private:
    void require_run(const EditRequest& request) const;
    void order(const RunTarget& target, RepeatedRun repeated);

    Publisher& publisher_;
    WorkQueue& queue_;
    RunControl& control_;
    ModelHolder& model_;
    RunRecorder& recorder_;
    RunDriver& runs_;
    References& references_;
};

}  // namespace loupe::session
