// SPDX-License-Identifier: Apache-2.0
// The smallest useful plugin: a new operator with a derivative, a kernel for an existing operator, a pass, a format, a
// table, and a study of its own.
#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>

#include "core/library/plugin.h"

namespace {

using namespace loupe;

// example::scaled_square(x, scale) = scale x^2, for any dtype and strides: a kernel and a derivative.
TensorMeta infer_scaled_square(const Tensor& self, const Scalar&) {
    if (!is_floating(self.dtype())) throw Error(ErrorKind::Run, "scaled_square: expected a floating point tensor");
    return {to_dims(self.sizes()), self.dtype(), self.device()};
}

Tensor scaled_square(const Tensor& self, const Scalar& scale) { return fn::mul_scalar(fn::mul(self, self), scale); }

void scaled_square_kernel(const Tensor& out, const Tensor& self, const Scalar& scale) {
    fn::copy_(out, scaled_square(self, scale));
}

// d/dx scale x^2 = 2 scale x, in operators, so that it can be differentiated again.
void scaled_square_backward(GradientContext& context) {
    const Scalar twice(2 * context.value("scale").to_double());
    context.grad("self",
                 [&] { return fn::mul(context.grad_output(), fn::mul_scalar(context.argument("self"), twice)); });
}

std::vector<Sample> scaled_square_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), 1.5}}};
}

constexpr OperatorRecord kScaledSquare = {
    .schema = "example::scaled_square(Tensor self, Scalar scale) -> Tensor",
    .summary = "The square of each element, scaled.",
    .formula = "out = scale self^2",
    .infer = inferring<infer_scaled_square>,
    .kernel = filling<scaled_square_kernel>,
    .derivative = {scaled_square_backward, {save_argument("self")}},
    .samples = scaled_square_samples,
};

// A kernel for contiguous float32 relu. It declines other arguments with a reason.
bool accepts_relu(Arguments arguments, std::string* why) {
    const Tensor self = arguments[0].to_tensor();
    const bool fits = self.dtype() == ScalarType::Float32 && self.is_contiguous() && self.numel() == 64;
    if (!fits && why != nullptr) *why = "not 64 contiguous float32 elements";
    return fits;
}

void relu_kernel(const Tensor& out, const Tensor& self) {
    const float* x = self.data<float>();
    float* y = out.data<float>();
    for (std::int64_t i = 0; i < 64; ++i) y[i] = x[i] > 0 || x[i] != x[i] ? x[i] : 0.0f;
}

// relu(relu(x)) is relu(x), and the like. Only where the second call alone reads the first's result: a write to either
// would show in the other.
bool repeats(const ir::Node* node) {
    static const std::unordered_set<ir::Symbol> kIdempotent = {
        ir::Symbol::intern("aten::abs"),  ir::Symbol::intern("aten::ceil"), ir::Symbol::intern("aten::floor"),
        ir::Symbol::intern("aten::relu"), ir::Symbol::intern("aten::sign"), ir::Symbol::intern("aten::trunc")};
    if (!kIdempotent.contains(node->kind()) || node->inputs().size() != 1) return false;
    const ir::Value* input = node->input(0);
    return input->node()->kind() == node->kind() && input->uses().size() == 1;
}

void remove_repeated(ir::Block* block) {
    for (ir::Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) remove_repeated(node->block_at(i));
        if (!repeats(node)) continue;
        node->output()->replace_all_uses_with(node->input(0));
        node->destroy();
    }
}

constexpr passes::Pass kRemoveRepeated{
    "ExampleRemoveRepeated", "Removes a second relu, abs, ceil, floor, sign or trunc of the first one's result.",
    [](ir::Graph& graph, const passes::PassContext&) { remove_repeated(graph.block()); }};

// A format: named rows of numbers as text, "numbers" in its first line and then "fc.bias 0.5 -1.25" in each. A reader
// of weights gives tensors by name; one of programs gives a module with methods.
constexpr std::string_view kNumbersHead = "numbers\n";

std::string_view text_of(const Ptr<MappedFile>& file) {
    const auto bytes = file->bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ModelFile read_numbers(const Ptr<MappedFile>& file) {
    CheckpointWeights weights;
    std::istringstream lines{std::string(text_of(file).substr(kNumbersHead.size()))};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::vector<float> numbers;
        words >> name;
        for (float number = 0; words >> number;) numbers.push_back(number);
        if (!words.eof()) throw Error(ErrorKind::File, concat(file->path().string(), ": ", name, ": no number"));
        const Dims shape{static_cast<std::int64_t>(numbers.size())};
        weights.tensors.emplace_back(name, tensor_of<float>(std::span<const float>(numbers), span_of(shape)));
    }
    if (weights.tensors.empty()) throw Error(ErrorKind::File, concat(file->path().string(), ": it holds no numbers"));
    return weights_tree(std::move(weights), "numbers as text");
}

