// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/numpy/dtype_code.h"
#include "core/formats/numpy/npy.h"
#include "core/kernels/elementwise.h"
#include "core/record/not_finite.h"
#include "core/record/recording_file.h"
#include "core/record/recording_json.h"
#include "core/record/recording_writer.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/ragged_size.h"

namespace loupe::session {
namespace {

constexpr std::uint64_t kLargestText = std::uint64_t{1} << 31;
constexpr std::uint64_t kLargestArray = std::uint64_t{1} << 40;
constexpr std::size_t kMostWorkers = 1 << 16;
constexpr std::string_view kVersionEntry = "recording/version";

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::File, std::move(message)); }

// The fields of a row, one after another, each checked for what refers to something else.
class Row {
  public:
    explicit Row(const Json& json) : json_(json) {}

    template <typename T>
    T next() {
        return field().get<T>();
    }
    // Fields that came with later programs are at the end.
    bool has_more() const { return next_ < json_.size(); }
    double number() { return json_number(field()); }
    const Json& field() { return json_.at(next_++); }
    // An id up to `count`; 0 is none.
    std::uint32_t id(std::size_t count, const char* what) {
        const auto value = field().get<std::int64_t>();
        if (value < 0 || value > static_cast<std::int64_t>(count))
            fail(concat("refers to ", what, " ", value, " of ", count));
        return static_cast<std::uint32_t>(value);
    }
    std::vector<std::uint32_t> ids(std::size_t count, const char* what) {
        const auto values = field().get<std::vector<std::int64_t>>();
        std::vector<std::uint32_t> ids;
        for (const std::int64_t value : values) {
            if (value < 1 || value > static_cast<std::int64_t>(count))
                fail(concat("refers to ", what, " ", value, " of ", count));
            ids.push_back(static_cast<std::uint32_t>(value));
        }
        return ids;
    }

  private:
    const Json& json_;
    std::size_t next_ = 0;
};

class Loader {
  public:
    explicit Loader(const Json& json)
        : events_(json.at("events")),
          values_(json.at("values")),
          frames_(json.at("frames")),
          allocations_(json.at("allocations")),
          json_(json) {
        for (const Json* rows : {&events_, &values_, &frames_, &allocations_}) {
            if (!rows->is_array()) fail("has no rows where rows are expected");
        }
        for (const Json& text : json.at("strings"))
            texts_.push_back(writer_.intern(text.get_ref<const std::string&>()));
    }

    std::shared_ptr<const Recording> load(std::size_t graph_nodes, std::vector<std::uint32_t>& arrays) {
        for (const Json& row : values_) add_value(row, arrays);
        for (const Json& row : frames_) add_frame(row);
        std::vector<EventId> backward;
        for (const Json& row : events_) add_event(row, graph_nodes, backward);
        for (std::size_t i = 0; i < backward.size(); ++i) {
            if (backward[i] != 0) writer_.set_backward_peer(static_cast<EventId>(i + 1), backward[i]);
        }
        for (const Json& row : allocations_) add_allocation(row);
        if (json_.contains("backward_start")) {
            const Json& start = json_["backward_start"];
            const auto event = start.at("event").get<EventId>();
            if (event == 0 || event > events_.size()) fail("has a backward pass that starts at no event");
            writer_.set_backward_start({event, start.at("text").get<std::string>(), start.at("is_loss").get<bool>()});
        }
        add_savings();
        add_loads();
        add_messages();
        add_edit();
        if (json_.contains("warm_times"))
            writer_.set_warm_times(std::make_shared<OperatorTimes>(json_["warm_times"].get<OperatorTimes>()));
        Row peak(json_.at("peak"));
        const auto bytes = peak.next<std::int64_t>();
        writer_.note_peak(bytes, peak.id(events_.size() + 1, "event"));
        writer_.finish();
        return writer_.recording();
    }

  private:
    std::string_view text(Row& row) {
        const auto index = row.next<std::size_t>();
        if (index >= texts_.size()) fail(concat("refers to text ", index, " of ", texts_.size()));
        return texts_[index];
    }

