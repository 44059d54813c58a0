// SPDX-License-Identifier: Apache-2.0
// write_layers FOLDER: the layers of torch::nn and the optimisers of torch::optim, written from the engine's records:
// declarations (layers.inc, optimizers.inc) and what nn.cpp includes of them (*_written.inc).

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/strings.h"
#include "core/library/torch/written_options.h"
#include "core/nn/layer.h"
#include "core/optim/optimizer.h"
#include "core/value/schema.h"

namespace {

using namespace loupe;
using namespace loupe::torch_api;

// Their classes are in rnn.h: several results, or arguments that are no tensors.
const std::unordered_set<std::string_view> kOptionsOnly = {"GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"};

// Their holders are in embedding.h: from_pretrained.
const std::unordered_set<std::string_view> kNoHolder = {"Embedding", "EmbeddingBag"};

// Layers whose options are one class in LibTorch.
const std::unordered_map<std::string_view, std::string_view> kSharedOptions = {
    {"BatchNorm1d", "BatchNormOptions"},       {"BatchNorm2d", "BatchNormOptions"},
    {"BatchNorm3d", "BatchNormOptions"},       {"InstanceNorm1d", "InstanceNormOptions"},
    {"InstanceNorm2d", "InstanceNormOptions"}, {"InstanceNorm3d", "InstanceNormOptions"},
    {"Dropout2d", "DropoutOptions"},           {"Dropout3d", "DropoutOptions"},
    {"AlphaDropout", "DropoutOptions"},        {"FeatureAlphaDropout", "DropoutOptions"}};

// Made of other modules (attention.h, transformer.h, functional.h), or with several results.
const std::unordered_set<std::string_view> kLeftOut = {"AdaptiveLogSoftmaxWithLoss",
                                                       "MultiheadAttention",
                                                       "NonDynamicallyQuantizableLinear",
                                                       "ParametrizationList",
                                                       "Transformer",
                                                       "TransformerDecoder",
                                                       "TransformerDecoderLayer",
                                                       "TransformerEncoder",
                                                       "TransformerEncoderLayer",
                                                       "TripletMarginWithDistanceLoss",
                                                       "Module"};

// Tensors to a tensor; nothing for layers of other values.
bool is_of_tensors(const FunctionSchema& forward) {
    const auto is_tensor = [](const Argument& argument) {
        const TypeKind kind = argument.type->kind();
        return kind == TypeKind::Tensor ||
               (kind == TypeKind::Optional && argument.type->element()->kind() == TypeKind::Tensor);
    };
    // Any: of pooling, which may give indices too when it is asked.
    const auto may_be_tensor = [&](const Argument& argument) {
        return is_tensor(argument) || argument.type->kind() == TypeKind::Any;
    };
    return std::all_of(forward.returns.begin(), forward.returns.end(), may_be_tensor) && !forward.is_vararg &&
           std::all_of(forward.arguments.begin(), forward.arguments.end(), [&](const Argument& argument) {
               // Of ctc_loss, which takes lists of them too.
               const bool is_lengths = argument.name.ends_with("_lengths");
               return is_tensor(argument) || is_lengths || argument.default_value;
           });
}

struct Text {
    std::string declared, written;
};

std::vector<Option> layer_options(const std::string& name, const FunctionSchema& constructor) {
    std::vector<Option> options = options_of(constructor, 0);
    std::erase_if(options, [&](const Option& option) {
        return option.name == "dtype" || (option.name == "proj_size" && name != "LSTM");
    });
    return options;
}

// The class of a layer's options; of a shared one the class, the first time, and another name of it.
std::string options_text(const std::string& name, const std::vector<Option>& options,
                         const std::vector<std::size_t>& counts, const std::string& before) {
    const auto shared = kSharedOptions.find(name);
    if (shared == kSharedOptions.end()) return options_class(name + "Options", options, counts);
    const std::string whole(shared->second);
    const bool is_known = before.find(concat("class ", whole, " ")) != before.npos;
    return concat(is_known ? "" : options_class(whole, options, counts), "using ", name, "Options = ", whole, ";\n");
}

void add_layer(const nn::LayerRecord& record, Text& out) {
    const FunctionSchema& constructor = nn::constructor_schema(record);
    const FunctionSchema& forward = nn::forward_schema(record);
    const std::string name(record.name);
    if (kOptionsOnly.contains(name)) {
        const std::vector<Option> options = layer_options(name, constructor);
        out.declared += concat("// Of ", name, ": ", record.summary, "\n",
                               options_class(name + "Options", options, constructor_counts(options)), "\n");
        return;
    }
    if (kLeftOut.contains(name) || name.starts_with("_") || name.starts_with("Lazy") || constructor.is_vararg ||
        !nn::has_forward(record) || !is_of_tensors(forward))
        return;
    const std::vector<Option> options = layer_options(name, constructor);
    const auto counts = constructor_counts(options);
    std::vector<std::string> declared, boxed;
    for (const Argument& argument : forward.arguments) {
        if (argument.default_value && argument.type->kind() == TypeKind::Any) break;
        declared.push_back(concat("const at::Tensor& ", argument.name, argument.default_value ? " = {}" : ""));
        boxed.push_back(argument.name + ".engine()");
    }
    std::vector<std::string> defined = declared;
    for (std::string& each : defined)
        if (each.ends_with(" = {}")) each.resize(each.size() - 5);
    out.declared += concat("// ", record.summary, "\n", options_text(name, options, counts, out.declared), "class ",
                           name, "Impl : public detail::Layer {\n  public:\n");
    for (const std::size_t count : counts) {
        if (count == 0) continue;
        out.declared += concat("    explicit ", name, "Impl(", parameters_text(options, count, true), ") : ", name,
                               "Impl(", name, "Options(", parameters_text(options, count, false), ")) {}\n");
    }
    // The number 2 would fit a list and the options as well.
    if (takes_one_list(options, counts))
        out.declared += concat("    explicit ", name, "Impl(std::int64_t ", options[0].name, ") : ", name, "Impl(",
                               name, "Options(", options[0].name, ")) {}\n");
    out.declared += concat("    explicit ", name, "Impl(const ", name, "Options& given", counts[0] == 0 ? " = {}" : "",
                           ");\n    at::Tensor forward(", join(declared, ", "),
                           ");\n    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = "
                           "std::nullopt) const override;\n    ",
                           name, "Options options;\n};\n",
                           kNoHolder.contains(name) ? "" : concat("TORCH_MODULE(", name, ");\n"), "\n");
    out.written +=
        concat(name, "Impl::", name, "Impl(const ", name, "Options& given) : detail::Layer(\"", name,
               "\", given), options(given) {}\nat::Tensor ", name, "Impl::forward(", join(defined, ", "),
               ") { return run({", join(boxed, ", "), "}); }\nstd::shared_ptr<Module> ", name,
               "Impl::clone(const std::optional<c10::Device>& device) const { return copied_to(std::make_shared<", name,
               "Impl>(options), device); }\n");
}

void add_optimizer(const optim::OptimizerRecord& record, Text& out) {
    const std::string name(record.name);
    const FunctionSchema schema = parse_schema(record.constructor);
    const std::vector<Option> options = options_of(schema, 1);
    const bool needs_rate = name == "SGD";
    const std::vector<std::size_t> counts = needs_rate ? std::vector<std::size_t>{1} : constructor_counts(options);
    out.declared += concat("// ", record.summary, "\n", options_class(name + "Options", options, counts), "class ",
                           name, " : public Optimizer {\n  public:\n    ", needs_rate ? "" : "explicit ", name,
                           "(const std::vector<at::Tensor>& parameters, const ", name, "Options& options",
                           needs_rate ? "" : " = {}", ");\n};\n\n");
    out.written += concat(name, "::", name, "(const std::vector<at::Tensor>& parameters, const ", name,
                          "Options& options) : Optimizer(\"", name, "\", parameters, options) {}\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "write_layers FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder / "loupe_torch");
    Text layers, optimizers;
    for (const nn::LayerRecord* record : nn::layer_records()) add_layer(*record, layers);
    for (const optim::OptimizerRecord* record : optim::optimizer_records()) add_optimizer(*record, optimizers);
    write_text(folder / "loupe_torch/layers.inc", layers.declared);
    write_text(folder / "layers_written.inc", layers.written);
    write_text(folder / "loupe_torch/optimizers.inc", optimizers.declared);
    write_text(folder / "optimizers_written.inc", optimizers.written);
    return 0;
}
