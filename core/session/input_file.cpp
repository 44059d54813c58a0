// SPDX-License-Identifier: Apache-2.0
#include "core/session/input_file.h"

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/io/checkpoint.h"
#include "core/io/image.h"
#include "core/io/npy.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
    return extension;
}

bool is_image(const std::string& extension) { return extension == ".png" || extension == ".jpg" || extension == ".jpeg"; }
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

Tensor from_pickle(const fs::path& file, const std::string& key) {
    const IValue value = read_checkpoint(file);
    if (value.is_tensor()) return value.to_tensor();
    if (value.is_tuple() || value.is_list()) {
        const auto& elements = value.is_tuple() ? value.to_tuple().elements : value.to_list().elements;
        const std::size_t index = key.empty() ? 0 : static_cast<std::size_t>(std::strtoull(key.c_str(), nullptr, 10));
        if (index < elements.size() && elements[index].is_tensor()) return elements[index].to_tensor();
    }
    if (value.is_dict()) {
        if (const IValue* found = value.to_dict().find(key); found != nullptr && found->is_tensor()) return found->to_tensor();
    }
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

std::vector<InputSpec> specs_of_npz(const fs::path& file, std::size_t arguments) {
    const NamedTensors all = read_npz(file);
    const auto find = [&](const std::string& key) -> const Tensor* {
        for (const auto& [name, tensor] : all) {
            if (name == key) return &tensor;
        }
        return nullptr;
    };
    std::vector<InputSpec> specs;
    for (std::size_t i = 0; i < arguments; ++i) {
        const std::string key = concat("arg", i);
        if (const Tensor* whole = find(key)) {
            specs.push_back(described(file_spec(file, key), *whole));
            continue;
        }
        InputSpec list;
        for (std::size_t k = 0;; ++k) {
            const std::string element = concat(key, ".", k);
            const Tensor* t = find(element);
            if (t == nullptr) break;
            list.elements.push_back(described(file_spec(file, element), *t));
        }
        if (list.elements.empty()) break;
        specs.push_back(std::move(list));
    }
    return specs;
}

}  // namespace

Tensor read_input_tensor(const fs::path& file, const std::string& key) {
    const std::string extension = lower_extension(file);
    if (extension == ".npz") return from_npz(file, key);
    if (extension == ".npy") return read_npy(file);
    if (is_pickle(extension)) return from_pickle(file, key);
    if (is_image(extension)) return image_to_float(read_image(file));
    throw Error(ErrorKind::Usage, "inputs can be read from .npz, .npy, .pt, .png and .jpg files", {.file = file.string()});
}

std::vector<InputSpec> input_specs_of_file(const fs::path& file, const FunctionSchema& schema, bool has_self) {
    const std::size_t arguments = schema.arguments.size() - (has_self && !schema.arguments.empty() ? 1 : 0);
    const std::string extension = lower_extension(file);
    if (extension == ".npz") return specs_of_npz(file, arguments);
    std::vector<InputSpec> specs;
    if (is_pickle(extension)) {
        const IValue value = read_checkpoint(file);
        if (value.is_tuple()) {
            for (std::size_t i = 0; i < std::min(arguments, value.to_tuple().elements.size()); ++i) {
                const std::string key = std::to_string(i);
                specs.push_back(described(file_spec(file, key), from_pickle(file, key)));
            }
            return specs;
        }
    }
    specs.push_back(described(file_spec(file, ""), read_input_tensor(file, "")));
    return specs;
}

}  // namespace loupe::session
