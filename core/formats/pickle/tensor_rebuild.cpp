// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/tensor_rebuild.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/pickle/nested_tensors.h"
#include "core/formats/pickle/special_tensors.h"

namespace loupe {
namespace {

constexpr std::string_view kRebuild = "torch._utils._rebuild_";
constexpr std::size_t kMostDimensions = 64;
constexpr std::uint64_t kLargestStorage = std::uint64_t{1} << 44;

// Storages of quantised tensors, and the types of their raw elements.
struct QuantisedType {
    std::string_view storage;
    std::string_view name;
    ScalarType dtype;
};
constexpr std::array<QuantisedType, 4> kQuantisedTypes{{
    {"torch.QUInt8Storage", "quint8", ScalarType::UInt8},
    {"torch.QInt8Storage", "qint8", ScalarType::Int8},
    {"torch.QInt32Storage", "qint32", ScalarType::Int32},
    {"torch.QUInt4x2Storage", "quint4x2", ScalarType::UInt8},
}};

[[noreturn]] void fail_unsupported(std::string_view what) {
    throw Error(ErrorKind::Unsupported, concat("tensor made by ", quote_name(what), ", which is not supported"));
}

// Not negative.
Dims parse_dims(const PickleNode& node, std::string_view what) {
    Dims dims;
    for (const PickleRef element : node.elements()) {
        const std::int64_t value = element->to_int();
        if (value < 0) throw_file_error(concat("tensor with ", what, " ", value));
        dims.push_back(value);
    }
    if (dims.size() > kMostDimensions) throw_file_error(concat("tensor of ", dims.size(), " dimensions"));
    return dims;
}

// Strides of 0 make many elements of few.
void check_numel(const Dims& sizes) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    std::int64_t numel = 1;
    for (const std::int64_t size : sizes) {
        if (size == 0) return;
        if (size > kMost / numel) throw_file_error(concat("tensor of ", shape_text(span_of(sizes)), " elements"));
        numel *= size;
    }
}

// The extent of the view in the storage: one past the last element; saturates.
std::uint64_t extent_of(const Dims& sizes, const Dims& strides, std::int64_t offset) {
    std::uint64_t last = static_cast<std::uint64_t>(offset);
    constexpr std::uint64_t kFar = std::uint64_t{1} << 62;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 0) return 0;
        const auto steps = static_cast<std::uint64_t>(sizes[d] - 1);
        const auto stride = static_cast<std::uint64_t>(strides[d]);
        if (steps != 0 && stride > (kFar - std::min(last, kFar)) / steps) return kFar;
        last += steps * stride;
    }
    return std::min(last, kFar - 1) + 1;
}

ScalarType parse_dtype(const PickleNode& node) {
    const std::string_view name = node.global_name();
    constexpr std::string_view kPrefix = "torch.";
    if (name.starts_with(kPrefix)) {
        if (const auto dtype = dtype_from_name(name.substr(kPrefix.size()))) return *dtype;
    }
    throw Error(ErrorKind::Unsupported, concat("tensor of type ", quote_name(name), ", which is not supported"));
}

// The offset of an old file's view of a storage, (key, offset, elements). The tensor must be inside it.
std::int64_t part_offset(const StorageId& id, std::uint64_t extent) {
    const auto& parts = id.view->tuple(3);
    const std::int64_t begin = parts[1]->to_int();
    const std::int64_t count = parts[2]->to_int();
    const auto whole = static_cast<std::int64_t>(id.numel);
    if (begin < 0 || count < 0 || begin > whole || count > whole - begin ||
        extent > static_cast<std::uint64_t>(count)) {
        throw_file_error(
            concat("tensor leaves the part of ", count, " elements at ", begin, " of its storage of ", whole));
    }
    return begin;
}

void refuse_flags(const PickleNode& metadata) {
    if (!metadata.is(PickleKind::Dict)) return;
    const auto& items = metadata.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i + 1]->is(PickleKind::Bool) && items[i + 1]->to_bool()) {
            throw Error(ErrorKind::Unsupported,
                        concat("tensor with the flag ", quote_name(items[i]->to_string()), ", which is not supported"));
        }
    }
}

}  // namespace

