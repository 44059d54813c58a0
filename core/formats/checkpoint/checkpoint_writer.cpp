// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/checkpoint_writer.h"

#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/pickle/tensor_rebuild.h"
#include "core/tensor/compressed.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/jagged.h"
#include "core/tensor/nested.h"
#include "core/tensor/packed.h"
#include "core/tensor/sharded.h"

namespace loupe {
namespace {

// The numbers 0x1950a86a20f9469cfc6c and 1001, and PyTorch's record of its machine.
constexpr std::string_view kMagic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8\x50\x19.", 15);
constexpr std::string_view kProtocol("\x80\x02M\xe9\x03.", 6);

std::span<const std::byte> bytes_of(const Storage& storage) {
    return {static_cast<const std::byte*>(storage.data()), storage.bytes()};
}

IValue system_info() {
    const auto dict = [] { return make_ptr<DictObject>(types::string(), types::any()); };
    const auto sizes = dict();
    sizes->set("short", 2);
    sizes->set("int", 4);
    sizes->set("long", 4);
    const auto info = dict();
    info->set("protocol_version", 1001);
    info->set("little_endian", true);
    info->set("type_sizes", sizes);
    return info;
}

void write_archive(const IValue& value, const FileTarget& target, OtherValues* others) {
    CheckpointPickler pickle(CheckpointPickler::Layout::Archive, others);
    pickle.value(value);
    ZipWriter zip(target);
    const std::string root = concat(target.path.stem().string(), "/");
    const std::string& values = pickle.finish();
    zip.reserve(values.size() + pickle.storage_bytes());
    zip.add(concat(root, "data.pkl"), values);
    for (std::size_t i = 0; i < pickle.storages().size(); ++i) {
        check_cancelled();
        const Ptr<Storage> storage = on_host(pickle.storages()[i]);
        zip.add(concat(root, "data/", i), {bytes_of(*storage)});
    }
    zip.add(concat(root, "version"), "3\n");
    zip.finish();
}

std::string number_bytes(std::uint64_t number) {
    std::string out;
    for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>((number >> shift) & 0xff);
    return out;
}

void write_stream(const IValue& value, const FileTarget& target, OtherValues* others) {
    CheckpointPickler pickle(CheckpointPickler::Layout::Stream, others);
    pickle.value(value);
    std::vector<IValue> keys;
    for (std::size_t i = 0; i < pickle.storages().size(); ++i) keys.emplace_back(std::to_string(i));
    CheckpointPickler key_list(CheckpointPickler::Layout::Stream, nullptr);
    key_list.value(make_ptr<ListObject>(types::any(), keys));
    CheckpointPickler info(CheckpointPickler::Layout::Stream, nullptr);
    info.value(system_info());
    AtomicFile file(target);
    file.reserve(pickle.storage_bytes());
    file.write(kMagic);
    file.write(kProtocol);
    file.write(info.finish());
    file.write(pickle.finish());
    file.write(key_list.finish());
    for (const Ptr<Storage>& storage : pickle.storages()) {
        check_cancelled();
        const auto width = static_cast<std::size_t>(element_size(pickle.dtype_of(*storage)));
        const std::size_t numel = storage->bytes() / width;
        file.write(number_bytes(numel));
        file.write(bytes_of(*on_host(storage)).first(numel * width));
    }
    file.commit();
}

}  // namespace

void CheckpointPickler::write_call(std::string_view module, std::string_view name,
                                   const std::vector<IValue>& arguments) {
    global(module, name);
    tuple(arguments);
    op('R');
}

void CheckpointPickler::write_new(std::string_view module, std::string_view name, const IValue& state) {
    global(module, name);
    ops(")\x81");
    value(state);
    op('b');
}

void CheckpointPickler::write_ordered_dict(const DictObject& entries, const DictObject* state) {
    global("collections", "OrderedDict");
    ops(")R");
    items(entries);
    if (state == nullptr) return;
    op('}');
    items(*state);
    op('b');
}

// As Python 3 writes bytes in protocol 2: each byte as the character of that number.
void CheckpointPickler::write_bytes(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            text += c;
        } else {
            text += static_cast<char>(0xc0 | (byte >> 6));
            text += static_cast<char>(0x80 | (byte & 0x3f));
        }
    }
    write_call("_codecs", "encode", {text, "latin1"});
}

void CheckpointPickler::write_set(const std::vector<IValue>& values) {
    global("__builtin__", "set");
    elements(values);
    ops("\x85R");
}

void CheckpointPickler::storage(const Tensor& tensor) {
    const Ptr<Storage>& storage = tensor.storage();
    const ScalarType dtype = has_typed_storage(tensor.dtype()) ? tensor.dtype() : ScalarType::UInt8;
    const auto [known, is_new] = dtypes_.try_emplace(storage.get(), dtype);
    if (known->second != dtype) {
        throw Error(ErrorKind::Unsupported,
                    "Cannot save multiple tensors or storages that view the same data as different types");
    }
    if (layout_ == Layout::Plain) return storage_bytes_of(tensor);
    storage_id(tensor, number_of(storage));
}

