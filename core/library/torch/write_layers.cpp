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
#include "core/library/torch/written_print.h"
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

std::string options_name(const std::string& layer) {
    const auto shared = kSharedOptions.find(layer);
    return shared == kSharedOptions.end() ? layer + "Options" : std::string(shared->second);
}

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

std::vector<Option> layer_options(const std::string& name, const FunctionSchema& constructor) {
    std::vector<Option> options = options_of(options_name(name), constructor, 0);
    std::erase_if(options, [&](const Option& option) {
        return option.name == "dtype" || (option.name == "proj_size" && name != "LSTM") ||
               (option.name == "recompute_scale_factor" && name == "Upsample");
    });
    return options;
}

// The class of a layer's options; of a shared one the class, the first time, and another name of it.
void add_options(const std::string& name, const std::vector<Option>& options, const std::vector<std::size_t>& counts,
                 ClassText& out) {
    const std::string whole = options_name(name);
    const bool is_known = out.declared.find(concat("class ", whole, " ")) != out.declared.npos;
    if (!is_known) {
        const ClassText text = options_class(whole, "", options, counts);
        out.declared += text.declared;
        out.written += text.written;
    }
    if (whole != name + "Options") out.declared += concat("using ", name, "Options = ", whole, ";\n");
}

void add_printing(const std::string& name, const std::vector<Option>& options, ClassText& out) {
    out.written += concat("void ", name, "Impl::pretty_print(std::ostream& out) const {\n",
                          print_statements(name, options), "}\n");
}

void add_layer(const nn::LayerRecord& record, ClassText& out) {
    const FunctionSchema& constructor = nn::constructor_schema(record);
    const FunctionSchema& forward = nn::forward_schema(record);
    const std::string name(record.name);
    if (kOptionsOnly.contains(name)) {
        const std::vector<Option> options = layer_options(name, constructor);
        out.declared += concat("// Of ", name, ": ", record.summary, "\n");
        add_options(name, options, constructor_counts(options), out);
        out.declared += "\n";
        add_printing(name, options, out);
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
    out.declared += concat("// ", record.summary, "\n");
    add_options(name, options, counts, out);
    out.declared += concat("class ", name, "Impl : public detail::Layer {\n  public:\n");
    for (const std::size_t count : counts) {
        if (count == 0) continue;
        out.declared += concat("    explicit ", name, "Impl(", parameters_text(options, count, true), ") : ", name,
                               "Impl(", name, "Options(", parameters_text(options, count, false), ")) {}\n");
    }
    out.declared += concat(
        "    explicit ", name, "Impl(const ", name, "Options& given", counts[0] == 0 ? " = {}" : "",
        ");\n    at::Tensor forward(", join(declared, ", "),
        ");\n    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = "
        "std::nullopt) const override;\n    void pretty_print(std::ostream& out) const override;\n    ",
        name, "Options options;\n};\n", kNoHolder.contains(name) ? "" : concat("TORCH_MODULE(", name, ");\n"), "\n");
    out.written +=
        concat(name, "Impl::", name, "Impl(const ", name, "Options& given) : detail::Layer(\"", name,
               "\", given.engine_arguments()), options(given) {}\nat::Tensor ", name, "Impl::forward(",
               join(defined, ", "), ") { return run({", join(boxed, ", "), "}); }\nstd::shared_ptr<Module> ", name,
               "Impl::clone(const std::optional<c10::Device>& device) const { return copied_to(std::make_shared<", name,
               "Impl>(options), device); }\n");
    add_printing(name, options, out);
}

// What the options of an optimiser do besides: read from archives, and take what was not set from others.
ClassText optimizer_options(const std::string& class_name, const std::vector<Option>& options,
                            const std::vector<std::size_t>& counts) {
    ClassText text =
        options_class(class_name, concat(": public OptimizerCloneableOptions<", class_name, "> "), options, counts);
    text.declared +=
        "    using OptimizerOptions::serialize;\n    void serialize(serialize::InputArchive& archive) "
        "override;\n    double get_lr() const override { return lr_; }\n    void set_lr(double lr) override "
        "{ lr_ = lr; }\n    void inherit(const OptimizerOptions& defaults) override;\n";
    text.written += concat("void ", class_name, "::serialize(serialize::InputArchive& archive) {\n");
    for (const Option& option : options)
        text.written += concat("    read_option(archive, \"", option.argument, "\", ", option.name, "_);\n");
    text.written += concat("}\nvoid ", class_name,
                           "::inherit(const OptimizerOptions& defaults) {\n    const auto* from = "
                           "dynamic_cast<const ",
                           class_name, "*>(&defaults);\n    if (from == nullptr) return;\n    const ", class_name,
                           " fresh", options[0].is_required ? "(1e-3)" : "", ";\n");
    for (const Option& option : options)
        text.written += concat("    if (", option.name, "_ == fresh.", option.name, "_) ", option.name, "_ = from->",
                               option.name, "_;\n");
    text.written += "}\n";
    return text;
}

void add_optimizer(const optim::OptimizerRecord& record, ClassText& out) {
    const std::string name(record.name);
    const std::string options_name = name + "Options";
    const std::vector<Option> options = options_of(options_name, parse_schema(record.constructor), 1);
    const std::vector<std::size_t> counts = constructor_counts(options);
    const ClassText text = optimizer_options(options_name, options, counts);
    const std::string defaults = options[0].is_required ? " defaults" : " defaults = {}";
    out.declared +=
        concat("// ", record.summary, "\n", text.declared, "};\nclass ", name,
               " : public detail::EngineOptimizer {\n  public:\n    explicit ", name,
               "(const std::vector<OptimizerParamGroup>& groups, ", options_name, defaults, ");\n    explicit ", name,
               "(std::vector<at::Tensor> parameters, ", options_name, defaults, ");\n};\n\n");
    out.written += concat(text.written, name, "::", name, "(const std::vector<OptimizerParamGroup>& groups, ",
                          options_name, " defaults) : EngineOptimizer(\"", name, "\", groups, std::make_unique<",
                          options_name, ">(std::move(defaults))) {}\n", name, "::", name,
                          "(std::vector<at::Tensor> parameters, ", options_name, " defaults) : ", name,
                          "(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, "
                          "std::move(defaults)) {}\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "write_layers FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder / "loupe_torch");
    ClassText layers, optimizers;
    for (const nn::LayerRecord* record : nn::layer_records()) add_layer(*record, layers);
    for (const optim::OptimizerRecord* record : optim::optimizer_records()) add_optimizer(*record, optimizers);
    write_text(folder / "loupe_torch/layers.inc", layers.declared);
    write_text(folder / "layers_written.inc", layers.written);
    write_text(folder / "loupe_torch/optimizers.inc", optimizers.declared);
    write_text(folder / "optimizers_written.inc", optimizers.written);
    return 0;
}
