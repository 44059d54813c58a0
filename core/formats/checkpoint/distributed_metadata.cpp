// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/distributed_metadata.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/pickle/pickle_reader.h"

namespace loupe {
namespace {

constexpr std::string_view kModule = "torch.distributed.checkpoint.metadata.";
constexpr std::string_view kPlace = "torch.distributed.checkpoint.filesystem._StorageInfo";
constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostKeys = 16;  // that lead to a value
constexpr std::int64_t kMostElements = std::int64_t{1} << 44;

using Sizes = std::vector<std::int64_t>;

// The state of an object of that class.
const PickleNode& state_of(const PickleNode& node, std::string_view class_name) {
    const bool is_object = node.is(PickleKind::Reduce) || node.is(PickleKind::Object);
    if (!is_object || node.callable_name() != class_name || node.call().state == nullptr) {
        throw_file_error(
            concat("no ", quote_name(class_name), " where one belongs, but ",
                   is_object ? quote_name(node.callable_name()) : std::string(pickle_kind_name(node.kind))));
    }
    return *node.call().state;
}

bool is_object_of(const PickleNode& node, std::string_view class_name) {
    return (node.is(PickleKind::Reduce) || node.is(PickleKind::Object)) && node.callable_name() == class_name;
}

// Null when there is none.
PickleRef find_field(const PickleNode& state, std::string_view name) {
    const auto& items = state.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i]->is(PickleKind::String) && items[i]->to_string() == name) return items[i + 1];
    }
    return nullptr;
}

const PickleNode& field(const PickleNode& state, std::string_view name) {
    if (const PickleRef found = find_field(state, name)) return *found;
    throw_file_error(concat("an object without ", quote_name(name)));
}

// torch.Size((2, 3)), or a tuple.
Sizes parse_sizes(const PickleNode& node) {
    const PickleNode* tuple = &node;
    if (node.callable_name() == "torch.Size") {
        const auto& arguments = node.call().args->elements();
        if (arguments.empty()) return {};
        tuple = arguments.front();
    }
    Sizes sizes;
    for (const PickleRef element : tuple->elements()) {
        if (element->to_int() < 0) throw_file_error(concat("a size or place of ", element->to_int()));
        sizes.push_back(element->to_int());
    }
    if (sizes.size() > kMostDimensions) throw_file_error(concat("a tensor of ", sizes.size(), " dimensions"));
    return sizes;
}

std::int64_t elements_of(const Sizes& sizes, const std::string& name) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        if (size != 0 && count > kMostElements / size)
            throw_file_error(concat(quote_name(name), " has more than ", kMostElements, " elements"));
        count *= std::max<std::int64_t>(size, 1);
    }
    return std::ranges::find(sizes, 0) != sizes.end() ? 0 : count;
}

// --- where things are: {MetadataIndex(name, offset): _StorageInfo(file, offset, length)} ---

using PlaceKey = std::pair<std::string, std::optional<Sizes>>;
using Places = std::map<PlaceKey, StoredPlace>;

StoredPlace parse_place(const PickleNode& node, const std::string& name) {
    const PickleNode& state = state_of(node, kPlace);
    const PickleRef transforms = find_field(state, "transform_descriptors");
    if (transforms != nullptr && !transforms->is_none() && !transforms->elements().empty())
        throw Error(ErrorKind::Unsupported,
                    concat(quote_name(name), " was written through ",
                           quote_name(transforms->elements().front()->to_string()), ", which is not supported"));
    StoredPlace place{field(state, "relative_path").to_string(), 0, 0};
    const std::int64_t offset = field(state, "offset").to_int(), bytes = field(state, "length").to_int();
    if (offset < 0 || bytes < 0)
        throw_file_error(concat(quote_name(name), " is at byte ", offset, ", ", bytes, " long"));
    place.offset = static_cast<std::uint64_t>(offset);
    place.bytes = static_cast<std::uint64_t>(bytes);
    const bool is_beside = !place.file.empty() && place.file.find('/') == std::string::npos &&
                           place.file.find('\0') == std::string::npos && place.file != ".." && place.file != ".";
    if (!is_beside) throw_file_error(concat("a file that is not in the folder: ", quote_name(place.file)));
    return place;
}

Places parse_places(const PickleNode& node) {
    Places places;
    const auto& items = node.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const PickleNode& index = state_of(*items[i], concat(kModule, "MetadataIndex"));
        const std::string& name = field(index, "fqn").to_string();
        const PickleRef offset = find_field(index, "offset");
        const bool is_block = offset != nullptr && !offset->is_none();
        places[{name, is_block ? std::optional(parse_sizes(*offset)) : std::nullopt}] =
            parse_place(*items[i + 1], name);
    }
    return places;
}

// --- tensors ---

bool overlap(const StoredBlock& a, const StoredBlock& b) {
    for (std::size_t d = 0; d < a.sizes.size(); ++d) {
        if (a.offsets[d] + a.sizes[d] <= b.offsets[d] || b.offsets[d] + b.sizes[d] <= a.offsets[d]) return false;
    }
    return true;
}

// The dimension in which blocks begin at most places: few of them meet there.
std::size_t most_split(const StoredTensor& tensor) {
    std::size_t best = 0, most = 0;
    for (std::size_t d = 0; d < tensor.sizes.size(); ++d) {
        std::set<std::int64_t> places;
        for (const StoredBlock& block : tensor.blocks) places.insert(block.offsets[d]);
        if (places.size() > most) std::tie(best, most) = std::pair(d, places.size());
    }
    return best;
}

