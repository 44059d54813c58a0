// SPDX-License-Identifier: Apache-2.0
#include "core/library/torch/written_options.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/value/ivalue.h"

namespace loupe::torch_api {
namespace {

// Of Python alone.
const std::unordered_set<std::string_view> kLeftOut = {
    "_stacklevel", "capturable", "device",        "differentiable", "foreach",        "fused",       "is_causal",
    "max_value",   "min_value",  "process_group", "reduce",         "return_indices", "size_average"};

// "Conv2d" of "Conv2dOptions" and "Conv2dFuncOptions".
std::string_view subject_of(std::string_view class_name) {
    for (const std::string_view ending : {"FuncOptions", "Options"})
        if (class_name.ends_with(ending)) return class_name.substr(0, class_name.size() - ending.size());
    return class_name;
}

// 2 of "Conv2d", 0 where there is no such number.
int dimensions_of(std::string_view subject) {
    if (subject == "Fold" || subject == "Unfold") return 2;
    for (std::size_t i = 1; i < subject.size(); ++i)
        if (subject[i] == 'd' && std::isdigit(static_cast<unsigned char>(subject[i - 1]))) return subject[i - 1] - '0';
    return 0;
}

std::string type_text(const Argument& argument) {
    return argument.type_text.empty() ? argument.type->schema_str() : argument.type_text;
}

// Python chooses one when there is none, LibTorch needs it.
bool is_softmax_dim(const Argument& argument) { return argument.name == "dim" && type_text(argument) == "int?"; }

std::string variant_of(std::string_view first, std::initializer_list<std::string_view> words) {
    std::string text(first);
    for (const std::string_view word : words) text += concat(text.empty() ? "" : ", ", "enumtype::k", word);
    return concat("std::variant<", text, ">");
}

// The variant of an option that is one of several words.
std::string word_type(std::string_view subject, std::string_view name) {
    if (name == "reduction" && subject.starts_with("KLDiv"))
        return variant_of("", {"None", "BatchMean", "Sum", "Mean"});
    if (name == "reduction") return variant_of("", {"None", "Mean", "Sum"});
    if (name == "nonlinearity") return variant_of("", {"Tanh", "ReLU"});
    if (name == "padding_mode" && subject == "GridSample") return variant_of("", {"Zeros", "Border", "Reflection"});
    if (name == "padding_mode") return variant_of("", {"Zeros", "Reflect", "Replicate", "Circular"});
    if (name != "mode") return "std::string";
    if (subject == "EmbeddingBag") return variant_of("", {"Sum", "Mean", "Max"});
    if (subject == "Pad") return variant_of("", {"Constant", "Reflect", "Replicate", "Circular"});
    if (subject == "GridSample") return variant_of("", {"Bilinear", "Nearest", "Bicubic"});
    if (subject == "Upsample") return variant_of("", {"Nearest", "Linear", "Bilinear", "Bicubic", "Trilinear"});
    return variant_of("", {"Nearest", "Linear", "Bilinear", "Bicubic", "Trilinear", "Area", "NearestExact"});
}

// The type of an option of numbers.
std::string list_type(std::string_view subject, std::string_view name) {
    const int dimensions = dimensions_of(subject);
    const auto expanding = [](const char* kind, int count) { return concat(kind, "<", count, ">"); };
    if (name == "scale_factor") return "std::optional<std::vector<double>>";
    if (name == "size" || (name == "output_size" && subject.starts_with("MaxUnpool")))
        return "std::optional<std::vector<std::int64_t>>";
    if (name == "padding" && subject.find("Pad") != subject.npos) return expanding("ExpandingArray", 2 * dimensions);
    if (name == "padding" && subject.starts_with("Conv") && !subject.starts_with("ConvTranspose"))
        return variant_of(expanding("ExpandingArray", dimensions), {"Valid", "Same"});
    if (name == "output_size" && subject.starts_with("Adaptive") && dimensions > 1)
        return expanding("ExpandingArrayWithOptionalElem", dimensions);
    if (name == "output_size" && subject.starts_with("Fractional"))
        return concat("std::optional<", expanding("ExpandingArray", dimensions), ">");
    if (name == "output_ratio") return concat("std::optional<ExpandingArray<", dimensions, ", double>>");
    return dimensions > 0 ? expanding("ExpandingArray", dimensions) : "std::vector<std::int64_t>";
}

// LibTorch's type where the schema's would give another.
std::optional<std::string> type_of_its_own(std::string_view subject, std::string_view name) {
    if (name == "betas" || name == "etas" || name == "step_sizes") return "std::tuple<double, double>";
    if (name == "beta" && subject == "SmoothL1Loss") return "std::optional<double>";
    if (name == "lr" || (name == "momentum" && subject.starts_with("InstanceNorm")) ||
        (name == "value" && subject == "Pad"))
        return "double";
    if ((name == "k" && subject == "CrossMapLRN2d") || (name == "p" && subject == "MultiMarginLoss") ||
        (name == "dim" && (subject == "Unflatten" || subject == "Normalize")))
        return "std::int64_t";
    return std::nullopt;
}

// Empty for what is no option.
std::string option_type(std::string_view subject, const Argument& argument) {
    const std::string text = type_text(argument);
    const std::string_view name = argument.name;
    if (kLeftOut.contains(name)) return {};
    if (const auto own = type_of_its_own(subject, name)) return *own;
    const auto number = [&](const char* type) {
        return text.ends_with("?") ? concat("std::optional<", type, ">") : std::string(type);
    };
    const bool is_list = text.find('[') != text.npos;
    if (is_softmax_dim(argument)) return "std::int64_t";
    if (text.starts_with("Any") || (is_list && text.starts_with("int"))) return list_type(subject, name);
    if (text.starts_with("int") || text.starts_with("SymInt")) return number("std::int64_t");
    if (text.starts_with("bool")) return number("bool");
    if (text.starts_with("ScalarType")) return number("c10::ScalarType");
    if (text.starts_with("Scalar") || text.starts_with("float")) return number("double");
    if (text == "str?") return "std::optional<std::string>";
    if (text.starts_with("str")) return word_type(subject, name);
    if (text.starts_with("Tensor") && !is_list) return "at::Tensor";
    return {};
}

// "bilinear" as the constant that LibTorch has for it.
std::string word_constant(const std::string& word) {
    const bool is_two = word == "nearest-exact";
    std::string name = is_two ? "NearestExact" : word;
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return "torch::k" + name;
}

// The default as C++ writes it; empty for the type's own.
std::string initial_text(std::string_view subject, const std::string& name, const std::string& type,
                         const IValue& value) {
    if (type == "std::tuple<double, double>") {
        if (name == "etas") return "std::make_tuple(0.5, 1.2)";
        if (name == "step_sizes") return "std::make_tuple(1e-6, 50.)";
        return "std::make_tuple(0.9, 0.999)";
    }
    if (type == "std::optional<double>" && subject == "SmoothL1Loss") return {};
    if (name == "value" && value.is_none()) return "0";
    if (value.is_none()) return {};
    if (value.is_string())
        return type == "std::string" ? concat("\"", value.to_string(), "\"")
                                     : word_constant(std::string(value.to_string()));
    if (value.is_bool()) return value.to_bool() ? "true" : "false";
    if (value.is_list())
        return value.to_list().elements.empty() ? "" : std::to_string(value.to_list().elements[0].to_int());
    if (type.find("double") != type.npos) return constant_text(IValue(value.to_double()));
    return std::to_string(value.to_int());
}

bool is_plain(const std::string& type) {
    return type == "std::int64_t" || type == "double" || type == "bool" || type == "c10::ScalarType";
}

// Where LibTorch's default is another option: strides that are the size of the kernel.
bool is_stride_of_kernel(const Option& option) {
    return option.name == "stride" && option.initial.empty() && !option.is_required;
}

std::string constructor_text(const std::string& class_name, const std::vector<Option>& options, std::size_t count) {
    std::vector<std::string> initials;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string& name = options[i].name;
        if (i < count)
            initials.push_back(
                concat(name, "_(", is_plain(options[i].type) ? name : concat("std::move(", name, ")"), ")"));
        else if (is_stride_of_kernel(options[i]))
            initials.push_back(name + "_(kernel_size_)");
    }
    const std::string text = concat("    ", class_name, "(", parameters_text(options, count, true), ")");
    return initials.empty() ? concat("    ", class_name, "() = default;\n")
                            : concat(text, "\n        : ", join(initials, ", "), " {}\n");
}

}  // namespace