// A table of the model that is open. QueryContext has what else there is to look at: the last run, its elements.
session::QueryTable parameters_by_size(session::QueryContext& context) {
    if (!context.program()) throw Error(ErrorKind::Usage, "no model is open");
    auto parameters = context.program()->module().named_parameters();
    std::stable_sort(parameters.begin(), parameters.end(),
                     [](const auto& a, const auto& b) { return a.second.numel() > b.second.numel(); });
    session::QueryTable table;
    table.columns = {"parameter", "shape", "elements"};
    for (const auto& [name, tensor] : parameters) {
        const session::Shape shape(tensor.sizes().begin(), tensor.sizes().end());
        table.rows.push_back({name, session::shape_text(shape), std::to_string(tensor.numel())});
    }
    table.note = concat(parameters.size(), " parameters, the largest first");
    return table;
}

constexpr session::TableRecord kParametersBySize{"example.parameters", "Parameters by size",
                                                 "The parameters of the model, the largest first.", parameters_by_size};

// A study: the filters of the first convolution as tiles, in the panel Studies and on the command line.
const Tensor* first_filters(const nn::Named<Tensor>& parameters) {
    for (const auto& [name, tensor] : parameters)
        if (tensor.dim() == 4 && tensor.numel() > 0) return &tensor;
    return nullptr;
}

session::StudyOutcome show_filters(const session::StudySubject& subject, const session::StudyChoices& choices,
                                   const session::StudyReport&) {
    const auto parameters = subject.program().module().named_parameters();
    const Tensor filters = fn::contiguous(
        fn::to_dtype(fn::mean_dim(fn::detach(*first_filters(parameters)), IValue(std::vector<std::int64_t>{1}), false),
                     static_cast<std::int64_t>(ScalarType::Float32)),
        0);
    const std::int64_t size = filters.size(1) * filters.size(2);
    session::StudyTiles tiles;
    tiles.title = "Filters";
    tiles.rows = filters.size(1);
    tiles.columns = filters.size(2);
    tiles.is_signed = true;
    for (std::int64_t i = 0; i < std::min(filters.size(0), choices.integer("most")); ++i) {
        const float* data = filters.data<float>() + i * size;
        const double reach = std::abs(static_cast<double>(
            *std::max_element(data, data + size, [](float a, float b) { return std::abs(a) < std::abs(b); })));
        tiles.tiles.push_back({i, reach, -reach, reach, {data, data + size}});
    }
    tiles.of_values = concat(tiles.tiles.size(), " of ", filters.size(0), " filters");
    session::StudyOutcome out;
    out.result.title = "Filters of the first convolution";
    out.result.facts = {concat(tiles.of_values, ", the mean over their input channels")};
    out.result.tiles.push_back(std::move(tiles));
    out.arrays.emplace_back("filters", filters);
    return out;
}

const session::StudyRecord kFilters{
    .name = "example.filters",
    .title = "Filters",
    .what = "The filters of the first convolution.",
    .paper = {},
    .results = "tiles",
    .panel = {},
    .why_not = [](const session::StudySubject& subject) -> std::string {
        return subject.has_parameter_of_rank(4) ? "" : "no convolution: no parameter has four dimensions";
    },
    .options = [](const session::StudySubject&) -> std::vector<session::StudyOption> {
        return {{.name = "most",
                 .title = "At most",
                 .what = "Filters that are shown",
                 .kind = session::StudyOption::Kind::Integer,
                 .value = "64",
                 .choices = {},
                 .low = 1,
                 .high = 1024}};
    },
    .answer = show_filters,
};

void register_all(const PluginRegistries& registries) {
    static constexpr const OperatorRecord* kRecords[] = {&kScaledSquare};
    registries.add_family({"example", kRecords});
    registries.add_kernel("aten::relu", DeviceType::Cpu, {"example", filling<relu_kernel>.function, accepts_relu});
    registries.add_pass(kRemoveRepeated);
    registries.add_format(
        {.name = "numbers as text",
         .extensions = {".numbers"},
         .accepts = [](const Ptr<MappedFile>& file) { return text_of(file).starts_with(kNumbersHead); },
         .open = read_numbers});
    registries.add_table(kParametersBySize);
    registries.add_study(kFilters);
}

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() {
    static constexpr PluginTable kTable{
        kPluginInterface, "example",
        "Shows how a plugin adds an operator, a kernel, a pass, a format, a table and a study.", "", register_all};
    return &kTable;
}