    void add_value(const Json& json, std::vector<std::uint32_t>& arrays) {
        Row row(json);
        Value value;
        value.producer = row.id(events_.size(), "event");
        value.name = row.next<std::string>();
        value.dtype = text(row);
        if (!elements_dtype(value.dtype)) fail(concat("has a value of an unknown dtype '", value.dtype, "'"));
        value.shape = row.next<Shape>();
        value.strides = row.next<Shape>();
        value.offset = row.next<std::int64_t>();
        value.bytes = row.next<std::int64_t>();
        value.storage_id = row.next<std::uint64_t>();
        value.requires_grad = row.next<bool>();
        value.gradient_of = row.id(values_.size(), "value");
        if (const Json& statistics = row.field(); !statistics.is_null())
            value.statistics = statistics.get<Statistics>();
        arrays.push_back(row.next<std::uint32_t>());
        value.is_left_out = row.has_more() && row.next<bool>();
        const bool is_sane = value.shape.size() == value.strides.size() && value.shape.size() <= 64 &&
                             value.bytes >= 0 &&
                             std::none_of(value.shape.begin(), value.shape.end(),
                                          [](std::int64_t size) { return size < 0 && !is_ragged_size(size); });
        if (!is_sane) fail(concat("has a value of an impossible shape ", shape_text(value.shape)));
        writer_.add_value(std::move(value));
    }

    void add_frame(const Json& json) {
        Row row(json);
        Frame frame;
        frame.parent = row.id(writer_.recording()->frame_count(), "frame");  // frames begin behind those around them
        frame.scope = text(row);
        frame.class_name = text(row);
        frame.function = text(row);
        frame.first_event = row.id(events_.size() + 1, "event");
        const EventId last = row.id(events_.size(), "event");
        writer_.end_frame(writer_.begin_frame(frame), last);
    }

    void add_event(const Json& json, std::size_t graph_nodes, std::vector<EventId>& backward) {
        Row row(json);
        Event event;
        event.phase = static_cast<RunPhase>(row.id(2, "phase"));
        event.op = text(row);
        event.scope = text(row);
        event.source_file = text(row);
        event.source_line = row.next<int>();
        event.graph_node = row.next<int>();
        if (event.graph_node < -1 || event.graph_node >= static_cast<int>(graph_nodes))
            fail("refers to a node that the graph lacks");
        event.depth = std::clamp(row.next<int>(), 0, 1'000'000);
        event.frame = row.id(frames_.size(), "frame");
        event.peer = row.id(events_.size(), "event");
        event.start = row.number();
        event.duration = row.number();
        event.memory_before = row.next<std::int64_t>();
        event.memory_after = row.next<std::int64_t>();
        event.memory_peak = row.next<std::int64_t>();
        event.flops = row.number();
        event.bytes_moved = row.number();
        event.backend = text(row);
        event.declined = row.next<std::vector<std::string>>();
        event.inputs = row.ids(values_.size(), "value");
        event.outputs = row.ids(values_.size(), "value");
        event.arguments = row.next<std::vector<std::string>>();
        event.has_nan = row.next<bool>();
        event.has_inf = row.next<bool>();
        event.failed = row.next<bool>();
        event.error = row.next<std::string>();
        backward.push_back(row.id(events_.size(), "event"));
        if (row.has_more()) event.overload = text(row);
        event.id = writer_.next_event();
        if (row.has_more())
            event.not_finite =
                static_cast<NotFinite>(row.id(static_cast<std::size_t>(NotFinite::Meant), "kind of NaN"));
        else if (event.has_nan || event.has_inf)
            event.not_finite = classify_recorded(*writer_.recording(), event);
        if (row.has_more()) event.setup.seconds = row.next<std::array<float, kSetups>>();
        if (row.has_more()) event.is_cold = row.next<bool>();
        if (row.has_more()) {
            for (const Json& number : row.field()) event.read_for_bad.push_back(json_number(number));
        }
        if (row.has_more()) {
            if (const Json& device = row.field(); !device.is_null()) event.device = device_work(device);
        }
        if (row.has_more()) {
            if (const Json& workers = row.field(); !workers.is_null()) event.workers = worker_spans(workers);
        }
        writer_.add_event(std::move(event));
    }

