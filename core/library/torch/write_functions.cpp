// SPDX-License-Identifier: Apache-2.0
// write_functions FOLDER: the functions of at:: and the methods of at::Tensor, written from the engine's schemas by the
// rules by which PyTorch writes its own: functions.inc and methods.inc (declarations), functions_N.cpp (definitions).

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/strings.h"
#include "core/dispatch/registry.h"

namespace {

using namespace loupe;

constexpr std::size_t kParts = 6;  // of functions_N.cpp

// Names that at::Tensor and functions.h define themselves, or that only Python and scripts have.
const std::unordered_set<std::string_view> kWritten = {"_version",
                                                       "backward",
                                                       "contiguous",
                                                       "cpu",
                                                       "cuda",
                                                       "data",
                                                       "device",
                                                       "dim",
                                                       "dtype",
                                                       "element_size",
                                                       "get_device",
                                                       "grad",
                                                       "is_complex",
                                                       "is_contiguous",
                                                       "is_cuda",
                                                       "is_floating_point",
                                                       "is_leaf",
                                                       "is_non_overlapping_and_dense",
                                                       "is_sparse",
                                                       "item",
                                                       "itemsize",
                                                       "layout",
                                                       "len",
                                                       "list",
                                                       "nbytes",
                                                       "numel",
                                                       "output_nr",
                                                       "print",
                                                       "requires_grad",
                                                       "requires_grad_",
                                                       "retain_grad",
                                                       "retains_grad",
                                                       "set_data",
                                                       "size",
                                                       "storage_offset",
                                                       "stride",
                                                       "tensor",
                                                       "tolist",
                                                       "as_tensor",
                                                       "is_cpu",
                                                       "ndim",
                                                       "ndimension"};

// PyTorch's cpp_no_default_args: up to this argument there are no defaults, so that overloads can be told apart.
const std::unordered_map<std::string_view, std::string_view> kLastWithoutDefault = {{"aten::all.dims", "dim"},
                                                                                    {"aten::any.dims", "dim"},
                                                                                    {"aten::arange.start_step", "step"},
                                                                                    {"aten::clamp", "min"},
                                                                                    {"aten::clamp_", "min"},
                                                                                    {"aten::clip", "min"},
                                                                                    {"aten::clip_", "min"},
                                                                                    {"aten::conv1d.padding", "padding"},
                                                                                    {"aten::conv2d.padding", "padding"},
                                                                                    {"aten::conv3d.padding", "padding"},
                                                                                    {"aten::std", "unbiased"},
                                                                                    {"aten::std.dim", "unbiased"},
                                                                                    {"aten::std_mean", "unbiased"},
                                                                                    {"aten::std_mean.dim", "unbiased"},
                                                                                    {"aten::stft", "normalized"},
                                                                                    {"aten::var", "unbiased"},
                                                                                    {"aten::var.dim", "unbiased"},
                                                                                    {"aten::var_mean", "unbiased"},
                                                                                    {"aten::var_mean.dim", "unbiased"}};

// The engine's schemas are of a PyTorch in which these had no defaults yet: every optional argument has one since.
const std::unordered_set<std::string_view> kLaterDefaults = {"aten::std.correction", "aten::std_mean.correction",
                                                             "aten::var.correction", "aten::var_mean.correction"};

const std::unordered_set<std::string_view> kKeywords = {
    "and", "class", "default", "delete", "double", "export",   "float", "int",  "long", "new",    "not",     "operator",
    "or",  "short", "signed",  "this",   "union",  "unsigned", "xor",   "char", "bool", "struct", "template"};

std::string type_text(const Argument& argument) {
    return argument.type_text.empty() ? argument.type->schema_str() : argument.type_text;
}

// "int[2]" -> "int[]"; SymInt is an int in C++.
std::string plain_type(const Argument& argument) {
    std::string text;
    const std::string full = type_text(argument);
    for (std::size_t i = 0; i < full.size(); ++i) {
        text += full[i];
        if (full[i] != '[') continue;
        while (i + 1 < full.size() && std::isdigit(static_cast<unsigned char>(full[i + 1])) != 0) ++i;
    }
    if (text.starts_with("SymInt")) text = "int" + text.substr(6);
    return text;
}

// Nothing for a type that C++ programs have no use for.
std::optional<std::string> cpp_type(const Argument& argument) {
    static const std::unordered_map<std::string_view, std::string_view> kTypes = {
        {"Tensor", "const at::Tensor &"},
        {"Tensor?", "const ::std::optional<at::Tensor> &"},
        {"Tensor[]", "at::TensorList"},
        {"Tensor?[]", "const c10::List<::std::optional<at::Tensor>> &"},
        {"int", "int64_t"},
        {"int?", "::std::optional<int64_t>"},
        {"int[]", "at::IntArrayRef"},
        {"int[]?", "at::OptionalIntArrayRef"},
        {"float", "double"},
        {"float?", "::std::optional<double>"},
        {"float[]", "at::ArrayRef<double>"},
        {"float[]?", "::std::optional<at::ArrayRef<double>>"},
        {"bool", "bool"},
        {"bool?", "::std::optional<bool>"},
        {"Scalar", "const at::Scalar &"},
        {"Scalar?", "const ::std::optional<at::Scalar> &"},
        {"Scalar[]", "at::ArrayRef<at::Scalar>"},
        {"str", "c10::string_view"},
        {"str?", "::std::optional<c10::string_view>"},
        {"ScalarType", "at::ScalarType"},
        {"ScalarType?", "::std::optional<at::ScalarType>"},
        {"Layout", "at::Layout"},
        {"Layout?", "::std::optional<at::Layout>"},
        {"Device", "at::Device"},
        {"Device?", "::std::optional<at::Device>"},
        {"MemoryFormat", "at::MemoryFormat"},
        {"MemoryFormat?", "::std::optional<at::MemoryFormat>"},
        {"Generator?", "::std::optional<at::Generator>"}};
    const std::string text = plain_type(argument);
    if (text == "bool[]") return concat("::std::array<bool,", argument.list_size.value_or(0), ">");
    if (text == "Tensor" && argument.alias && argument.alias->is_write) return "at::Tensor &";
    const auto found = kTypes.find(text);
    return found == kTypes.end() ? std::nullopt : std::optional<std::string>(found->second);
}

std::optional<std::string> result_type(const Argument& result) {
    static const std::unordered_map<std::string_view, std::string_view> kTypes = {
        {"Tensor", "at::Tensor"},
        {"Tensor[]", "::std::vector<at::Tensor>"},
        {"int", "int64_t"},
        {"float", "double"},
        {"bool", "bool"},
        {"Scalar", "at::Scalar"},
        {"ScalarType", "at::ScalarType"}};
    const auto found = kTypes.find(plain_type(result));
    return found == kTypes.end() ? std::nullopt : std::optional<std::string>(found->second);
}

std::string number_text(const IValue& value) { return constant_text(value); }

std::string default_text(const Argument& argument, const std::string& type) {
    const IValue& value = *argument.default_value;
    if (value.is_none()) return type.find("at::Tensor") != type.npos ? "{}" : "::std::nullopt";
    if (value.is_bool()) return value.to_bool() ? "true" : "false";
    if (value.is_list()) {
        const auto& elements = value.to_list().elements;
        std::vector<std::string> texts;
        for (const IValue& element : elements) texts.push_back(number_text(element));
        const bool same = !texts.empty() && std::all_of(texts.begin(), texts.end(),
                                                        [&](const std::string& text) { return text == texts[0]; });
        return same ? texts[0] : concat("{", join(texts, ","), "}");
    }
    for (const std::string_view name : {"at::ScalarType", "at::MemoryFormat", "at::Layout"})
        if (type.find(name) != type.npos) return concat("static_cast<", name, ">(", number_text(value), ")");
    return number_text(value);
}

struct Parameter {
    std::string type, name, default_value, boxes;
};

struct Written {
    std::string name;
    std::string full_name;
    std::string result;
    std::vector<Parameter> parameters;
    std::size_t self = std::string::npos;  // index of the parameter that a method is called on
    bool writes_self = false;
    bool makes_tensor = false;       // with options, which may ask for a gradient
    std::vector<std::string> boxes;  // by argument of the schema
    std::vector<std::string> outs;   // parameters that are the results
};

std::string parameter_name(const std::string& name) { return kKeywords.contains(name) ? name + "_" : name; }

// dtype, layout, device and pin_memory from here on.
bool are_options(const std::vector<Argument>& arguments, std::size_t i) {
    static constexpr std::array<std::string_view, 4> kNames{"dtype", "layout", "device", "pin_memory"};
    if (i + 4 > arguments.size()) return false;
    for (std::size_t k = 0; k < 4; ++k)
        if (arguments[i + k].name != kNames[k]) return false;
    return true;
}

bool is_result(const Argument& argument) { return argument.kwarg_only && argument.alias && argument.alias->is_write; }

std::string box_of(const Argument& argument, const std::string& name) {
    const bool is_list = argument.list_size && plain_type(argument).starts_with("int[]");
    return is_list ? concat("box(", name, ", ", *argument.list_size, ")") : concat("box(", name, ")");
}

bool add_parameters(const Operator& op, Written& out) {
    const auto& arguments = op.schema.arguments;
    std::vector<Parameter> results;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        const std::string name = parameter_name(argument.name);
        if (are_options(arguments, i)) {
            const auto& given = argument.default_value;
            const bool has_default = given.has_value();
            const std::string value = !has_default ? "" : given->is_none() ? "{}" : "at::kLong";
            out.parameters.push_back({"at::TensorOptions", "options", value, {}});
            for (const char* part :
                 {"options.dtype_opt()", "options.layout_opt()", "options.device_opt()", "options.pinned_memory_opt()"})
                out.boxes.push_back(concat("box(", part, ")"));
            out.makes_tensor = true;
            i += 3;
            continue;
        }
        const auto type = cpp_type(argument);
        if (!type) return false;
        out.boxes.push_back(box_of(argument, name));
        if (is_result(argument)) {
            results.push_back({*type, name, {}, {}});
            out.outs.push_back(name);
            continue;
        }
        if (argument.name == "self" && plain_type(argument) == "Tensor" && out.self == std::string::npos) {
            out.self = out.parameters.size();
            out.writes_self = argument.alias && argument.alias->is_write;
        }
        out.parameters.push_back(
            {*type, name, argument.default_value ? default_text(argument, *type) : std::string(), {}});
    }
    out.parameters.insert(out.parameters.begin(), results.begin(), results.end());
    if (!results.empty()) out.self = std::string::npos;
    return true;
}

