// SPDX-License-Identifier: Apache-2.0
#pragma once
// Having values back that a recording had to drop: the run is repeated from what it began with, as far as they need.

#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/model/program.h"
#include "core/nn/module.h"
#include "core/ops/random/generator.h"
#include "core/record/recorder.h"

namespace loupe::session {

// What a run begins with, but for elements: those the recording keeps. Made when the arguments are there and the random
// generator is seeded.
class RunStart {
  public:
    // schema: what the arguments are called.
    RunStart(nn::Module& module, const std::vector<IValue>& arguments, FunctionSchema schema);

  private:
    friend class Replay;
    friend void rewind_run(const RunStart& start, Recorder& recorded);

    struct ModuleState {
        nn::ModulePtr module;
        std::vector<IValue> attributes;
    };
    std::vector<ModuleState> modules_;
    std::vector<IValue> arguments_;
    FunctionSchema schema_;
    RandomState random_;
};

// Parameters, buffers and attributes of the modules are for good what they were when the run began. Recorded values
// stay. The recorder has kept values.
void rewind_run(const RunStart& start, Recorder& recorded);

// run: the phases of the run that was recorded, on these arguments.
using RunBody = std::function<void(std::vector<IValue> arguments)>;

// Repeats the run on a thread of its own, until the last wanted value has been seen, and gives them all to the
// recorder's store. The module, the random generator and a run that is parked are left as they are. Throws Error (Run)
// when a value does not come out as it was recorded (the others are there then), Error (Cancelled), and what the run
// throws.
void recompute_values(const RunStart& start, const PreparedMethod& method, const RunBody& run, Recorder& recorded,
                      const std::set<ValueId>& wanted, const CancelFlag& cancel);

// Repeats the run so many times from what it began with, likewise, and hands over what each run recorded: times,
// neither statistics nor elements. Throws what the run throws, and what `each` throws.
void repeat_run(const RunStart& start, const PreparedMethod& method, const RunBody& run, Recorder& recorded, int times,
                const std::function<void(const Recording&)>& each, const CancelFlag& cancel);
// Repeats it once under another observer.
void observe_run(const RunStart& start, const PreparedMethod& method, const RunBody& run, Recorder& recorded,
                 ExecutionObserver& observer, const CancelFlag& cancel);

}  // namespace loupe::session