// PyTorch writes such tensors to the older layouts too, and cannot read them back.
bool CheckpointPickler::has_typed_storage(ScalarType dtype) const {
    if (has_python_storage(dtype)) return true;
    if (layout_ == Layout::Archive) return false;
    throw Error(ErrorKind::Unsupported, concat("Cannot serialize a tensor of ", dtype_name(dtype), " elements"),
                {.hint = "save it in the layout of archives, the default"});
}

void CheckpointPickler::storage_id(const Tensor& tensor, std::size_t number) {
    op('(');
    string("storage");
    const bool is_typed = has_typed_storage(tensor.dtype());
    named(is_typed ? storage_type_name(tensor.dtype()) : std::string(kUntypedStorage));
    string(std::to_string(number));
    string(device_name(tensor.device()));
    integer(static_cast<std::int64_t>(tensor.storage()->bytes()) / (is_typed ? tensor.element_size() : 1));
    if (layout_ != Layout::Archive) op('N');  // it is no view of another storage
    ops("tQ");
}

// torch.storage._load_from_bytes(the stream of this storage only). Tensors that share a storage get separate copies, as
// in PyTorch.
void CheckpointPickler::storage_bytes_of(const Tensor& tensor) {
    const Ptr<Storage>& storage = tensor.storage();
    CheckpointPickler id(Layout::Stream, nullptr);
    id.storage_id(tensor, 0);
    CheckpointPickler keys(Layout::Stream, nullptr);
    keys.value(make_ptr<ListObject>(types::any(), std::vector<IValue>{IValue("0")}));
    CheckpointPickler info(Layout::Stream, nullptr);
    info.value(system_info());
    std::string stream = concat(kMagic, kProtocol, info.finish(), id.finish(), keys.finish());
    const auto width = static_cast<std::size_t>(tensor.element_size());
    const std::size_t numel = storage->bytes() / width;
    stream += number_bytes(numel);
    stream.append(static_cast<const char*>(on_host(storage)->data()), numel * width);
    global("torch.storage", "_load_from_bytes");
    write_bytes(stream);
    ops("\x85R");
}

void CheckpointPickler::tensor(const Tensor& given) {
    if (is_other(given)) return;
    if (given.is_sparse() && !is_packed(given)) return sparse_tensor(given);
    const Tensor tensor = unpacked_(given);
    if (!is_parameter(given)) return plain_tensor(tensor, requires_grad(given));
    global("torch._utils", "_rebuild_parameter");
    op('(');
    plain_tensor(tensor, false);
    boolean(requires_grad(given));
    global("collections", "OrderedDict");
    ops(")RtR");
}

void CheckpointPickler::sparse_tensor(const Tensor& tensor) {
    if (is_nested(tensor)) return nested_tensor(tensor);
    if (is_compressed(tensor)) return compressed_tensor(tensor);
    if (is_sharded(tensor)) {
        throw Error(ErrorKind::Unsupported, "a DTensor cannot be saved here",
                    {.hint = "save x.full_tensor(), or x.to_local() on each rank"});
    }
    if (!is_coordinate(tensor)) {
        throw Error(ErrorKind::Unsupported, "a quantised tensor cannot be saved",
                    {.hint = "save x.dequantize(), or its integers, scale and zero point"});
    }
    const CoordinateParts& parts = coordinate_parts(tensor);
    global("torch._utils", "_rebuild_sparse_tensor");
    write_call("torch.serialization", "_get_layout", {"torch.sparse_coo"});
    plain_tensor(parts.indices, false);
    plain_tensor(parts.values, requires_grad(tensor));
    size(std::vector<IValue>(tensor.sizes().begin(), tensor.sizes().end()));
    ops("\x87\x86R");
}

// PyTorch's own form, which its torch.load(weights_only=False) reads.
void CheckpointPickler::nested_tensor(const Tensor& tensor) {
    if (is_jagged(tensor)) return jagged_tensor(tensor);
    const NestedParts& parts = nested_parts(tensor);
    const auto table = [&](const std::vector<Dims>& rows) {
        std::vector<std::int64_t> all;
        for (const Dims& each : rows) all.insert(all.end(), each.begin(), each.end());
        plain_tensor(tensor_of(std::span<const std::int64_t>(all), span_of(Dims{parts.batch(), parts.rank})), false);
    };
    global("torch._utils", "_rebuild_nested_tensor");
    op('(');
    plain_tensor(parts.buffer, requires_grad(tensor));
    table(parts.sizes);
    table(parts.strides);
    plain_tensor(tensor_of(std::span<const std::int64_t>(parts.offsets.data(), parts.offsets.size()),
                           span_of(Dims{parts.batch()})),
                 false);
    ops("tR");
}

