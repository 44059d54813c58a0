// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a query may ask of the engine, on its thread; and the one place where queries are answered.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/input_spec.h"
#include "core/nn/module.h"
#include "core/record/recording.h"
#include "core/record/run_options.h"
#include "core/session/query.h"
#include "core/session/status.h"
#include "core/value/ivalue.h"

namespace loupe::ir {
class Graph;
}

namespace loupe::session {

class Engine;
class PreparedMethod;
class Program;
class Recorder;
class RecordingFile;
class TextModel;
class Trainer;
struct CompileReport;
struct CompileRequest;
struct ContinuedEdit;
struct EditRequest;
struct MemoryForecast;
struct OperatorTimesRequest;
struct RestoredRun;
struct WeightsReport;
struct WhatIf;
struct WhatIfMeasurement;

class QueryContext {
  public:
    explicit QueryContext(Engine& engine) : engine_(engine) {}

    // Checks what the record's query needs and answers it, or refuses. Throws what no answer carries.
    QueryValue answer(const QueryRecord& record, const void* query, const std::function<void(QueryValue)>& progress);

    Status status() const;
    std::vector<InputSpec> inputs() const;
    const RunOptions& ran() const;
    // Null: no model is open.
    const std::shared_ptr<Program>& program() const;
    // The model there is, or that a recording is of. Throws Error (Usage) when there is none, and what opening throws.
    std::shared_ptr<Program> model_or_recorded() const;
    // The same with its tokenizer. Throws Error (Usage, Unsupported, File) where there is none.
    std::shared_ptr<const TextModel> text_model() const;
    // A method of that, with its graph: a program that is evaluated is traced on its inputs first.
    struct StudiedMethod {
        std::shared_ptr<Program> program;
        const ir::Graph* graph = nullptr;                // the program's
        std::function<std::vector<IValue>()> arguments;  // what a run would get
    };
    StudiedMethod study(const std::string& method) const;
    // Of the model that is open. Throws Error (Usage) when there is none of that path.
    nn::ModulePtr module(const std::string& path) const;

    // What a run left: null where there is none.
    const Recorder* recorder() const;
    const PreparedMethod* ran_method() const;
    std::shared_ptr<const Recording> recording() const;
    const RecordingFile* recording_file() const;
    const Trainer* trainer() const;
    // Tokens whose keys and values the run was given in a cache.
    const std::vector<std::int64_t>& held_ids() const;
    bool run_failed() const;
    bool shows_restored_run() const;
    // Undefined where they were not kept.
    Tensor elements(ValueId id, std::size_t ahead = 0) const;
    bool is_recomputed(ValueId id) const;
    // Of the run that is parked: see Recorder::change.
    EventId change_value(const ValueChange& change);
    // See SourceEdits.
    ContinuedEdit continue_edit(const EditRequest& request);

    // As the engine does them.
    CompileReport compile(const CompileRequest& request);
    WhatIfMeasurement measure_what_if(const std::vector<WhatIf>& changes);
    MemoryForecast forecast(const std::vector<WhatIf>& changes);
    std::shared_ptr<const OperatorTimes> time_operators(const OperatorTimesRequest& request);
    WeightsReport load_weights(const std::filesystem::path& file, bool strict);
    RestoredRun restore_run(const std::filesystem::path& folder);
    std::string restore_training(const std::filesystem::path& file);
    std::string save_restored(const std::filesystem::path& file, const std::string& attached);

  private:
    Engine& engine_;
};

}  // namespace loupe::session