// Defaults only where everything behind has one too.
void trim_defaults(Written& out) {
    bool may = true;
    if (kLaterDefaults.contains(out.full_name)) {
        for (Parameter& parameter : out.parameters)
            if (parameter.type.find("ptional") != std::string::npos) parameter.default_value = "::std::nullopt";
        for (Parameter& parameter : out.parameters)
            if (parameter.name == "correction") parameter.type = "const ::std::optional<at::Scalar> &";
    }
    for (std::size_t i = out.parameters.size(); i-- > 0;) {
        if (out.parameters[i].default_value.empty()) may = false;
        if (!may) out.parameters[i].default_value.clear();
    }
    const auto limit = kLastWithoutDefault.find(out.full_name);
    if (limit == kLastWithoutDefault.end()) return;
    for (Parameter& parameter : out.parameters) {
        parameter.default_value.clear();
        if (parameter.name == limit->second) break;
    }
}

bool add_result(const Operator& op, Written& out) {
    const auto& returns = op.schema.returns;
    if (!out.outs.empty()) {
        std::vector<std::string> references(out.outs.size(), "at::Tensor &");
        out.result = out.outs.size() == 1 ? references[0] : concat("::std::tuple<", join(references, ","), ">");
        return true;
    }
    if (out.writes_self && returns.size() == 1) {
        out.result = "at::Tensor &";
        return true;
    }
    std::vector<std::string> types;
    for (const Argument& each : returns) {
        const auto type = result_type(each);
        if (!type) return false;
        types.push_back(*type);
    }
    out.result = types.empty() ? "void" : types.size() == 1 ? types[0] : concat("::std::tuple<", join(types, ","), ">");
    return true;
}

