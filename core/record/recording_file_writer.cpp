// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/numpy/npy.h"
#include "core/record/gradients.h"
#include "core/record/recording_file.h"
#include "core/record/recording_rows.h"

namespace loupe::session {
namespace {

// The arrays in the archive; values that view the same elements alike share one.
class Arrays {
  public:
    Arrays(ZipWriter& zip, const std::function<Tensor(ValueId)>& elements) : zip_(zip), elements_(elements) {}

    std::uint32_t add(ValueId id) {
        check_cancelled();
        const Tensor t = elements_(id);
        if (!t.defined()) return 0;
        Key key{t.address(), t.dtype(), {t.sizes().begin(), t.sizes().end()}, {t.strides().begin(), t.strides().end()}};
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second.number;
        const std::uint32_t number = ++count_;
        add_npy(zip_, concat("recording/values/", number, ".npy"), t);
        // The tensor is held, so that its address stays its own; what was read back from a file is not worth it.
        if (t.storage()->use_count() > 1) known_.emplace(std::move(key), Known{number, t});
        return number;
    }

  private:
    using Key = std::tuple<const void*, ScalarType, Shape, Shape>;
    struct Known {
        std::uint32_t number;
        Tensor held;
    };

    ZipWriter& zip_;
    const std::function<Tensor(ValueId)>& elements_;
    std::map<Key, Known> known_;
    std::uint32_t count_ = 0;
};

Json describe_recording(const ModelInfo& model, const Recording& recording, const std::vector<GradientRow>& gradients,
                        const RunOptions& run, const OpenedGraph& opened, Arrays& arrays) {
    TextTable text;
    Json json;
    json["run"] = run;
    json["model"] = model;
    json["built_with"] = model.built_with;
    json["graph"] = model.graph ? Json(*model.graph) : Json();
    if (opened.graph && model.graph && opened.graph->text != model.graph->text)
        json["opened"] = Json{{"graph", *opened.graph}, {"ran_as", opened.ran_as}};
    Json& events = json["events"] = Json::array();
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        events.push_back(event_row(recording.event(id), recording.backward_peer(id), text));
    }
    Json& values = json["values"] = Json::array();
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        values.push_back(value_row(recording.value(id), arrays.add(id), text));
    }
    Json& frames = json["frames"] = Json::array();
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) {
        frames.push_back(frame_row(recording.frame(id), recording.frame_end(id), text));
    }
    Json& allocations = json["allocations"] = Json::array();
    for (std::size_t i = 0; i < recording.allocation_count(); ++i)
        allocations.push_back(allocation_row(recording.allocation(i), text));
    if (const BackwardStart* start = recording.backward_start()) json["backward_start"] = backward_start_json(*start);
    Json& savings = json["savings"] = Json::array();
    for (const Saving& saving : recording.savings()) savings.push_back(saving_row(saving, text));
    if (const auto edit = recording.edit()) json["edit"] = edit_json(*edit);
    Json& loads = json["loads"] = Json::array();
    for (const LoadSpan& load : recording.loads()) loads.push_back(load_row(load));
    if (const auto rank = recording.rank()) json["rank"] = *rank;
    Json& collectives = json["collectives"] = Json::array();
    for (const Collective& each : recording.collectives())
        collectives.push_back(collective_json(collectives.size(), each));
    if (const auto times = recording.warm_times()) json["warm_times"] = *times;
    json["gradients"] = gradients;
    json["peak"] = Json::array({recording.peak_bytes(), recording.peak_event()});
    json["strings"] = text.texts();
    return json;
}

}  // namespace

void write_recording(const std::filesystem::path& path, const ModelInfo& model, const Recording& recording,
                     const std::vector<GradientRow>& gradients, const RunOptions& run,
                     const std::function<Tensor(ValueId)>& elements, const std::string& attached,
                     const OpenedGraph& opened) {
    ZipWriter zip(path);
    zip.add("recording/version", concat(kRecordingVersion, "\n"));
    Arrays arrays(zip, elements);
    const Json json = describe_recording(model, recording, gradients, run, opened, arrays);
    zip.add("recording/recording.json", json.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (!attached.empty()) zip.add("recording/window.json", attached);
    zip.finish();
}

void save_recording(const Program& program, const PreparedMethod& method, const Recorder& recorder,
                    const RunOptions& run, const std::filesystem::path& path,
                    const std::function<Tensor(ValueId)>& elements, const std::string& attached) {
    ModelInfo model = *program.info();
    model.graph = std::make_shared<GraphModel>(recorder.graph());  // of the method that ran, behind its passes
    if (!model.path.empty()) model.path = std::filesystem::absolute(model.path).string();
    write_recording(
        path, model, *recorder.recording(), gradient_rows(program.module(), &recorder), run,
        elements ? elements : [&](ValueId id) { return recorder.values().find(id); }, attached,
        open_graph(program, method, model.graph));
}

}  // namespace loupe::session