    DeviceWork device_work(const Json& json) {
        Row row(json);
        DeviceWork work;
        work.device = text(row);
        work.launch = row.number();
        work.fell_back = row.next<bool>();
        work.copied_bytes = std::max<std::int64_t>(0, row.next<std::int64_t>());
        work.copy_seconds = row.number();
        if (row.has_more()) work.given = row.number();
        return work;
    }

    std::vector<WorkerSpan> worker_spans(const Json& json) {
        Row row(json);
        std::vector<WorkerSpan> spans;
        while (row.has_more()) {
            WorkerSpan span;
            span.thread = row.id(kMostWorkers, "thread");
            span.start = row.number();
            span.end = row.number();
            if (span.thread == 0 || !(span.end >= span.start)) fail("has a thread's work that ends before it begins");
            spans.push_back(span);
        }
        return spans;
    }

    void add_allocation(const Json& json) {
        Row row(json);
        Allocation allocation;
        allocation.storage_id = row.next<std::uint64_t>();
        allocation.address = row.next<std::uint64_t>();
        allocation.bytes = std::max<std::int64_t>(0, row.next<std::int64_t>());
        allocation.category = static_cast<Category>(row.id(kCategories - 1, "category"));
        allocation.allocated = row.id(events_.size() + 1, "event");
        allocation.freed = row.id(events_.size() + 1, "event");
        allocation.saved_by = row.id(events_.size() + 1, "event");
        allocation.scope = text(row);
        allocation.owner = row.next<std::string>();
        if (row.has_more()) allocation.device = text(row);
        writer_.add_allocation(std::move(allocation));
    }

    // Older files name one event a block.
    void add_savings() {
        const auto& recording = *writer_.recording();
        if (!json_.contains("savings")) {
            for (std::size_t i = 0; i < recording.allocation_count(); ++i) {
                const EventId by = recording.allocation(i).saved_by;
                if (by != 0) writer_.add_saving({i, by, {}});
            }
            return;
        }
        for (const Json& json : json_["savings"]) {
            Row row(json);
            Saving saving;
            saving.allocation = row.next<std::size_t>();
            if (saving.allocation >= recording.allocation_count())
                fail(concat("refers to block ", saving.allocation, " of ", recording.allocation_count()));
            saving.by = row.id(events_.size(), "event");
            saving.node = text(row);
            writer_.add_saving(saving);
        }
    }

    void add_loads() {
        if (!json_.contains("loads")) return;
        for (const Json& json : json_["loads"]) {
            Row row(json);
            LoadSpan load;
            load.kind =
                static_cast<data::LoadKind>(row.id(static_cast<std::size_t>(last_of(load.kind)), "kind of work"));
            load.pass = row.next<std::uint32_t>();
            load.worker = row.id(kMostWorkers, "worker");
            load.batch = row.next<std::uint64_t>();
            load.start = row.number();
            load.end = row.number();
            load.is_over = row.next<bool>();
            if (!(load.end >= load.start)) fail("has a batch that is there before it is begun");
            writer_.add_load(load);
        }
    }

    void add_messages() {
        if (json_.contains("rank")) {
            auto rank = json_["rank"].get<RankFacts>();
            check(rank);
            writer_.set_rank(std::move(rank));
        }
        if (!json_.contains("collectives")) return;
        for (const Json& json : json_["collectives"]) {
            auto collective = json.get<Collective>();
            check(collective, events_.size());
            const std::size_t count = writer_.recording()->collective_count();
            const auto index = json.at("index").get<std::size_t>();
            if (index > count) fail(concat("has message ", index, " behind ", count));
            if (index == count)
                writer_.add_collective(std::move(collective));
            else
                writer_.change_collective(index, std::move(collective));
        }
    }

    void add_edit() {
        if (!json_.contains("edit")) return;
        const Json& json = json_["edit"];
        EditStart edit;
        edit.event = json.at("event").get<EventId>();
        if (edit.event == 0 || edit.event > events_.size() + 1) fail("has an edit from no event on");
        edit.function = json.at("function").get<std::string>();
        edit.changed = json.at("changed").get<std::vector<std::string>>();
        edit.place = {json.at("file").get<std::string>(), json.at("line").get<int>(), 0};
        writer_.set_edit(std::move(edit));
    }

    const Json& events_;
    const Json& values_;
    const Json& frames_;
    const Json& allocations_;
    const Json& json_;
    RecordingWriter writer_;
    std::vector<std::string_view> texts_;
};

