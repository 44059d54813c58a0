// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the model as options say: inputs, seed, preparation of the method, forward and backward, and the verdict. Also
// brings back the last run of a session before. Used on the engine thread alone.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/session/restored_run.h"
#include "core/session/run_recorder.h"

namespace loupe::session {

class RunDriver {
  public:
    RunDriver(Publisher& publisher, Settings& settings, RunControl& control, ModelHolder& model,
              const CurrentTraining& training, RunRecorder& recorder)
        : publisher_(publisher),
          settings_(settings),
          control_(control),
          model_(model),
          training_(training),
          recorder_(recorder) {}

    // Throws Error (Usage) when there is no model, and what preparing and running throw.
    void run(const RunOptions& options, RepeatedRun repeated = {});

    // A recorded run whose arguments are given, not made of inputs.
    struct GivenRun {
        std::function<std::vector<IValue>()> arguments;  // called when the model is on the run's device
        std::vector<std::int64_t> held_ids;              // see ShownRun
        bool traces = true;                              // the graph is to be that of these arguments
        std::function<void(const IValue&)> on_result;    // of forward; may be empty
    };
    // after: called when the run has ended, before that is announced. Throws what running throws.
    void run_given(const RunOptions& options, GivenRun given, const std::function<void()>& after = {});
    // The status is that of a run, and the model as the options have it; run and run_given begin themselves.
    void begin(const RunOptions& options);

    // Shows the run that the folder keeps as the last run of the model that is open.
    RestoredRun restore(const std::filesystem::path& folder);
    // Writes the restored run that is shown as a recording. Empty, or why not.
    std::string save_restored(const std::filesystem::path& file, const std::string& attached) const;

  private:
    RunOptions take_inputs(const RunOptions& given);
    void execute(const RunOptions& options, RepeatedRun repeated, const std::function<void(const IValue&)>& on_result);
    std::shared_ptr<PreparedMethod> prepare(RunOptions& options);
    void show_graph(const PreparedMethod& method, const std::string& pipeline);
    bool repeats_restored(RunOptions options) const;
    void conclude_run(const RunOptions& options);
    void show_restored_graph(const RecordingFile& file);

    Publisher& publisher_;
    Settings& settings_;
    RunControl& control_;
    ModelHolder& model_;
    const CurrentTraining& training_;
    RunRecorder& recorder_;
};

}  // namespace loupe::session