std::optional<Written> written(const Operator& op) {
    const std::string& name = op.schema.name;
    if (!name.starts_with("aten::") || op.schema.is_vararg || op.schema.is_varret) return std::nullopt;
    Written out;
    out.name = name.substr(6);
    out.full_name = op.full_name;
    const std::string& overload = op.schema.overload;
    if (std::isupper(static_cast<unsigned char>(out.name[0])) != 0 || kWritten.contains(out.name)) return std::nullopt;
    if (overload.starts_with("prim_") || overload.find("hacked_twin") != overload.npos) return std::nullopt;
    if (out.name == "copy_" && !overload.empty()) return std::nullopt;
    const auto is_of_names = [](const Argument& argument) { return argument.name == "names"; };
    if (std::any_of(op.schema.arguments.begin(), op.schema.arguments.end(), is_of_names)) return std::nullopt;
    if (!add_parameters(op, out) || !add_result(op, out)) return std::nullopt;
    const auto has_tensor = [](const std::string& text) { return text.find("Tensor") != text.npos; };
    if (!has_tensor(out.result) && std::none_of(out.parameters.begin(), out.parameters.end(),
                                                [&](const Parameter& each) { return has_tensor(each.type); }))
        return std::nullopt;
    if (!out.outs.empty()) out.name += "_out";
    trim_defaults(out);
    return out;
}

