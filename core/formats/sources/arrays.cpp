// SPDX-License-Identifier: Apache-2.0
// NumPy's arrays: a sample is a row. Files are mapped: rows are read on request.
#include <algorithm>
#include <array>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/numpy/npy.h"
#include "core/formats/sources/source_list.h"

namespace loupe::data {
namespace {

bool has_extension(const std::filesystem::path& path, const char* extension) {
    std::error_code ignored;
    return path.extension() == extension && std::filesystem::is_regular_file(path, ignored);
}
bool accepts_npy(const std::filesystem::path& path) { return has_extension(path, ".npy"); }
bool accepts_npz(const std::filesystem::path& path) { return has_extension(path, ".npz"); }

void check_rows(const Tensor& tensor, const std::string& name) {
    if (tensor.dim() == 0) throw Error(ErrorKind::File, concat("array ", name, " has no rows: it is a single number"));
}

// (input, target), (input,)
Source rows_of(const Tensor& input, const std::string& input_name, const Tensor& target,
               const std::string& target_name) {
    check_rows(input, input_name);
    TensorList tensors{input};
    std::string text = concat(counted(input.size(0), "row"), " of ",
                              describe(input.view_as_strided(input.sizes().subspan(1), input.strides().subspan(1), 0)));
    if (target) {
        check_rows(target, target_name);
        if (target.size(0) != input.size(0)) {
            throw Error(ErrorKind::File,
                        concat(input_name, " has ", input.size(0), " rows, ", target_name, " has ", target.size(0)));
        }
        tensors.push_back(target);
        text += concat(", targets ",
                       describe(target.view_as_strided(target.sizes().subspan(1), target.strides().subspan(1), 0)));
    }
    Source source;
    source.dataset = make_ptr<TensorDataset>(std::move(tensors));
    source.description = std::move(text);
    return source;
}

constexpr std::array<SourceOption, 1> kNpyOptions{{
    {"targets", "the path of a .npy file", "", "one row a sample; relative to the folder of the inputs"},
}};

Source open_npy(const std::filesystem::path& path, const SourceOptions& options) {
    Tensor target;
    std::filesystem::path target_path;
    if (options.is_set("targets")) {
        target_path = path.parent_path() / options.text("targets");
        target = read_npy(target_path);
    }
    return rows_of(read_npy(path), path.filename().string(), target, target_path.filename().string());
}

constexpr std::array<SourceOption, 2> kNpzOptions{{
    {"input", "the name of an array", "", "default the first"},
    {"target", "the name of an array", "", "default the second of as many rows, if there is one"},
}};

const Tensor& array_named(const NamedTensors& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, name, &NamedTensors::value_type::first);
    if (found != arrays.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, ignored] : arrays) names.push_back(known);
    throw Error(ErrorKind::Usage, concat("no array '", name, "'; there are ", join(names, ", ")));
}

Source open_npz(const std::filesystem::path& path, const SourceOptions& options) {
    const NamedTensors arrays = read_npz(path);
    if (arrays.empty()) throw Error(ErrorKind::File, "holds no arrays");
    const std::string input_name = options.is_set("input") ? options.text("input") : arrays.front().first;
    const Tensor input = array_named(arrays, input_name);
    std::string target_name = options.text("target");
    if (target_name.empty() && input.dim() > 0) {
        const auto next = std::ranges::find_if(arrays, [&](const auto& each) {
            return each.first != input_name && each.second.dim() > 0 && each.second.size(0) == input.size(0);
        });
        if (next != arrays.end()) target_name = next->first;
    }
    Source source =
        rows_of(input, input_name, target_name.empty() ? Tensor() : array_named(arrays, target_name), target_name);
    for (const auto& [name, array] : arrays) {
        if (!target_name.empty() || name == input_name || array.dim() == 0) continue;
        source.notes.push_back(
            concat(name, " has ", array.size(0), " rows, ", input_name, " has ", input.size(0), ": it is no target"));
    }
    return source;
}

const SourceRecord kRecords[] = {
    {"npy", "rows of a NumPy array, mapped into memory", kNpyOptions, accepts_npy, open_npy},
    {"npz", "rows of the arrays in a NumPy archive", kNpzOptions, accepts_npz, open_npz},
};

}  // namespace

std::span<const SourceRecord> array_sources() { return kRecords; }

}  // namespace loupe::data
