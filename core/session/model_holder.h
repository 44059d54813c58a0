// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model of a session: the program that is open, or the recording that stands in its place; its form, its weights
// and what is known of how it came to be. Used on the engine thread alone.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/model/program.h"
#include "core/model/text_model.h"
#include "core/ops/random/generator.h"
#include "core/record/recording_file.h"
#include "core/session/breakpoint_moves.h"
#include "core/session/publisher.h"
#include "core/session/settings.h"
#include "core/study/compile_program.h"
#include "core/study/verdict.h"

namespace loupe::session {

// How the model came to be.
struct ModelOrigin {
    std::string weights_from;  // what gave it its weights since it was opened: a file, "trained"; empty: nothing
    Said other_model;          // why a model of a session before did not come back as it was; empty: it did
    RandomState random;        // before the model was made
    std::shared_ptr<const Verdict> verdict;  // of its source; null: the model is finite
};

class ModelHolder {
  public:
    // Those that hold something of the model, and are asked to let go of it.
    class Dependents {
      public:
        // The model changes its form: what ran before is no longer shown.
        virtual void release_run() = 0;
        // Another model takes its place, or none.
        virtual void release_model() = 0;

      protected:
        ~Dependents() = default;
    };
    ModelHolder(Publisher& publisher, Settings& settings, BreakpointMoves& moves, Dependents& dependents)
        : publisher_(publisher), settings_(settings), moves_(moves), dependents_(dependents) {}

    // Null: nothing is open, or a recording is.
    const std::shared_ptr<Program>& program() const { return program_; }
    // Of a recorded run that was opened; else null.
    const RecordingFile* file() const { return file_.get(); }
    // Of the recorded run too: it is opened when it is asked for first. Throws Error (Usage) when there is none, and
    // what opening throws.
    std::shared_ptr<Program> program_or_recorded();
    // The model, or the recorded one, with its tokenizer; read when it is asked for first. Throws as
    // program_or_recorded and TextModel.
    std::shared_ptr<const TextModel> text_model();
    ModelOrigin& origin() { return origin_; }
    const ModelOrigin& origin() const { return origin_; }

    // Takes the place of the model there is. A source that is opened again keeps its inputs, options and weights.
    void use(std::shared_ptr<Program> opened);
    void use(std::unique_ptr<RecordingFile> file);
    // Another recorded run of the model whose run is shown.
    void show_next(std::unique_ptr<RecordingFile> file);
    // This is shown and runs from now on.
    void show(std::shared_ptr<const ModelInfo> info);
    // A model source has another graph.
    void show_trace();
    void close();
    // Without a word to the listener: another takes its place.
    void drop();

    // Throws what changing it throws; it may have another form all the same.
    void set_form(ModelForm form);
    void change_form(Program& program, ModelForm form) const;
    // Of the method of the model, or of the recorded one, on the inputs as they are; listeners are notified. Throws as
    // compile_program.
    CompiledProgram compile(const CompileRequest& request);
    // Into the model there is.
    WeightsReport load_weights(const std::filesystem::path& file, bool strict);

  private:
    std::vector<InputSpec> inputs_for(const Program& opened, const std::vector<InputSpec>& before) const;
    void keep_weights(nn::Module& opened) const;
    void show_form(const std::vector<InputSpec>& before);
    void log_trace() const;

    Publisher& publisher_;
    Settings& settings_;
    BreakpointMoves& moves_;
    Dependents& dependents_;

    std::shared_ptr<Program> program_;
    std::unique_ptr<RecordingFile> file_;
    std::shared_ptr<Program> recorded_program_;    // opened when more is asked than the recording holds
    std::shared_ptr<const TextModel> text_model_;  // null: not asked for, or there is none
    ModelOrigin origin_;
};

}  // namespace loupe::session
