// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/sample_run.h"

#include "core/record/recording_writer.h"

namespace loupe::testing {

using namespace session;

namespace {

struct Step {
    const char* scope;
    const char* op;
    const char* backward;
    double milliseconds;
};
constexpr Step kSteps[kSampleOperators] = {
    {"conv1", "aten::conv2d", "ConvolutionBackward0", 2}, {"layer1.0.conv", "aten::conv2d", "ConvolutionBackward0", 3},
    {"layer1.0", "aten::relu_", "ReluBackward0", 0.2},    {"layer1.1.conv", "aten::conv2d", "ConvolutionBackward0", 4},
    {"layer1.1", "aten::relu_", "ReluBackward0", 0.1},    {"fc", "aten::linear", "AddmmBackward0", 0.5}};

int addModule(ModelInfo& model, const char* path, const char* class_name, int parent, const Shape& weight) {
    ModuleInfo module;
    module.path = path;
    module.class_name = class_name;
    module.qualified_name = std::string("__torch__.") + class_name;
    module.parent = parent;
    if (!weight.empty()) {
        TensorInfo parameter;
        parameter.name = module.path + ".weight";
        parameter.dtype = "float32";
        parameter.shape = weight;
        parameter.requires_grad = true;
        parameter.bytes = 4 * parameter.numel();
        module.parameter_count = parameter.numel();
        module.parameter_bytes = parameter.bytes;
        module.parameters.push_back(parameter);
    }
    const int id = static_cast<int>(model.modules.size());
    model.modules.push_back(module);
    if (parent >= 0) model.modules[static_cast<std::size_t>(parent)].children.push_back(id);
    for (int above = parent; above >= 0; above = model.modules[static_cast<std::size_t>(above)].parent) {
        model.modules[static_cast<std::size_t>(above)].parameter_count += module.parameter_count;
        model.modules[static_cast<std::size_t>(above)].parameter_bytes += module.parameter_bytes;
    }
    return id;
}

Value makeValue(RecordingWriter& writer, int step, EventId producer) {
    Value value;
    value.name = "%" + std::to_string(step);
    value.dtype = writer.intern("float32");
    value.shape = {1, 8, 4, 4};
    value.strides = {128, 16, 4, 1};
    value.bytes = 512;
    value.producer = producer;
    Statistics statistics;
    statistics.count = 128;
    FiniteStatistics& finite = statistics.finite.emplace();
    finite.min = -1;
    finite.max = step + 1;
    finite.abs_max = step + 1;
    finite.mean = 0.5;
    finite.variance = 4;
    statistics.exponents[40] = 100;
    if (step == 3) statistics.nan_count = 2;
    value.statistics = statistics;
    return value;
}

}  // namespace

std::shared_ptr<const ModelInfo> sampleModel() {
    auto model = std::make_shared<ModelInfo>();
    model->path = "/models/sample.pt";
    model->title = "sample.pt";
    model->format = "TorchScript archive";
    addModule(*model, "", "Sample", -1, {});
    addModule(*model, "conv1", "Conv2d", 0, {8, 3, 3, 3});
    const int layer = addModule(*model, "layer1", "Sequential", 0, {});
    const int first = addModule(*model, "layer1.0", "Block", layer, {});
    addModule(*model, "layer1.0.conv", "Conv2d", first, {8, 8, 3, 3});
    const int second = addModule(*model, "layer1.1", "Block", layer, {});
    addModule(*model, "layer1.1.conv", "Conv2d", second, {8, 8, 3, 3});
    addModule(*model, "fc", "Linear", 0, {10, 8});
    model->parameter_count = model->modules[0].parameter_count;
    model->parameter_bytes = model->modules[0].parameter_bytes;
    auto graph = std::make_shared<GraphModel>();
    graph->method = "forward";
    std::string source = "class Sample(Module):\n  def forward(self, x):\n";
    for (int i = 0; i < kSampleOperators; ++i) {
        GraphNode node;
        node.id = i;
        node.kind = kSteps[i].op;
        node.label = node.kind.substr(6);
        node.scope = kSteps[i].scope;
        node.source = {"sample.py", i + 3, 0};
        graph->nodes.push_back(node);
        if (i > 0) graph->edges.push_back({i - 1, i, 0, 0, "%" + std::to_string(i - 1), "Tensor"});
        source += "    x = " + node.label + "(x)\n";
    }
    model->graph = graph;
    model->methods = {
        {"forward", "forward(__torch__.Sample self, Tensor x) -> Tensor", {{"x", "Tensor", false}}, {"Tensor"}}};
    model->sources = {{"sample.py", source, true}, {"code/__torch__.py", source, false}};
    return model;
}

std::shared_ptr<const Recording> sampleRun(int repeats) {
    RecordingWriter writer;
    double time = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        std::vector<EventId> forward;
        for (int i = 0; i < kSampleOperators; ++i) {
            Event event;
            event.op = writer.intern(kSteps[i].op);
            event.scope = writer.intern(kSteps[i].scope);
            event.source_file = writer.intern("sample.py");
            event.source_line = i + 3;
            event.graph_node = i;
            event.start = time;
            event.duration = kSteps[i].milliseconds * 1e-3;
            event.backend = writer.intern("portable");
            event.has_nan = i == 3;
            event.not_finite = i == 3 ? NotFinite::Made : NotFinite::None;
            event.outputs = {writer.add_value(makeValue(writer, i, writer.next_event()))};
            time += event.duration;
            forward.push_back(writer.add_event(event));
        }
        for (int i = kSampleOperators - 1; i >= 0; --i) {
            Event event = writer.recording()->event(forward[static_cast<std::size_t>(i)]);
            event.phase = RunPhase::Backward;
            event.peer = event.id;
            event.op = writer.intern(kSteps[i].backward);
            event.start = time;
            event.has_nan = false;
            event.not_finite = NotFinite::None;
            time += event.duration;
            const EventId id = writer.add_event(event);
            writer.set_backward_peer(forward[static_cast<std::size_t>(i)], id);
        }
    }
    writer.finish();
    return writer.recording();
}

}  // namespace loupe::testing
