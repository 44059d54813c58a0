// SPDX-License-Identifier: Apache-2.0
#include "core/model/input_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/image/image.h"
#include "core/formats/numpy/npy.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return extension;
}

bool is_image(const std::string& extension) {
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}
bool is_pickle(const std::string& extension) { return extension == ".pt" || extension == ".pth"; }

Tensor from_npz(const fs::path& file, const std::string& key) {
    const NamedTensors all = read_npz(file);
    for (const auto& [name, tensor] : all) {
        if (name == key) return tensor;
    }
    if (key.empty() && all.size() == 1) return all.front().second;
    std::vector<std::string> names;
    for (const auto& entry : all) names.push_back(entry.first);
    throw Error(ErrorKind::Usage, concat("no array '", key, "' in it"),
                {.file = file.string(), .hint = concat("it has ", join(names, ", "))});
}

const std::vector<IValue>* elements_of(const IValue& value) {
    if (value.is_tuple()) return &value.to_tuple().elements;
    return value.is_list() ? &value.to_list().elements : nullptr;
}

// "1.0": the first element of the second; of a dict the value under the key.
IValue find_in_pickle(const fs::path& file, const std::string& key) {
    const IValue value = read_checkpoint(file);
    if (value.is_dict() && !key.empty()) {
        if (const IValue* found = value.to_dict().find(key)) return *found;
    }
    const IValue* at = &value;
    for (std::string_view rest = key; at != nullptr && !rest.empty() && elements_of(*at) != nullptr;) {
        const auto dot = rest.find('.');
        const std::string_view part = rest.substr(0, dot);
        std::size_t index = 0;
        const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (status != std::errc() || end != part.data() + part.size()) return {};
        rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
        const auto& elements = *elements_of(*at);
        at = index < elements.size() ? &elements[index] : nullptr;
    }
    return at == nullptr ? IValue() : *at;
}

Tensor from_pickle(const fs::path& file, const std::string& key) {
    IValue value = find_in_pickle(file, key);
    // Of a tuple that is asked for as a whole, the first.
    while (key.empty() && elements_of(value) != nullptr && !elements_of(value)->empty())
        value = IValue(elements_of(value)->front());
    if (value.is_tensor()) return value.to_tensor();
    throw Error(ErrorKind::Usage, concat("holds no tensor '", key, "'"), {.file = file.string()});
}

InputSpec file_spec(const fs::path& file, std::string key) {
    InputSpec spec;
    spec.source = InputSpec::Source::File;
    spec.file = file.string();
    spec.key = std::move(key);
    return spec;
}

InputSpec described(InputSpec spec, const Tensor& t) {
    spec.shape.assign(t.sizes().begin(), t.sizes().end());
    spec.dtype = std::string(dtype_name(t.dtype()));
    return spec;
}

// A tensor, a number, a dict, or a list or tuple of them, which stands under the key in a pickle.
InputSpec spec_of_value(const IValue& value, const fs::path& file, const std::string& key) {
    if (value.is_tensor()) return described(file_spec(file, key), value.to_tensor());
    if (value.is_dict()) return file_spec(file, key);
    InputSpec spec;
    const auto* elements = elements_of(value);
    if (elements == nullptr || elements->empty() || elements->front().is_number()) {
        spec.literal = python_repr(value);
        return spec;
    }
    for (std::size_t i = 0; i < elements->size(); ++i) {
        spec.elements.push_back(
            spec_of_value((*elements)[i], file, key.empty() ? std::to_string(i) : concat(key, ".", i)));
    }
    return spec;
}

// "arg0", or what the argument is called; a list: with ".0", ".1", ... behind.
ArrayInputs inputs_in(const NamedTensors& all, const fs::path& file, const FunctionSchema& schema) {
    ArrayInputs out;
    std::set<std::string> used;
    const auto find = [&](const std::string& key) -> std::optional<InputSpec> {
        for (const auto& [name, tensor] : all) {
            if (name != key) continue;
            used.insert(key);
            return described(file_spec(file, key), tensor);
        }
        return std::nullopt;
    };
    const auto find_list = [&](const std::string& key) -> std::optional<InputSpec> {
        InputSpec list;
        while (auto element = find(concat(key, ".", list.elements.size())))
            list.elements.push_back(std::move(*element));
        return list.elements.empty() ? std::nullopt : std::optional(std::move(list));
    };
    for (std::size_t i = 1; i < schema.arguments.size(); ++i) {
        std::optional<InputSpec> found;
        for (const std::string& key : {concat("arg", i - 1), schema.arguments[i].name}) {
            if (!found) found = find(key);
            if (!found) found = find_list(key);
        }
        out.arguments.push_back(std::move(found));
    }
    for (const auto& entry : all) {
        const std::string& name = entry.first;
        const bool is_known = used.contains(name) || name.starts_with("cot") || name.starts_with("out") ||
                              name.starts_with("grad") || name == "labels";
        if (!is_known) out.unused.push_back(name);
    }
    return out;
}

