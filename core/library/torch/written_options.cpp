// SPDX-License-Identifier: Apache-2.0
#include "core/library/torch/written_options.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/value/ivalue.h"

namespace loupe::torch_api {
namespace {

// Of Python alone.
const std::unordered_set<std::string_view> kLeftOut = {"_stacklevel", "device", "reduce", "size_average"};
const std::unordered_set<std::string_view> kPairs = {"betas", "etas", "step_sizes"};
// Of numbers that need not be whole.
const std::unordered_set<std::string_view> kDoubleLists = {"output_ratio", "scale_factor"};

std::string type_text(const Argument& argument) {
    return argument.type_text.empty() ? argument.type->schema_str() : argument.type_text;
}

// Python chooses one when there is none, LibTorch needs it.
bool is_softmax_dim(const Argument& argument) { return argument.name == "dim" && type_text(argument) == "int?"; }

std::vector<std::string> option_types(const Argument& argument) {
    const std::string text = type_text(argument);
    const bool is_list = text.find('[') != text.npos;
    if (kLeftOut.contains(argument.name)) return {};
    if (kPairs.contains(argument.name)) return {"std::tuple<double, double>"};
    if (kDoubleLists.contains(argument.name)) return {"const std::vector<double>&"};
    const auto number = [&](const char* type) {
        return std::vector<std::string>{text.ends_with("?") ? concat("std::optional<", type, ">") : std::string(type)};
    };
    if ((text.starts_with("int") || text.starts_with("SymInt")) && is_list) return {"const c10::IntArrayRef&"};
    if (is_softmax_dim(argument)) return {"std::int64_t"};
    if (text.starts_with("int") || text.starts_with("SymInt")) return number("std::int64_t");
    if (text.starts_with("bool")) return number("bool");
    if (text.starts_with("ScalarType")) return number("c10::ScalarType");
    if (text.starts_with("Scalar") || text.starts_with("float")) return number("double");
    if (text.starts_with("str")) return {"const nn::detail::Word&"};
    if (text.starts_with("Tensor") && !is_list) return {"const at::Tensor&"};
    // Numbers and lists of them; "same" and "valid" where there is padding.
    if (text.starts_with("Any") && argument.name == "padding")
        return {"std::int64_t", "const c10::IntArrayRef&", "const nn::detail::Word&"};
    if (text.starts_with("Any")) return {"std::int64_t", "const c10::IntArrayRef&"};
    return {};
}

std::string setter_body(const Option& option, const std::string& type) {
    const std::string name = concat("(\"", option.argument, "\", ");
    if (type.starts_with("std::tuple"))
        return concat(
            "set", name,
            "loupe::IValue(loupe::make_ptr<loupe::TupleObject>(std::vector<loupe::IValue>{std::get<0>(value), "
            "std::get<1>(value)})))");
    if (type.starts_with("std::optional"))
        return concat("set", name, "value ? loupe::IValue(",
                      type.find("ScalarType") == type.npos ? "*value" : "static_cast<std::int64_t>(*value)",
                      ") : loupe::IValue())");
    if (type == "const at::Tensor&") return concat("set", name, "loupe::IValue(value.engine()))");
    if (type == "const nn::detail::Word&") return concat("set", name, "value)");
    if (type.find("vector") != type.npos) return concat("set_list", name, "value)");
    if (type.find("ArrayRef") != type.npos) return concat(option.is_plain_list ? "set_list" : "set", name, "value)");
    return concat("set", name, "loupe::IValue(value))");
}

// A number as C++ writes it.
std::string number_text(const IValue& value, const std::string& type) {
    if (type == "bool") return value.to_bool() ? "true" : "false";
    return type == "double" ? constant_text(IValue(value.to_double())) : concat("std::int64_t{", value.to_int(), "}");
}

// "double" of "std::optional<double>"; other types are as they are.
std::string plain_type(const std::string& type) {
    static constexpr std::string_view kOptional = "std::optional<";
    return type.starts_with(kOptional) ? type.substr(kOptional.size(), type.size() - kOptional.size() - 1) : type;
}

// Sets what is read back of an option.
void set_getter(const Argument& argument, Option& option) {
    if (option.types.size() != 1) return;
    const std::string& type = option.types[0];
    const std::string plain = plain_type(type);
    if (type == "const at::Tensor&") {
        option.getter = "at::Tensor";
        option.default_value = "at::Tensor()";
    }
    if (plain != "std::int64_t" && plain != "double" && plain != "bool") return;
    option.getter = type;
    const bool has_number = argument.default_value && !argument.default_value->is_none();
    const std::string number = has_number ? number_text(*argument.default_value, plain) : "";
    const bool is_number = has_number && type == plain;
    option.default_value = is_number ? number : concat(type, "(", number, ")");
}

}  // namespace

std::vector<Option> options_of(const FunctionSchema& schema, std::size_t first) {
    std::vector<Option> options;
    for (std::size_t i = first; i < schema.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i];
        Option option;
        option.name = argument.name == "lambd" ? "lambda" : argument.name;
        option.argument = argument.name;
        option.types = option_types(argument);
        option.is_required = !argument.default_value.has_value() || is_softmax_dim(argument);
        option.is_plain_list = type_text(argument).starts_with("int[]");
        set_getter(argument, option);
        if (!option.types.empty()) options.push_back(std::move(option));
    }
    return options;
}

std::string parameters_text(const std::vector<Option>& options, std::size_t count, bool with_types) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
        // A list takes a number too.
        texts.push_back(
            with_types ? concat(plain_type(options[i].types[options[i].types.size() > 1 ? 1 : 0]), " ", options[i].name)
                       : options[i].name);
    return join(texts, ", ");
}

std::vector<std::size_t> constructor_counts(const std::vector<Option>& options) {
    const auto required = static_cast<std::size_t>(
        std::count_if(options.begin(), options.end(), [](const Option& option) { return option.is_required; }));
    if (required > 0 || options.empty()) return {required};
    return {0, 1};
}

bool takes_one_list(const std::vector<Option>& options, const std::vector<std::size_t>& counts) {
    const auto is_list = [](const std::string& type) { return type.find("ArrayRef") != type.npos; };
    return counts.back() == 1 && std::any_of(options[0].types.begin(), options[0].types.end(), is_list);
}

std::string options_class(const std::string& class_name, const std::vector<Option>& options,
                          const std::vector<std::size_t>& counts) {
    std::string text = concat("class ", class_name, " : public nn::detail::Options {\n  public:\n");
    for (const std::size_t count : counts) {
        text += concat("    ", class_name, "(", parameters_text(options, count, true), ") {\n");
        for (std::size_t i = 0; i < count; ++i)
            text += concat("        this->", options[i].name, "(", options[i].name, ");\n");
        text += "    }\n";
    }
    // {8} is a number rather than a list of one, which could be other options too.
    if (takes_one_list(options, counts))
        text += concat("    ", class_name, "(std::int64_t ", options[0].name, ") {\n        this->", options[0].name,
                       "(c10::IntArrayRef(", options[0].name, "));\n    }\n");
    for (const Option& option : options) {
        for (const std::string& type : option.types)
            text += concat("    ", class_name, "& ", option.name, "(", type, " value) {\n        ",
                           setter_body(option, type), ";\n        return *this;\n    }\n");
        if (!option.getter.empty())
            text += concat("    ", option.getter, " ", option.name, "() const { return value_or(\"", option.argument,
                           "\", ", option.default_value, "); }\n");
    }
    return text + "};\n";
}

void write_text(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace loupe::torch_api