IValue StorageSource::load(const PickleNode&) {
    throw Error(ErrorKind::Unsupported, "holds a bare storage, which is not supported");
}

std::optional<ScalarType> storage_dtype(std::string_view type_name) {
    constexpr std::string_view kPrefix = "torch.", kSuffix = "Storage";
    if (!type_name.starts_with(kPrefix) || !type_name.ends_with(kSuffix)) return std::nullopt;
    type_name.remove_prefix(kPrefix.size());
    type_name.remove_suffix(kSuffix.size());
    return dtype_from_graph_name(type_name);
}

bool has_python_storage(ScalarType dtype) { return has_dtype(kCommonDtypes, dtype) && dtype != ScalarType::Complex32; }

std::string storage_type_name(ScalarType dtype) { return concat("torch.", dtype_graph_name(dtype), "Storage"); }

Ptr<Storage> ArchiveStorages::open(const std::string& key, ScalarType dtype, std::uint64_t bytes) {
    auto& [storage, holds_bools] = opened_[key];
    if (!storage) storage = read_entry(key);
    if (storage->bytes() < bytes) {
        throw_file_error(concat("truncated: storage ", quote_name(key), " has ", storage->bytes(),
                                " bytes, its tensors need ", bytes),
                         archive_.file_name());
    }
    if (dtype == ScalarType::Bool && !holds_bools) {
        normalise_bools({static_cast<std::byte*>(storage->data()), storage->bytes()});
        holds_bools = true;
    }
    return storage;
}

Ptr<Storage> ArchiveStorages::read_entry(const std::string& key) const {
    const ZipEntry* entry = archive_.find(concat(folder_, "/", key));
    if (entry == nullptr) throw_file_error(concat("no entry for storage ", quote_name(key)), archive_.file_name());
    constexpr std::size_t kWidestElement = 16;
    const std::size_t size = archive_.checked_size(*entry, kLargestStorage);
    if (entry->is_stored()) {
        return storage_on(archive_.stored_bytes(*entry), kWidestElement, archive_.file(), MemoryCategory::Buffer);
    }
    const MemoryCategoryScope category(MemoryCategory::Buffer);
    auto storage = Storage::allocate(size);
    archive_.read_into(*entry, {static_cast<std::byte*>(storage->data()), size});
    return storage;
}

StorageId parse_storage_id(const PickleNode& persistent) {
    const auto& parts = persistent.persistent_id()->elements();
    if (parts.size() < 5 || parts[0]->to_string() != "storage") throw_file_error("persistent id of no storage");
    StorageId id;
    const std::string_view type = parts[1]->global_name();
    const auto known = storage_dtype(type);
    const auto* quantised = std::ranges::find(kQuantisedTypes, type, &QuantisedType::storage);
    if (known) {
        id.dtype = *known;
    } else if (quantised != kQuantisedTypes.end()) {
        id.dtype = quantised->dtype;
        id.quantised = quantised->name;
    } else if (type == "torch.UntypedStorage" || type == kUntypedStorage) {
        id.is_typed = false;
    } else {
        throw Error(ErrorKind::Unsupported, concat("storage of type ", quote_name(type), ", which is not supported"));
    }
    id.key = parts[2]->to_string();
    const std::int64_t numel = parts[4]->to_int();
    if (numel < 0) throw_file_error(concat("storage of ", numel, " elements"));
    id.numel = static_cast<std::uint64_t>(numel);
    if (parts.size() > 5 && !parts[5]->is_none()) id.view = parts[5];
    return id;
}

bool is_tensor_call(const PickleNode& node) {
    return node.is(PickleKind::Reduce) && node.callable_name().starts_with(kRebuild);
}

Ptr<Storage> StorageSource::open_bytes(PickleRef, ScalarType&) { fail_unsupported("torch.storage._load_from_bytes"); }