// Trees are stored by parents that stand before their children, so that no cycle can be said.
std::shared_ptr<const GraphModel> load_graph(const Json& json) {
    if (json.is_null()) return nullptr;
    auto graph = std::make_shared<GraphModel>(json.get<GraphModel>());
    const int count = static_cast<int>(graph->nodes.size());
    for (int id = 0; id < count; ++id) {
        GraphNode& node = graph->nodes[static_cast<std::size_t>(id)];
        node.id = id;
        if (node.parent < -1 || node.parent >= id) fail("has a graph that is no tree");
        if (node.parent >= 0) graph->nodes[static_cast<std::size_t>(node.parent)].children.push_back(id);
        for (const int block : node.blocks) {
            const bool is_child =
                block > id && block < count && graph->nodes[static_cast<std::size_t>(block)].parent == id;
            if (!is_child) fail("has a node with a block that is none of its children");
        }
    }
    const auto is_end = [&](int node, int port, const std::vector<std::string>& names) {
        if (node < -1 || node >= count || port < 0) return false;
        return node >= 0 || port < static_cast<int>(names.size());
    };
    for (const GraphEdge& edge : graph->edges) {
        if (!is_end(edge.from, edge.from_port, graph->inputs) || !is_end(edge.to, edge.to_port, graph->outputs)) {
            fail("has an edge between nodes that the graph lacks");
        }
    }
    return graph;
}

// What is not said is the graph itself, where nothing in it can be opened.
std::shared_ptr<const OpenedGraph> load_opened(const Json& rows, const std::shared_ptr<const GraphModel>& ran) {
    auto out = std::make_shared<OpenedGraph>();
    if (!rows.contains("opened")) {
        const bool has_calls = ran == nullptr || ran->text.empty() || ran->text.find("prim::Call") != std::string::npos;
        out->graph = ran;
        return has_calls ? nullptr : out;
    }
    const Json& json = rows["opened"];
    out->graph = load_graph(json.at("graph"));
    out->ran_as = json.at("ran_as").get<std::vector<int>>();
    const std::size_t count = out->graph ? out->graph->nodes.size() : 0;
    const int ran_nodes = ran ? static_cast<int>(ran->nodes.size()) : 0;
    const bool is_sound = (out->ran_as.empty() || out->ran_as.size() == count) &&
                          std::ranges::all_of(out->ran_as, [&](int node) { return node >= -1 && node < ran_nodes; });
    if (!is_sound) fail("has an opened graph of other nodes than those that ran");
    return out;
}

std::shared_ptr<ModelInfo> load_model(const Json& json, std::shared_ptr<const GraphModel> graph) {
    auto model = std::make_shared<ModelInfo>(json.get<ModelInfo>());
    if (model->modules.empty()) fail("has no modules");
    for (std::size_t i = 0; i < model->modules.size(); ++i) {
        const int parent = model->modules[i].parent;
        const bool is_root = i == 0 && parent == -1;
        if (!is_root && (parent < 0 || parent >= static_cast<int>(i))) fail("has modules that are no tree");
        if (parent >= 0) model->modules[static_cast<std::size_t>(parent)].children.push_back(static_cast<int>(i));
    }
    model->graph = std::move(graph);
    return model;
}

int version_of(const ZipReader& zip) {
    const ZipEntry* entry = zip.find(kVersionEntry);
    if (entry == nullptr) fail("is no recording");
    return std::atoi(zip.read(*entry, 100).c_str());
}

}  // namespace

bool is_recording(const std::filesystem::path& path) {
    try {
        const auto file = MappedFile::open(path);
        return is_zip(file->bytes()) && ZipReader(file).find(kVersionEntry) != nullptr;
    } catch (const Error&) {
        return false;
    }
}

void RecordingFile::load(const Json& rows) {
    graph_ = load_graph(rows.at("graph"));
    opened_ = load_opened(rows, graph_);
    recording_ = Loader(rows).load(graph_ ? graph_->nodes.size() : 0, arrays_);
    gradients_ = rows.at("gradients").get<std::vector<GradientRow>>();
    for (const GradientRow& row : gradients_) {
        if (row.event > recording_->event_count() || row.value > recording_->value_count())
            fail("has gradients of no event");
    }
    if (rows.contains("run"))
        run_ = rows["run"].get<RunOptions>();
    else if (graph_)
        run_.method = graph_->method;
}

