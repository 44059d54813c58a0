// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recorded run as a file (.loupe), to be looked at later, on any machine and without the model.
//
// The file is a ZIP archive, its entries stored at multiples of 64 bytes:
//
//   recording/version        the format's version, "1"
//   recording/recording.json everything but elements: an object with
//     model      ModelInfo without its graph; field names are those of model_info.h; cannot_run only where another
//                program wrote the file, whose run cannot be repeated here
//     graph      GraphModel; a node's children are those that name it as their parent
//     opened     {graph, ran_as}: OpenedGraph, the graph with the calls in it opened; lacking where it is the same, and
//                in older files
//     strings    texts that events, values and frames refer to by index
//     events, values, frames, allocations
//                an array a row, fields in the order of the structs in recording.h without the id, which is the row's
//                number from 1; an event has its first backward event behind its error, a value the number of its
//                array (0: elements were not kept) behind its statistics, null where there are none; then, where
//                the program was new enough to write them, an event's overload, the number of its NotFinite, seconds of
//                set-up by kind, whether it was cold, what a device did and the work of other threads, and whether
//                a value was left out
//     savings    rows [allocation, event, node]; older files lack them
//     loads      rows of LoadSpan: what loaders of data did; older files lack it
//     rank       RankFacts; lacking where the program has one process
//     collectives
//                Collective objects with the file and line of their place, and an index, which counts from 0: a later
//                one with the same index takes its place; older files lack them
//     edit       {event, function, changed, file, line}: EditStart; lacking where no edit was made
//     warm_times OperatorTimes; lacking where none were measured
//     gradients  GradientRow objects
//     backward_start  {event, text, is_loss}: what backward started from; older files lack it
//     peak       [bytes, event]
//     run        RunOptions as far as they say what was run; older files lack it
//   recording/values/N.npy   the elements of values, bfloat16 as float32
//   recording/window.json    what a window attached: bookmarks, notes, panels; any text, may be missing
//
// Numbers that JSON lacks are the texts "inf", "-inf" and "nan".

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "core/formats/archive/zip_reader.h"
#include "core/model/opened_graph.h"
#include "core/model/program.h"
#include "core/record/gradient_row.h"
#include "core/record/recorder.h"
#include "core/record/run_options.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

inline constexpr int kRecordingVersion = 1;

// elements: of a value, undefined where they were not kept. Nothing partial is left. Throws Error (File) when the place
// cannot be written.
void write_recording(const std::filesystem::path& path, const ModelInfo& model, const Recording& recording,
                     const std::vector<GradientRow>& gradients, const RunOptions& run,
                     const std::function<Tensor(ValueId)>& elements, const std::string& attached = {},
                     const OpenedGraph& opened = {});

// The run of a method that a recorder has seen, with all that it kept; elements: where they come from when it is not
// the recorder.
void save_recording(const Program& program, const PreparedMethod& method, const Recorder& recorder,
                    const RunOptions& run, const std::filesystem::path& path,
                    const std::function<Tensor(ValueId)>& elements = {}, const std::string& attached = {});

// Does the file start as a recording? Must not throw for other files.
bool is_recording(const std::filesystem::path& path);

// A model as a file has it. Throws Error (File).
std::shared_ptr<ModelInfo> model_of_rows(const nlohmann::json& model);

class RecordingFile {
  public:
    // Throws Error (Usage) when the file is missing, Error (File) when it is damaged, Error (Unsupported) when a newer
    // version wrote it.
    explicit RecordingFile(const std::filesystem::path& path);
    // Of rows that come from elsewhere, named as in the file; elements: undefined where none were kept; model: whose
    // run it is, null where that is not known. Throws Error (File) as the other.
    RecordingFile(const nlohmann::json& rows, std::function<Tensor(ValueId)> elements,
                  std::shared_ptr<const ModelInfo> model = nullptr);

    // Null when only rows were given, without one.
    const std::shared_ptr<const ModelInfo>& model() const { return model_; }
    // That events refer to; null when there is none.
    const std::shared_ptr<const GraphModel>& graph() const { return graph_; }
    const std::shared_ptr<const Recording>& recording() const { return recording_; }
    // The same with its calls opened; null: not known.
    const std::shared_ptr<const OpenedGraph>& opened() const { return opened_; }
    const std::vector<GradientRow>& gradients() const { return gradients_; }
    const RunOptions& run() const { return run_; }
    // Empty: nothing, or more than is read.
    std::string attached() const;
    bool has_elements(ValueId id) const { return arrays_[id - 1] != 0; }
    // Undefined when they were not kept. Throws Error (File) when they are damaged.
    Tensor elements(ValueId id) const;

  private:
    void load(const nlohmann::json& rows);

    std::optional<ZipReader> zip_;
    std::function<Tensor(ValueId)> elements_;  // without a file
    std::shared_ptr<const ModelInfo> model_;
    std::shared_ptr<const GraphModel> graph_;
    std::shared_ptr<const OpenedGraph> opened_;
    std::shared_ptr<const Recording> recording_;
    std::vector<GradientRow> gradients_;
    RunOptions run_;
    std::vector<std::uint32_t> arrays_;  // by value
};

}  // namespace loupe::session