std::string parameter_list(const Written& function, bool with_defaults, std::size_t left_out = std::string::npos) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (i == left_out) continue;
        const Parameter& each = function.parameters[i];
        texts.push_back(concat(each.type, " ", each.name,
                               with_defaults && !each.default_value.empty() ? "=" + each.default_value : ""));
    }
    return join(texts, ", ");
}

// Two overloads that C++ could not tell apart are one: the first.
std::string key_of(const Written& function) {
    std::string key = function.name;
    for (const Parameter& each : function.parameters) key += "|" + each.type;
    return key;
}

std::string body_of(const Written& function) {
    std::string body = concat("    static const Operator op(\"", function.full_name,
                              "\");\n    const loupe::IValue arguments[] = {", join(function.boxes, ", "), "};\n");
    if (!function.outs.empty()) {
        body += "    op.run(arguments);\n";
        return body + (function.outs.size() == 1 ? concat("    return ", function.outs[0], ";\n")
                                                 : concat("    return ::std::tie(", join(function.outs, ", "), ");\n"));
    }
    if (function.result == "at::Tensor &") return body + "    op.run(arguments);\n    return self;\n";
    if (function.result == "void") return body + "    op.run(arguments);\n";
    if (function.makes_tensor && function.result == "at::Tensor")
        return body + "    return with_gradient(op.call<at::Tensor>(arguments), options);\n";
    return body + concat("    return op.call<", function.result, ">(arguments);\n");
}

std::string method_declaration(const Written& function, const char* scope, bool with_defaults) {
    return concat(function.result, " ", scope, function.name, "(",
                  parameter_list(function, with_defaults, function.self), ") const");
}

std::string method_body(const Written& function) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        names.push_back(i != function.self     ? function.parameters[i].name
                        : function.writes_self ? "const_cast<at::Tensor &>(*this)"
                                               : "*this");
    return concat("    return at::", function.name, "(", join(names, ", "), ");\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "write_functions FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder / "loupe_torch");
    std::ofstream declarations(folder / "loupe_torch/functions.inc");
    std::ofstream methods(folder / "loupe_torch/methods.inc");
    std::vector<std::string> parts(kParts,
                                   "#include \"core/library/torch/call.h\"\n\n#include <loupe_torch/functions.h>\n"
                                   "#include <loupe_torch/ivalue.h>\n\nusing namespace loupe::torch_api;\n\n"
                                   "namespace at {\n\n");
    std::set<std::string> known;
    std::size_t count = 0;
    for (const Operator* op : all_operators()) {
        const auto function = written(*op);
        if (!function || !known.insert(key_of(*function)).second) continue;
        std::string& part = parts[count++ % kParts];
        declarations << concat(function->result, " ", function->name, "(", parameter_list(*function, true), ");\n");
        part += concat(function->result, " ", function->name, "(", parameter_list(*function, false), ") {\n",
                       body_of(*function), "}\n");
        if (function->self == std::string::npos) continue;
        methods << method_declaration(*function, "", true) << ";\n";
        part += concat(method_declaration(*function, "Tensor::", false), " {\n", method_body(*function), "}\n");
    }
    for (std::size_t i = 0; i < kParts; ++i)
        std::ofstream(folder / concat("functions_", i, ".cpp")) << parts[i] << "\n}  // namespace at\n";
    std::printf("%zu functions\n", count);
    return 0;
}