void refuse_overlaps(const StoredTensor& tensor) {
    if (tensor.blocks.size() < 2) return;
    if (tensor.sizes.empty()) throw_file_error(concat(quote_name(tensor.name), " is there twice"));
    const std::size_t d = most_split(tensor);
    std::vector<const StoredBlock*> order;
    for (const StoredBlock& block : tensor.blocks) order.push_back(&block);
    std::ranges::sort(order, {}, [d](const StoredBlock* block) { return block->offsets[d]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % 256 == 0) check_cancelled();
        const std::int64_t end = order[i]->offsets[d] + order[i]->sizes[d];
        for (std::size_t j = i + 1; j < order.size() && order[j]->offsets[d] < end; ++j) {
            if (overlap(*order[i], *order[j]))
                throw_file_error(concat(quote_name(tensor.name), " has two parts that overlap, at ",
                                        shape_list_text(order[i]->offsets), " and ",
                                        shape_list_text(order[j]->offsets)));
        }
    }
}

void check_blocks(const StoredTensor& tensor) {
    std::int64_t covered = 0;
    for (const StoredBlock& block : tensor.blocks) {
        const auto rank = tensor.sizes.size();
        bool is_inside = block.offsets.size() == rank && block.sizes.size() == rank;
        for (std::size_t d = 0; is_inside && d < rank; ++d)
            is_inside = block.offsets[d] <= tensor.sizes[d] && block.sizes[d] <= tensor.sizes[d] - block.offsets[d];
        if (!is_inside)
            throw_file_error(concat(quote_name(tensor.name), " of ", shape_list_text(tensor.sizes), " has a part of ",
                                    shape_list_text(block.sizes), " at ", shape_list_text(block.offsets)));
        covered += elements_of(block.sizes, tensor.name);
        if (covered > kMostElements) throw_file_error(concat(quote_name(tensor.name), " has too many parts"));
    }
    refuse_overlaps(tensor);
    const std::int64_t all = elements_of(tensor.sizes, tensor.name);
    if (covered != all)
        throw_file_error(concat("of ", quote_name(tensor.name), " ", covered, " of ", all, " elements are there"));
}

StoredTensor parse_tensor(const std::string& name, const PickleNode& state, const Places& places) {
    StoredTensor tensor;
    tensor.name = name;
    const PickleNode& properties = state_of(field(state, "properties"), concat(kModule, "TensorProperties"));
    if (properties.elements().empty()) throw_file_error(concat(quote_name(name), " has no dtype"));
    tensor.dtype_name = properties.elements().front()->global_name();
    constexpr std::string_view kTorch = "torch.";
    if (!tensor.dtype_name.starts_with(kTorch))
        throw_file_error(concat(quote_name(name), " has no known dtype: ", quote_name(tensor.dtype_name)));
    tensor.dtype = dtype_from_name(std::string_view(tensor.dtype_name).substr(kTorch.size()));
    tensor.sizes = parse_sizes(field(state, "size"));
    for (const PickleRef chunk : field(state, "chunks").elements()) {
        const PickleNode& block = state_of(*chunk, concat(kModule, "ChunkStorageMetadata"));
        StoredBlock made{parse_sizes(field(block, "offsets")), parse_sizes(field(block, "sizes")), {}};
        if (elements_of(made.sizes, name) == 0) continue;
        const auto place = places.find({name, made.offsets});
        if (place == places.end())
            throw_file_error(
                concat("no place of the part of ", quote_name(name), " at ", shape_list_text(made.offsets)));
        made.place = place->second;
        tensor.blocks.push_back(std::move(made));
    }
    check_blocks(tensor);
    return tensor;
}

// {'model.fc.weight': ('model', 'fc.weight')}
std::map<std::string, StoredPath> parse_paths(const PickleNode& node) {
    std::map<std::string, StoredPath> paths;
    if (!node.is(PickleKind::Dict)) return paths;
    const auto& items = node.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i]->is(PickleKind::String) || !items[i + 1]->is(PickleKind::Tuple)) continue;
        StoredPath path;
        for (const PickleRef key : items[i + 1]->elements()) {
            if (key->is(PickleKind::String)) path.emplace_back(key->to_string());
            if (key->is(PickleKind::Int)) path.emplace_back(key->to_int());
        }
        const bool is_whole = !path.empty() && path.size() == items[i + 1]->elements().size();
        if (is_whole && path.size() <= kMostKeys) paths[items[i]->to_string()] = std::move(path);
    }
    return paths;
}

}  // namespace

DistributedMetadata parse_distributed_metadata(std::span<const std::byte> bytes) {
    const Pickle pickle = read_pickle(bytes);
    const PickleNode& root = state_of(*pickle.root(), concat(kModule, "Metadata"));
    const Places places = parse_places(field(root, "storage_data"));
    DistributedMetadata out;
    std::set<std::string> names;
    const auto& items = field(root, "state_dict_metadata").items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const std::string& name = items[i]->to_string();
        if (!names.insert(name).second) throw_file_error(concat(quote_name(name), " is there twice"));
        const PickleNode& value = *items[i + 1];
        if (is_object_of(value, concat(kModule, "BytesStorageMetadata"))) {
            const auto place = places.find({name, std::nullopt});
            if (place == places.end()) throw_file_error(concat("no place of ", quote_name(name)));
            out.values.push_back({name, place->second});
            continue;
        }
        out.tensors.push_back(parse_tensor(name, state_of(value, concat(kModule, "TensorStorageMetadata")), places));
    }
    if (const PickleRef paths = find_field(root, "planner_data")) out.paths = parse_paths(*paths);
    return out;
}

}  // namespace loupe
