// SPDX-License-Identifier: Apache-2.0
// write_layers FOLDER: the layers of torch::nn and the optimisers of torch::optim, written from the engine's records:
// declarations (layers.inc, optimizers.inc) and what nn.cpp includes of them (*_written.inc).

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/strings.h"
#include "core/nn/layer.h"
#include "core/optim/optimizer.h"
#include "core/value/schema.h"

namespace {

using namespace loupe;

// Made of other modules, or with several results.
const std::unordered_set<std::string_view> kLeftOut = {"AdaptiveLogSoftmaxWithLoss",
                                                       "LSTMCell",
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

// The types that an option of a kind takes, the one that fits a number first.
std::vector<std::string> option_types(const Argument& argument) {
    const std::string text = argument.type_text.empty() ? argument.type->schema_str() : argument.type_text;
    const bool is_list = text.find('[') != text.npos;
    if (argument.name == "device" || argument.name == "dtype" || argument.name == "size_average" ||
        argument.name == "reduce")
        return {};
    if (argument.name == "betas" || argument.name == "etas" || argument.name == "step_sizes")
        return {"std::tuple<double, double>"};
    if (text.starts_with("int") || text.starts_with("SymInt"))
        return {is_list ? std::string("const c10::IntArrayRef&") : std::string("std::int64_t")};
    if (text.starts_with("bool")) return {"bool"};
    if (text.starts_with("Scalar") || text.starts_with("float")) return {"double"};
    if (text.starts_with("str")) return {"const char*"};
    if (text.starts_with("Tensor") && !is_list) return {"const at::Tensor&"};
    // Numbers, lists of them, and words such as "same".
    if (text.starts_with("Any")) return {"std::int64_t", "const c10::IntArrayRef&", "const char*"};
    return {};
}

std::string stored(const std::string& type) {
    if (type.find("tuple") != type.npos)
        return "loupe::IValue(loupe::make_ptr<loupe::TupleObject>(std::vector<loupe::IValue>{std::get<0>(value), "
               "std::get<1>(value)}))";
    if (type == "const at::Tensor&") return "loupe::IValue(value.engine())";
    return type == "const c10::IntArrayRef&" ? "value" : "loupe::IValue(value)";
}

struct Option {
    std::string name;
    std::vector<std::string> types;
    bool is_required = false;
};

bool is_list(const Option& option) {
    return std::any_of(option.types.begin(), option.types.end(),
                       [](const std::string& type) { return type.find("ArrayRef") != type.npos; });
}

std::vector<Option> options_of(const FunctionSchema& schema, std::size_t first) {
    std::vector<Option> options;
    for (std::size_t i = first; i < schema.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i];
        Option option{argument.name, option_types(argument), !argument.default_value.has_value()};
        if (!option.types.empty()) options.push_back(std::move(option));
    }
    return options;
}

std::string parameters_text(const std::vector<Option>& options, std::size_t count, bool with_types) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
        // A list takes a number too.
        texts.push_back(with_types ? concat(options[i].types[options[i].types.size() > 1 ? 1 : 0], " ", options[i].name)
                                   : options[i].name);
    return join(texts, ", ");
}

// The counts of options that a constructor takes: those it needs; none and one where it needs none.
std::vector<std::size_t> constructor_counts(const std::vector<Option>& options) {
    const auto required = static_cast<std::size_t>(
        std::count_if(options.begin(), options.end(), [](const Option& option) { return option.is_required; }));
    if (required > 0 || options.empty()) return {required};
    return {0, 1};
}

std::string options_class(const std::string& name, const std::vector<Option>& options,
                          const std::vector<std::size_t>& counts) {
    std::string text = concat("class ", name, "Options : public nn::detail::Options {\n  public:\n");
    for (const std::size_t count : counts) {
        text += concat("    ", name, "Options(", parameters_text(options, count, true), ") {\n");
        for (std::size_t i = 0; i < count; ++i)
            text += concat("        this->", options[i].name, "(", options[i].name, ");\n");
        text += "    }\n";
    }
    // {8} is a number rather than a list of one, which could be other options too.
    if (counts.back() == 1 && is_list(options[0]))
        text += concat("    ", name, "Options(std::int64_t ", options[0].name, ") {\n        this->", options[0].name,
                       "(c10::IntArrayRef(", options[0].name, "));\n    }\n");
    for (const Option& option : options)
        for (const std::string& type : option.types)
            text += concat("    ", name, "Options& ", option.name, "(", type, " value) {\n        set(\"", option.name,
                           "\", ", stored(type), ");\n        return *this;\n    }\n");
    return text + "};\n";
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
           std::all_of(forward.arguments.begin(), forward.arguments.end(),
                       [&](const Argument& argument) { return is_tensor(argument) || argument.default_value; });
}

struct Text {
    std::string declared, written;
};

void add_layer(const nn::LayerRecord& record, Text& out) {
    const FunctionSchema& constructor = nn::constructor_schema(record);
    const FunctionSchema& forward = nn::forward_schema(record);
    const std::string name(record.name);
    if (kLeftOut.contains(name) || name.starts_with("_") || name.starts_with("Lazy") || constructor.is_vararg ||
        !nn::has_forward(record) || !is_of_tensors(forward))
        return;
    const std::vector<Option> options = options_of(constructor, 0);
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
    out.declared += concat("// ", record.summary, "\n", options_class(name, options, counts), "class ", name,
                           "Impl : public detail::Layer {\n  public:\n");
    for (const std::size_t count : counts) {
        if (count == 0) continue;
        out.declared += concat("    explicit ", name, "Impl(", parameters_text(options, count, true), ") : ", name,
                               "Impl(", name, "Options(", parameters_text(options, count, false), ")) {}\n");
    }
    out.declared += concat("    explicit ", name, "Impl(const ", name, "Options& given", counts[0] == 0 ? " = {}" : "",
                           ");\n    at::Tensor forward(", join(declared, ", "), ");\n    ", name,
                           "Options options;\n};\nTORCH_MODULE(", name, ");\n\n");
    out.written += concat(name, "Impl::", name, "Impl(const ", name, "Options& given) : detail::Layer(\"", name,
                          "\", given), options(given) {}\nat::Tensor ", name, "Impl::forward(", join(defined, ", "),
                          ") { return run({", join(boxed, ", "), "}); }\n");
}

void add_optimizer(const optim::OptimizerRecord& record, Text& out) {
    const std::string name(record.name);
    const FunctionSchema schema = parse_schema(record.constructor);
    const std::vector<Option> options = options_of(schema, 1);
    const bool needs_rate = name == "SGD";
    const std::vector<std::size_t> counts = needs_rate ? std::vector<std::size_t>{1} : constructor_counts(options);
    out.declared += concat("// ", record.summary, "\n", options_class(name, options, counts), "class ", name,
                           " : public Optimizer {\n  public:\n    ", needs_rate ? "" : "explicit ", name,
                           "(const std::vector<at::Tensor>& parameters, const ", name, "Options& options",
                           needs_rate ? "" : " = {}", ");\n};\n\n");
    out.written += concat(name, "::", name, "(const std::vector<at::Tensor>& parameters, const ", name,
                          "Options& options) : Optimizer(\"", name, "\", parameters, options) {}\n");
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

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
    write(folder / "loupe_torch/layers.inc", layers.declared);
    write(folder / "layers_written.inc", layers.written);
    write(folder / "loupe_torch/optimizers.inc", optimizers.declared);
    write(folder / "optimizers_written.inc", optimizers.written);
    return 0;
}
