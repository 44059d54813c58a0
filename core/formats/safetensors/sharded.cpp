// SPDX-License-Identifier: Apache-2.0
#include "core/formats/safetensors/sharded.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/formats/archive/byte_reader.h"
#include "core/formats/safetensors/safetensors.h"

namespace loupe {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestIndex = 100'000'000;

Json read_index(const Ptr<MappedFile>& file) {
    const auto bytes = std::span<const std::byte>(file->bytes());
    if (bytes.size() > kLargestIndex) throw_file_error("its index is too long");
    return Json::parse(as_text(bytes), nullptr, false);
}

}  // namespace

bool is_sharded_index(const Ptr<MappedFile>& file) {
    if (!file->path().filename().string().ends_with(".safetensors.index.json")) return false;
    const std::string_view text = as_text(std::span<const std::byte>(file->bytes()));
    return text.find("\"weight_map\"") != std::string_view::npos;
}

NamedTensors read_sharded_safetensors(const Ptr<MappedFile>& index) {
    const Json json = read_index(index);
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
        throw_file_error("an index without a weight_map");
    std::map<std::string, std::map<std::string, Tensor>> files;
    NamedTensors tensors;
    for (const auto& [name, shard] : json["weight_map"].items()) {
        if (!shard.is_string()) throw_file_error(concat("the file of ", quote_name(name), " is no name"));
        const std::string file = shard.get<std::string>();
        const bool is_beside = !file.empty() && file.find('/') == std::string::npos && file != ".." && file != ".";
        if (!is_beside) throw_file_error(concat("a file that is not beside the index: ", quote_name(file)));
        auto [held, is_new] = files.try_emplace(file);
        if (is_new) {
            for (auto& [own, tensor] : read_safetensors(index->path().parent_path() / file))
                held->second.emplace(own, std::move(tensor));
        }
        const auto found = held->second.find(name);
        if (found == held->second.end()) throw_file_error(concat(quote_name(file), " has no ", quote_name(name)));
        tensors.emplace_back(name, found->second);
    }
    return tensors;
}

}  // namespace loupe
