// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/weights_index.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/ordered_json.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;
using Json = OrderedJson;

constexpr std::size_t kLargestIndex = 100'000'000;
constexpr std::size_t kMostNamed = 3;  // in one line
constexpr std::string_view kIndexEnd = ".index.json";
constexpr std::string_view kSafetensors = ".safetensors";

WeightsIndex read(const Ptr<MappedFile>& file) {
    const auto bytes = std::span<const std::byte>(file->bytes());
    if (bytes.size() > kLargestIndex) throw_file_error("its index is too long");
    const Json json = Json::parse(as_text(bytes), nullptr, false);
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
        throw_file_error("an index without a weight_map");
    WeightsIndex index;
    const fs::path folder = file->path().parent_path();
    for (const auto& [name, shard] : json["weight_map"].items()) {
        if (!shard.is_string()) throw_file_error(concat("the file of ", quote_name(name), " is no name"));
        std::string shard_name = shard.get<std::string>();
        const bool is_beside = !shard_name.empty() && shard_name.find('/') == std::string::npos &&
                               shard_name.find('\0') == std::string::npos && shard_name != ".." && shard_name != ".";
        if (!is_beside) throw_file_error(concat("a file that is not beside the index: ", quote_name(shard_name)));
        if (shard_name.ends_with(kIndexEnd))
            throw_file_error(concat("an index instead of a file of weights: ", quote_name(shard_name)));
        index.files.push_back(folder / shard_name);
        index.file_of.emplace(name, std::move(shard_name));
    }
    std::ranges::sort(index.files);
    index.files.erase(std::unique(index.files.begin(), index.files.end()), index.files.end());
    return index;
}

}  // namespace

bool is_weights_index(const Ptr<MappedFile>& file) {
    if (!file->path().filename().string().ends_with(kIndexEnd)) return false;
    const std::string_view text = as_text(std::span<const std::byte>(file->bytes()));
    return text.find("\"weight_map\"") != std::string_view::npos;
}

WeightsIndex read_weights_index(const Ptr<MappedFile>& file) {
    try {
        return read(file);
    } catch (Error& error) {
        error.add_context({.file = file->path().string()});
        throw;
    }
}

void require_files(const WeightsIndex& index) {
    std::vector<std::string> missing;
    for (const fs::path& file : index.files) {
        std::error_code failed;
        if (!fs::exists(file, failed)) missing.push_back(file.filename().string());
    }
    if (missing.empty()) return;
    throw_file_error(concat(missing.size(), " of its ", index.files.size(),
                            index.files.size() == 1 ? " file is" : " files are", " missing: ", names_text(missing)));
}

std::string names_text(const std::vector<std::string>& names) {
    std::vector<std::string> shown;
    for (const std::string& name : names) {
        if (shown.size() < kMostNamed) shown.push_back(quote_name(name));
    }
    const std::string text = join(shown, ", ");
    return names.size() > shown.size() ? concat(text, " and ", names.size() - shown.size(), " more") : text;
}

fs::path weights_in_folder(const fs::path& folder) {
    std::error_code failed;
    for (const char* name : {"model.safetensors.index.json", "model.safetensors"}) {
        if (fs::is_regular_file(folder / name, failed)) return folder / name;
    }
    fs::path found;
    bool has_several = false;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        const std::string name = at->path().filename().string();
        if (name.ends_with(concat(kSafetensors, kIndexEnd))) return at->path();
        if (!name.ends_with(kSafetensors)) continue;
        has_several = !found.empty();
        found = at->path();
        if (has_several) break;
    }
    if (!found.empty() && !has_several) return found;
    for (const char* name : {"pytorch_model.bin.index.json", "pytorch_model.bin"}) {
        if (fs::is_regular_file(folder / name, failed)) return folder / name;
    }
    return {};
}

}  // namespace loupe