std::vector<Option> options_of(std::string_view class_name, const FunctionSchema& schema, std::size_t first) {
    const std::string_view subject = subject_of(class_name);
    std::vector<Option> options;
    for (std::size_t i = first; i < schema.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i];
        Option option;
        option.name = argument.name == "lambd" ? "lambda" : argument.name;
        if (option.name == "unflattened_size") option.name = "sizes";
        option.argument = argument.name;
        option.type = option_type(subject, argument);
        const bool is_rate_needed = subject == "SGD" && argument.name == "lr";
        option.is_required = !argument.default_value.has_value() || is_softmax_dim(argument) || is_rate_needed;
        option.is_left_out_empty = option.type.starts_with("std::optional") && !type_text(argument).ends_with("?") &&
                                   type_text(argument) != "Any";
        if (!option.is_required && argument.default_value)
            option.initial = initial_text(subject, option.name, option.type, *argument.default_value);
        if (!option.type.empty()) options.push_back(std::move(option));
    }
    return options;
}

std::string parameters_text(const std::vector<Option>& options, std::size_t count, bool with_types) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
        texts.push_back(with_types ? concat(options[i].type, " ", options[i].name) : options[i].name);
    return join(texts, ", ");
}

std::vector<std::size_t> constructor_counts(const std::vector<Option>& options) {
    const auto required = static_cast<std::size_t>(
        std::count_if(options.begin(), options.end(), [](const Option& option) { return option.is_required; }));
    if (required > 0 || options.empty()) return {required};
    return {0, 1};
}

