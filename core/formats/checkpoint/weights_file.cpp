// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/weights_file.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/checkpoint/distributed_checkpoint.h"
#include "core/formats/checkpoint/weights_index.h"
#include "core/formats/safetensors/safetensors.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNotes = 30;

bool is_folder(const fs::path& path) {
    std::error_code failed;
    return fs::is_directory(path, failed);
}

// Names that safetensors.torch.save_model left out, for the one that shares their memory.
void add_shared(const SafetensorsMetadata& metadata, CheckpointWeights& weights) {
    std::unordered_map<std::string, Tensor> known(weights.tensors.begin(), weights.tensors.end());
    for (const auto& [name, kept] : metadata) {
        const auto found = known.find(kept);
        if (found == known.end() || known.contains(name)) continue;
        if (weights.notes.size() < kMostNotes)
            weights.notes.push_back(concat(quote_name(name), " is ", quote_name(kept), ": they share memory"));
        weights.tensors.emplace_back(name, found->second);
    }
}

// What one file holds, with the names that its metadata has for weights which it does not repeat.
struct FileWeights {
    CheckpointWeights weights;
    SafetensorsMetadata metadata;
};

FileWeights weights_of(SafetensorsFile file) {
    FileWeights out{{.has_shared_once = true}, std::move(file.metadata)};
    CheckpointWeights& weights = out.weights;
    for (SafetensorsEntry& entry : file.entries) {
        if (entry.is_foreign) {
            weights.foreign.push_back({entry.name, entry.type, entry.shape});
            if (weights.notes.size() < kMostNotes)
                weights.notes.push_back(concat(quote_name(entry.name), " is ", entry.type, " of ",
                                               shape_list_text(entry.shape), ", shown as its bytes"));
        }
        weights.tensors.emplace_back(std::move(entry.name), std::move(entry.tensor));
    }
    return out;
}

FileWeights read_one_file(const fs::path& path) {
    if (path.extension() == ".npz") return {{.tensors = read_npz(path)}, {}};
    const auto file = MappedFile::open(path);
    if (path.extension() == ".safetensors" || looks_like_safetensors(file->bytes()))
        return weights_of(read_safetensors(file));
    return {read_checkpoint_weights(path), {}};
}

// Adds the weights of a file that the index says are in it; takes them from `left`.
void add_shard(const WeightsIndex& index, const std::string& name, FileWeights shard, FileWeights& to,
               std::map<std::string, std::string>& left) {
    std::vector<std::string> extra;
    std::unordered_set<std::string> kept;
    for (auto& [tensor_name, tensor] : shard.weights.tensors) {
        const auto named = index.file_of.find(tensor_name);
        if (named == index.file_of.end() || named->second != name) {
            extra.push_back(tensor_name);
            continue;
        }
        left.erase(tensor_name);
        kept.insert(tensor_name);
        to.weights.tensors.emplace_back(tensor_name, std::move(tensor));
    }
    for (ForeignWeight& each : shard.weights.foreign) {
        if (kept.contains(each.name)) to.weights.foreign.push_back(std::move(each));
    }
    if (!extra.empty())
        to.weights.notes.push_back(
            concat("not named by the index, and left out: ", names_text(extra), " of ", quote_name(name)));
    for (std::string& note : shard.weights.notes) {
        if (to.weights.notes.size() < kMostNotes) to.weights.notes.push_back(std::move(note));
    }
    to.weights.has_shared_once = to.weights.has_shared_once || shard.weights.has_shared_once;
    to.metadata.insert(to.metadata.end(), shard.metadata.begin(), shard.metadata.end());
}

FileWeights read_shards(const Ptr<MappedFile>& file) {
    const WeightsIndex index = read_weights_index(file);
    try {
        require_files(index);
        FileWeights out;
        std::map<std::string, std::string> left = index.file_of;
        for (const fs::path& shard : index.files)
            add_shard(index, shard.filename().string(), read_one_file(shard), out, left);
        if (!left.empty())
            throw_file_error(concat(quote_name(left.begin()->second), " has no ", quote_name(left.begin()->first)));
        std::ranges::sort(out.weights.tensors, {}, &NamedTensors::value_type::first);
        return out;
    } catch (Error& error) {
        error.add_context({.file = file->path().string()});
        throw;
    }
}

}  // namespace

bool is_weights_folder(const fs::path& path) {
    return is_folder(path) && (is_distributed_checkpoint(path) || !weights_in_folder(path).empty());
}

std::vector<fs::path> files_of_weights(const fs::path& path) {
    if (is_folder(path)) {
        if (is_distributed_checkpoint(path)) return files_of_distributed_checkpoint(path);
        const fs::path held = weights_in_folder(path);
        return held.empty() ? std::vector<fs::path>{} : files_of_weights(held);
    }
    std::vector<fs::path> files{path};
    std::error_code failed;
    if (!path.filename().string().ends_with(".json") || !fs::is_regular_file(path, failed)) return files;
    const auto index = MappedFile::open(path);
    if (!is_weights_index(index)) return files;
    for (const fs::path& shard : read_weights_index(index).files) files.push_back(shard);
    return files;
}

CheckpointWeights read_weights_file(const fs::path& path) {
    if (is_folder(path)) {
        if (is_distributed_checkpoint(path)) return read_distributed_weights(path);
        const fs::path held = weights_in_folder(path);
        if (!held.empty()) return read_weights_file(held);
        throw Error(ErrorKind::File, "a folder without weights",
                    {.file = path.string(),
                     .hint = "it has neither .safetensors, pytorch_model.bin nor a .metadata of PyTorch"});
    }
    const bool may_be_index = path.extension() == ".json";
    const auto index = may_be_index ? MappedFile::open(path) : nullptr;
    FileWeights read = index && is_weights_index(index) ? read_shards(index) : read_one_file(path);
    add_shared(read.metadata, read.weights);
    return std::move(read.weights);
}

NamedTensors tensors_of(const CheckpointWeights& weights) {
    NamedTensors tensors = weights.tensors;
    std::unordered_map<std::string, const ForeignWeight*> foreign;
    for (const ForeignWeight& each : weights.foreign) foreign.emplace(each.name, &each);
    for (auto& [name, tensor] : tensors) {
        const auto found = foreign.find(name);
        if (found != foreign.end())
            tensor = numbers_of({name, tensor, found->second->type, found->second->shape, true});
    }
    return tensors;
}

NamedTensors read_weights(const fs::path& path) {
    const CheckpointWeights weights = read_weights_file(path);
    try {
        return tensors_of(weights);
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

}  // namespace loupe