// _rebuild_from_type_v2(_rebuild_njt, NestedTensor, (keywords,), {})
void CheckpointPickler::jagged_tensor(const Tensor& tensor) {
    const JaggedParts& parts = jagged_parts(tensor);
    global("torch._tensor", "_rebuild_from_type_v2");
    op('(');
    global("torch.nested._internal.nested_tensor", "_rebuild_njt");
    global("torch.nested._internal.nested_tensor", "NestedTensor");
    ops("}(");
    string("values");
    plain_tensor(parts.values, false);
    string("offsets");
    plain_tensor(parts.offsets, false);
    string("lengths");
    if (parts.lengths.defined())
        plain_tensor(parts.lengths, false);
    else
        op('N');
    string("_ragged_idx");
    integer(parts.ragged);
    string("_metadata_cache");
    ops("}(");
    const auto length = [&](const char* name, const std::optional<std::int64_t>& value) {
        if (!value) return;
        string(name);
        plain_tensor(zeros(span_of(Dims{*value, 0})), false);
    };
    length("min_seqlen", parts.known->least);
    length("max_seqlen", parts.known->most);
    op('u');
    string("requires_grad");
    boolean(requires_grad(tensor));
    ops("u\x85}tR");
}

// (layout, (compressed indices, plain indices, values, size))
void CheckpointPickler::compressed_tensor(const Tensor& tensor) {
    const CompressedParts& parts = compressed_parts(tensor);
    global("torch._utils", "_rebuild_sparse_tensor");
    write_call("torch.serialization", "_get_layout", {concat("torch.", layout_python_name(parts.layout))});
    op('(');
    plain_tensor(parts.compressed, false);
    plain_tensor(parts.plain, false);
    plain_tensor(parts.values, requires_grad(tensor));
    size(std::vector<IValue>(tensor.sizes().begin(), tensor.sizes().end()));
    ops("t\x86R");
}

void CheckpointPickler::write_uninitialized(const Tensor& tensor) {
    global("torch.nn.parameter", is_parameter(tensor) ? "UninitializedParameter" : "UninitializedBuffer");
    boolean(requires_grad(tensor));
    ops("\x85R");
}

void CheckpointPickler::write_object(const IValue& object, const ReducedObject& parts) {
    value(parts.callable);
    tuple(parts.arguments);
    op(parts.is_new ? '\x81' : 'R');
    memoize(object.object_pointer());
    if (!parts.elements.empty()) {
        op('(');
        for (const IValue& element : parts.elements) value(element);
        op('e');
    }
    if (!parts.items.empty()) {
        op('(');
        for (const auto& [key, item] : parts.items) {
            value(key);
            value(item);
        }
        op('u');
    }
    if (parts.state.is_none()) return;
    value(parts.state);
    op('b');
}

bool CheckpointPickler::is_other(const IValue& value) { return others_ != nullptr && others_->write(value, *this); }

void CheckpointPickler::list(const ListObject& list) {
    if (is_other(Ptr<ListObject>(const_cast<ListObject*>(&list)))) return;
    op(']');
    memoize(&list);
    op('(');
    for (const IValue& each : list.elements) value(each);
    op('e');
}

void CheckpointPickler::size(const std::vector<IValue>& sizes) {
    global("torch", "Size");
    tuple(sizes);
    ops("\x85R");
}

void CheckpointPickler::tuple_object(const TupleObject& tuple) {
    if (tuple.type != nullptr && tuple.type->name() == "torch.Size") {
        size(tuple.elements);
    } else if (tuple.type == nullptr || !is_other(Ptr<TupleObject>(const_cast<TupleObject*>(&tuple)))) {
        this->tuple(tuple.elements);
    }
}

void CheckpointPickler::dict(const DictObject& dict) {
    IValue state;
    if (others_ != nullptr && others_->is_ordered(dict, state)) {
        return write_ordered_dict(dict, state.is_dict() ? &state.to_dict() : nullptr);
    }
    if (is_other(Ptr<DictObject>(const_cast<DictObject*>(&dict)))) return;
    op('}');
    memoize(&dict);
    items(dict);
}

void CheckpointPickler::object(const Object& object) {
    if (is_other(Ptr<Object>(const_cast<Object*>(&object)))) return;
    throw Error(ErrorKind::Unsupported, concat("Cannot serialize an object of the class ", object.type()->name()),
                {.hint = "save its state_dict(), or export the model with torch.jit.save"});
}

void CheckpointPickler::other(const IValue& value) {
    if (others_ == nullptr || !others_->write(value, *this)) PickleWriter::other(value);
}

void write_checkpoint(const IValue& value, const FileTarget& target, const CheckpointOptions& options) {
    if (options.is_stream)
        write_stream(value, target, options.others);
    else
        write_archive(value, target, options.others);
}

std::string pickle_value(const IValue& value, OtherValues* others) {
    CheckpointPickler pickle(CheckpointPickler::Layout::Plain, others);
    pickle.value(value);
    return pickle.finish();
}

}  // namespace loupe