ClassText options_class(const std::string& class_name, std::string_view base, const std::vector<Option>& options,
                        const std::vector<std::size_t>& counts) {
    ClassText text;
    text.declared = concat("class ", class_name, " ", base, "{\n  public:\n");
    for (const Option& option : options)
        if (option.type.find(',') != option.type.npos)
            text.declared += concat("    using ", option.name, "_t = ", option.type, ";\n");
    for (const std::size_t count : counts) text.declared += constructor_text(class_name, options, count);
    text.written = concat("nn::detail::Arguments ", class_name,
                          "::engine_arguments() const {\n    nn::detail::Arguments given;\n");
    for (const Option& option : options) {
        const std::string type = option.type.find(',') != option.type.npos ? option.name + "_t" : option.type;
        text.declared += concat("    TORCH_ARG(", type, ", ", option.name, ")",
                                option.initial.empty() ? "" : concat(" = ", option.initial), ";\n");
        text.written += concat("    ", option.is_left_out_empty ? concat("if (", option.name, "_) ") : "",
                               "given.emplace_back(\"", option.argument, "\", boxed_option(", option.name, "_));\n");
    }
    text.declared += "\n  public:\n";
    // Of several numbers in braces: a variant takes none.
    for (const Option& option : options)
        if (option.type.starts_with("std::variant<ExpandingArray"))
            text.declared += concat("    ", class_name, "& ", option.name,
                                    "(std::initializer_list<std::int64_t> list) { return ", option.name, "(",
                                    option.name, "_t(std::variant_alternative_t<0, ", option.name, "_t>(list))); }\n");
    text.declared +=
        concat("    nn::detail::Arguments engine_arguments() const", base.empty() ? ";\n};\n" : " override;\n");
    text.written += "    return given;\n}\n";
    return text;
}

void write_text(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace loupe::torch_api
