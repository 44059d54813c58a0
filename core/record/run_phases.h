// SPDX-License-Identifier: Apache-2.0
#pragma once
// A method run phase by phase under an observer: forward, and backward from what was chosen.

#include <functional>
#include <memory>
#include <vector>

#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/recorder.h"

namespace loupe::session {

// Statements of a model source are reported to the recorder while it lives.
class StatementScope {
  public:
    StatementScope(const Program& program, Recorder& recorder);
    StatementScope(const StatementScope&) = delete;
    StatementScope& operator=(const StatementScope&) = delete;
    ~StatementScope();

  private:
    EagerModel* eager_;
};

// A recorder of a run of the method, that knows what exists before it. schema: what the arguments are called. control
// and park: see Recorder; null: nothing parks.
std::unique_ptr<Recorder> make_recorder(RecorderOptions options, const PreparedMethod& method, nn::Module& module,
                                        const std::vector<IValue>& arguments, const FunctionSchema& schema,
                                        StopControl* control = nullptr, Recorder::Park park = nullptr);
// Runs under the recorder, with the program's statements, and ends the recording: also when the run throws.
void record(const Program& program, Recorder& recorder, const std::function<void()>& run);

// The same for a source that runs as a program: its modules get their names when they are called.
void record_source(Recorder& recorder, const std::function<void()>& run);

// Tensors inside the arguments that can have a gradient become leaves that require it.
void require_input_gradients(const std::vector<IValue>& arguments);
// Forward, and backward from what was chosen (null: no backward), with memory by category. on_result sees the forward's
// result, which backward itself does not keep alive.
void run_phases(const PreparedMethod& method, std::vector<IValue> arguments, const BackwardSource* backward,
                const std::function<void(const IValue&)>& on_result = {});

// Until the work that was given to devices is done: what a clock of the host must wait for.
void wait_for_devices();

}  // namespace loupe::session