// Positional ones: what the file lacks in between takes its default.
std::vector<InputSpec> specs_of_npz(const fs::path& file, const FunctionSchema& schema) {
    const NamedTensors all = read_npz(file);
    ArrayInputs inputs = inputs_in(all, file, schema);
    while (!inputs.arguments.empty() && !inputs.arguments.back() &&
           schema.arguments[inputs.arguments.size()].default_value)
        inputs.arguments.pop_back();
    std::vector<InputSpec> specs;
    for (std::size_t i = 0; i < inputs.arguments.size(); ++i) {
        const Argument& argument = schema.arguments[i + 1];
        if (inputs.arguments[i]) {
            specs.push_back(std::move(*inputs.arguments[i]));
        } else if (argument.default_value) {
            specs.emplace_back().literal = python_repr(*argument.default_value);
        } else {
            std::vector<std::string> names;
            for (const auto& entry : all) names.push_back(entry.first);
            throw Error(ErrorKind::Usage, concat("no array for the argument '", argument.name, "'"),
                        {.file = file.string(),
                         .hint = concat("call it arg", i, " or ", argument.name, "; the file has ",
                                        names.empty() ? "none" : join(names, ", "))});
        }
    }
    return specs;
}

bool is_float_name(std::string_view dtype) { return dtype.find("float") != std::string_view::npos; }

bool is_bfloat16(const ModelInfo& model) {
    bool has_any = false;
    for (const ModuleInfo& module : model.modules) {
        for (const TensorInfo& parameter : module.parameters) {
            if (!is_float_name(parameter.dtype)) continue;
            if (parameter.dtype != "bfloat16") return false;
            has_any = true;
        }
    }
    return has_any;
}

void declare_bfloat16(std::vector<InputSpec>& specs) {
    for (InputSpec& spec : specs) {
        if (spec.source == InputSpec::Source::File && spec.dtype == "float32") spec.dtype = "bfloat16";
        declare_bfloat16(spec.elements);
    }
}

std::vector<InputSpec> specs_of_pickle(const fs::path& file, std::size_t arguments) {
    const IValue value = read_checkpoint(file);
    if (!value.is_tuple()) return {spec_of_value(value, file, {})};
    std::vector<InputSpec> specs;
    for (std::size_t i = 0; i < std::min(arguments, value.to_tuple().elements.size()); ++i) {
        specs.push_back(spec_of_value(value.to_tuple().elements[i], file, std::to_string(i)));
    }
    return specs;
}

}  // namespace

IValue read_input_value(const fs::path& file, const std::string& key) {
    if (!is_pickle(lower_extension(file))) return read_input_tensor(file, key);
    return find_in_pickle(file, key);
}

Tensor read_input_tensor(const fs::path& file, const std::string& key) {
    const std::string extension = lower_extension(file);
    if (extension == ".npz") return from_npz(file, key);
    if (extension == ".npy") return read_npy(file);
    if (is_pickle(extension)) return from_pickle(file, key);
    if (is_image(extension)) return image_to_float(read_image(file));
    throw Error(ErrorKind::Usage, "inputs can be read from .npz, .npy, .pt, .png and .jpg files",
                {.file = file.string()});
}

ArrayInputs array_inputs(const fs::path& file, const FunctionSchema& schema, const ModelInfo& model) {
    ArrayInputs inputs = inputs_in(read_npz(file), file, schema);
    if (!is_bfloat16(model)) return inputs;
    for (auto& input : inputs.arguments) {
        if (!input) continue;
        std::vector<InputSpec> one{*input};
        declare_bfloat16(one);
        input = std::move(one.front());
    }
    return inputs;
}

std::vector<InputSpec> input_specs_of_file(const fs::path& file, const FunctionSchema& schema, const ModelInfo& model) {
    const std::size_t arguments = schema.arguments.empty() ? 0 : schema.arguments.size() - 1;  // without self
    const std::string extension = lower_extension(file);
    if (is_pickle(extension)) return specs_of_pickle(file, arguments);
    std::vector<InputSpec> specs;
    if (extension == ".npz")
        specs = specs_of_npz(file, schema);
    else
        specs.push_back(described(file_spec(file, ""), read_input_tensor(file, "")));
    if (is_bfloat16(model)) declare_bfloat16(specs);
    return specs;
}

}  // namespace loupe::session
