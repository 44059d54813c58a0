// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the model as options say: inputs, seed, preparation of the method, forward and backward, and the verdict. Also
// brings back the last run of a session before. Used on the engine thread alone.

#include <filesystem>
#include <memory>
#include <string>

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
    void run(const RunOptions& options);

    // Shows the run that the folder keeps as the last run of the model that is open.
    RestoredRun restore(const std::filesystem::path& folder);
    // Writes the restored run that is shown as a recording. Empty, or why not.
    std::string save_restored(const std::filesystem::path& file) const;

  private:
    RunOptions take_inputs(const RunOptions& given);
    void begin(const RunOptions& options);
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