std::shared_ptr<ModelInfo> model_of_rows(const Json& model) {
    try {
        return load_model(model, nullptr);
    } catch (const nlohmann::json::exception& error) {
        fail(concat("damaged model: ", error.what()));
    }
}

RecordingFile::RecordingFile(const Json& rows, std::function<Tensor(ValueId)> elements,
                             std::shared_ptr<const ModelInfo> model)
    : elements_(std::move(elements)), model_(std::move(model)) {
    try {
        load(rows);
    } catch (const nlohmann::json::exception& error) {
        fail(concat("damaged recording: ", error.what()));
    }
}

RecordingFile::RecordingFile(const std::filesystem::path& path) : zip_(MappedFile::open(path)) {
    try {
        if (const int version = version_of(*zip_); version != kRecordingVersion) {
            throw Error(ErrorKind::Unsupported,
                        concat("recording of version ", version, "; this program reads version ", kRecordingVersion));
        }
        const ZipEntry* entry = zip_->find("recording/recording.json");
        if (entry == nullptr) fail("recording without its events");
        const Json json = Json::parse(zip_->read(*entry, kLargestText));
        load(json);
        auto model = load_model(json.at("model"), graph_);
        if (json.contains("built_with")) model->built_with = json["built_with"].get<std::string>();
        model->recorded_in = path.string();
        model->title = path.filename().string();
        std::error_code ignored;
        if (const Json& told = json.at("model"); told.contains("cannot_run")) {
            model->cannot_run = told["cannot_run"].get<std::string>();
        } else if (!std::filesystem::exists(model->path, ignored)) {
            model->cannot_run =
                concat("this is a recording, and the model that it is of, ", model->path, ", is not there");
        }
        model_ = std::move(model);
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::File, concat("damaged recording: ", error.what()), {.file = path.string()});
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

namespace {

// Of nested tensors the values are kept, in a shape of their own.
bool has_shape(const Tensor& elements, const Value& value) {
    return std::ranges::any_of(value.shape, is_ragged_size) || std::ranges::equal(value.shape, elements.sizes());
}

}  // namespace

std::string RecordingFile::attached() const {
    constexpr std::uint64_t kMost = 16 << 20;
    const ZipEntry* entry = zip_ ? zip_->find("recording/window.json") : nullptr;
    if (entry == nullptr || zip_->checked_size(*entry, kLargestText) > kMost) return {};
    return zip_->read(*entry, kMost);
}

Tensor RecordingFile::elements(ValueId id) const {
    if (id == 0 || id > arrays_.size() || arrays_[id - 1] == 0) return {};
    const Value& value = recording_->value(id);
    if (!zip_) {
        const Tensor t = elements_(id);
        const bool fits = !t.defined() || (has_shape(t, value) && t.dtype() == elements_dtype(value.dtype));
        if (!fits) fail("damaged recording: elements of another shape than their value");
        return t;
    }
    const std::string name = concat("recording/values/", arrays_[id - 1], ".npy");
    const ZipEntry* entry = zip_->find(name);
    if (entry == nullptr) fail(concat("damaged recording: no array ", name));
    // A copy whose checksum is right, not a view of what may be damaged.
    auto storage = Storage::allocate(zip_->checked_size(*entry, kLargestArray));
    const std::span<std::byte> bytes(static_cast<std::byte*>(storage->data()), storage->bytes());
    zip_->read_into(*entry, bytes);
    const Tensor t = parse_npy(bytes, storage);
    if (!has_shape(t, value)) {
        fail(concat("damaged recording: ", name, " has another shape than its value"));
    }
    const ScalarType dtype = *elements_dtype(value.dtype);
    if (!numpy_code(dtype).empty()) return t;
    if (t.dtype() != (is_complex(dtype) ? ScalarType::Complex64 : ScalarType::Float32) || !t.is_contiguous())
        fail(concat("damaged recording: ", name, " has another dtype than its value"));
    const Tensor narrow = empty(t.sizes(), dtype);
    copy_into(narrow, t);
    return narrow;
}

}  // namespace loupe::session
