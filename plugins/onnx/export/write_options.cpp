// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/write_options.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::onnx_export {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& hint) {
    throw Error(ErrorKind::Usage, concat(option, " '", text, "' is not understood"), {.hint = hint});
}

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

int parse_opset(const std::string& text) {
    const auto value = number_in(text);
    if (!value || *value < kFirstOpset || *value > kLastOpset)
        refuse("opset", text, concat("opsets ", kFirstOpset, " to ", kLastOpset, " can be written"));
    return static_cast<int>(*value);
}

bool parse_flag(const std::string& name, const std::string& text) {
    if (text == "true" || text == "1" || text == "True") return true;
    if (text == "false" || text == "0" || text == "False") return false;
    refuse(name, text, "true or false");
}

DynamicSize parse_dynamic(std::string_view text) {
    const std::string hint = "arg0:0=batch names size 0 of the first argument";
    DynamicSize size;
    std::string_view rest = text;
    if (const auto equals = rest.find('='); equals != std::string_view::npos) {
        size.name = rest.substr(equals + 1);
        rest = rest.substr(0, equals);
        if (size.name.empty()) refuse("dynamic", text, hint);
    }
    if (const auto colon = rest.rfind(':'); colon != std::string_view::npos) {
        const auto dim = number_in(rest.substr(colon + 1));
        if (!dim) refuse("dynamic", text, hint);
        size.dim = *dim;
        rest = rest.substr(0, colon);
    } else if (!size.name.empty()) {
        refuse("dynamic", text, hint);
    }
    if (const auto dot = rest.rfind('.'); dot != std::string_view::npos) {
        if (const auto element = number_in(rest.substr(dot + 1))) {
            size.element = *element;
            rest = rest.substr(0, dot);
        }
    }
    if (rest.empty()) refuse("dynamic", text, hint);
    size.argument = rest;
    return size;
}

std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    for (const std::string_view name : split(text, ',')) names.emplace_back(name);
    return text.empty() ? std::vector<std::string>() : names;
}

}  // namespace

WriteOptions parse_options(const std::vector<std::pair<std::string, std::string>>& given) {
    WriteOptions options;
    for (const auto& [name, text] : given) {
        if (name == "opset") {
            options.exporting.opset = parse_opset(text);
        } else if (name == "dynamic") {
            for (const std::string_view each : split(text, ',')) options.dynamic.push_back(parse_dynamic(each));
        } else if (name == "input_names") {
            options.exporting.input_names = names_in(text);
        } else if (name == "output_names") {
            options.exporting.output_names = names_in(text);
        } else if (name == "export_params") {
            options.exporting.exports_parameters = parse_flag(name, text);
        } else if (name == "keep_initializers_as_inputs") {
            options.exporting.parameters_are_inputs = parse_flag(name, text);
        } else if (name == "do_constant_folding") {
            options.exporting.folds_constants = parse_flag(name, text);
        } else if (name == "external_data") {
            options.is_external = parse_flag(name, text);
        } else {
            throw Error(ErrorKind::Usage, concat("the writer of .onnx has no option '", name, "'"));
        }
    }
    return options;
}

}  // namespace loupe::onnx_export