namespace {

// Of a storage in the pickle itself.
StorageId id_of_bytes(PickleRef call, StorageSource& storages, Ptr<Storage>& storage) {
    StorageId id;
    storage = storages.open_bytes(call, id.dtype);
    id.numel = storage->bytes() / static_cast<std::uint64_t>(element_size(id.dtype));
    return id;
}

}  // namespace

Tensor rebuild_dense(const PickleNode::Elements& args, const PickleNode* dtype_node, StorageSource& storages) {
    Ptr<Storage> held;
    const bool is_held = args[0]->callable_name() == "torch.storage._load_from_bytes";
    const StorageId id = is_held ? id_of_bytes(args[0], storages, held) : parse_storage_id(*args[0]);
    if (!id.is_typed && dtype_node == nullptr) throw_file_error("tensor on a storage without a type");
    const ScalarType dtype = dtype_node != nullptr ? parse_dtype(*dtype_node) : id.dtype;
    const std::uint64_t unit = id.is_typed ? static_cast<std::uint64_t>(element_size(id.dtype)) : 1;
    if (id.numel > kLargestStorage) throw_file_error(concat("storage of ", id.numel, " elements"));

    std::int64_t offset = args[1]->to_int();
    const Dims sizes = parse_dims(*args[2], "size");
    const Dims strides = parse_dims(*args[3], "stride");
    check_numel(sizes);
    if (offset < 0 || sizes.size() != strides.size()) {
        throw_file_error(
            concat("tensor with offset ", offset, ", ", sizes.size(), " sizes and ", strides.size(), " strides"));
    }
    const std::uint64_t elements = id.numel * unit / static_cast<std::uint64_t>(element_size(dtype));
    const std::uint64_t extent = extent_of(sizes, strides, offset);
    if (extent > elements) {
        throw_file_error(concat("tensor ", shape_text(span_of(sizes)), " at offset ", offset, " leaves its storage of ",
                                elements, " elements"));
    }
    if (id.view != nullptr) offset += part_offset(id, extent);
    auto storage = held ? held : storages.open(id.key, dtype, id.numel * unit);
    return tensor_on(std::move(storage), dtype, span_of(sizes), span_of(strides), extent == 0 ? 0 : offset);
}

RebuiltTensor rebuild_tensor(const PickleNode& node, StorageSource& storages) {
    return rebuild_tensor(node.callable_name(), node.call().args->elements(), storages);
}

RebuiltTensor rebuild_tensor(std::string_view name, const PickleNode::Elements& args, StorageSource& storages) {
    const std::string_view which = name.starts_with(kRebuild) ? name.substr(kRebuild.size()) : std::string_view();
    const auto need = [&](std::size_t count) {
        if (args.size() < count) throw_file_error(concat("tensor made from ", args.size(), " values"));
    };
    if (which == "tensor") {
        need(4);
        return {rebuild_dense(args, nullptr, storages), false, {}, {}};
    }
    if (which == "tensor_v2") {
        need(5);
        if (args.size() > 6) refuse_flags(*args[6]);
        return {rebuild_dense(args, nullptr, storages), args[4]->to_bool(), {}, {}};
    }
    if (which == "tensor_v3") {
        need(7);
        if (args.size() > 7) refuse_flags(*args[7]);
        return {rebuild_dense(args, args[6], storages), args[4]->to_bool(), {}, {}};
    }
    if (which == "parameter") {
        need(2);
        if (!is_tensor_call(*args[0]) || args[0]->callable_name() == name)
            throw_file_error("parameter without a tensor");
        RebuiltTensor rebuilt = rebuild_tensor(*args[0], storages);
        rebuilt.requires_grad = args[1]->to_bool();
        return rebuilt;
    }
    if (name == kRebuildJagged) return rebuild_jagged_tensor(args, storages);
    if (auto special = rebuild_special_tensor(which, args, storages)) return std::move(*special);
    fail_unsupported(name);
}

}  // namespace loupe
