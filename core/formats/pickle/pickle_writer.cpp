// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/pickle_writer.h"

#include <bit>
#include <limits>

#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/pickle/tensor_rebuild.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/value/schema.h"

namespace loupe {
namespace {

constexpr int kDeepest = 1000;

void put_little(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

}  // namespace

PickleWriter::PickleWriter() { out_ = "\x80\x02"; }

std::uint64_t PickleWriter::storage_bytes() const {
    std::uint64_t bytes = 0;
    for (const Ptr<Storage>& storage : storages_) bytes += storage->bytes();
    return bytes;
}

const std::string& PickleWriter::finish() {
    op('.');
    return out_;
}

void PickleWriter::global(std::string_view module, std::string_view name) {
    out_ += concat("c", module, "\n", name, "\n");
}

void PickleWriter::named(std::string_view qualified_name) {
    const auto dot = qualified_name.rfind('.');
    global(qualified_name.substr(0, dot), qualified_name.substr(dot + 1));
}

void PickleWriter::string(std::string_view text) {
    op('X');
    put_little(out_, text.size(), 4);
    out_ += text;
}

void PickleWriter::integer(std::int64_t value) {
    if (value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()) {
        op('J');
        put_little(out_, static_cast<std::uint64_t>(value), 4);
        return;
    }
    out_ += "\x8a\x08";
    put_little(out_, static_cast<std::uint64_t>(value), 8);
}

void PickleWriter::floating(double value) {
    op('G');
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 56; shift >= 0; shift -= 8) out_ += static_cast<char>((bits >> shift) & 0xff);
}

void PickleWriter::dims(IntSpan values) {
    op('(');
    for (const std::int64_t value : values) integer(value);
    op('t');
}

// ('storage', torch.FloatStorage, '0', 'cpu', 256)
void PickleWriter::storage(const Tensor& tensor) {
    const std::size_t number = number_of(tensor.storage());
    op('(');
    string("storage");
    const bool is_typed = has_typed_storage(tensor.dtype());
    named(is_typed ? storage_type_name(tensor.dtype()) : std::string(kUntypedStorage));
    string(std::to_string(number));
    string(device_name(tensor.device()));
    integer(static_cast<std::int64_t>(tensor.storage()->bytes()) / (is_typed ? tensor.element_size() : 1));
    out_ += "tQ";
}

bool PickleWriter::has_typed_storage(ScalarType dtype) const { return !is_state_dict_ || has_python_storage(dtype); }

std::size_t PickleWriter::number_of(const Ptr<Storage>& storage) {
    const auto [found, is_new] = storage_numbers_.try_emplace(storage.get(), storages_.size());
    if (is_new) storages_.push_back(storage);
    return found->second;
}

void PickleWriter::tensor(const Tensor& tensor) { plain_tensor(unpacked_(tensor), requires_grad(tensor)); }

void PickleWriter::plain_tensor(const Tensor& tensor, bool requires_grad) {
    const bool is_typed = has_typed_storage(tensor.dtype());
    global("torch._utils", is_typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    op('(');
    storage(tensor);
    integer(tensor.storage_offset());
    dims(tensor.sizes());
    dims(tensor.strides());
    boolean(requires_grad);
    global("collections", "OrderedDict");
    out_ += ")R";
    if (!is_typed) global("torch", dtype_name(tensor.dtype()));
    out_ += "tR";
}

void PickleWriter::elements(const std::vector<IValue>& values) {
    out_ += "](";
    for (const IValue& each : values) value(each);
    op('e');
}

void PickleWriter::list(const ListObject& list) {
    const TypeKind kind = list.element_type->kind();
    const char* builder = kind == TypeKind::Int      ? "build_intlist"
                          : kind == TypeKind::Float  ? "build_doublelist"
                          : kind == TypeKind::Bool   ? "build_boollist"
                          : kind == TypeKind::Tensor ? "build_tensorlist"
                                                     : nullptr;
    global("torch.jit._pickle", builder != nullptr ? builder : "restore_type_tag");
    elements(list.elements);
    if (builder != nullptr) {
        out_ += "\x85R";
        return;
    }
    string(types::list(list.element_type)->annotation_str());
    out_ += "\x86R";
}

void PickleWriter::tuple(const std::vector<IValue>& values) {
    op('(');
    for (const IValue& each : values) value(each);
    op('t');
}

void PickleWriter::dict(const DictObject& dict) {
    global("torch.jit._pickle", "restore_type_tag");
    op('}');
    items(dict);
    string(types::dict(dict.key_type, dict.value_type)->annotation_str());
    out_ += "\x86R";
}

void PickleWriter::tuple_object(const TupleObject& tuple) { this->tuple(tuple.elements); }

void PickleWriter::items(const DictObject& dict) {
    op('(');
    for (const auto& [key, each] : dict.entries()) {
        value(key);
        value(each);
    }
    op('u');
}

void PickleWriter::other(const IValue& value) {
    throw Error(ErrorKind::Unsupported, concat("Cannot serialize ", value_type_name(value), " value"));
}

void PickleWriter::object(const Object& object) {
    check_cancelled();
    named(object.type()->name());
    out_ += ")\x81";
    if (object.type()->find_method("__getstate__") != nullptr) {
        kept_.push_back(runtime::run_method(Ptr<Object>(const_cast<Object*>(&object)), "__getstate__", {}));
        value(kept_.back());
    } else {
        out_ += "}(";
        const auto& attributes = object.type()->attributes();
        for (std::size_t slot = 0; slot < attributes.size(); ++slot) {
            string(attributes[slot].name);
            value(slot < object.slot_count() ? object.slot(slot) : IValue());
        }
        op('u');
    }
    op('b');
}

void PickleWriter::memoize(const void* address) {
    const auto number = static_cast<std::uint32_t>(memo_.size());
    if (!memo_.emplace(address, number).second) return;
    op('r');
    put_little(out_, number, 4);
}

bool PickleWriter::recall(const void* address) {
    const auto found = memo_.find(address);
    if (found == memo_.end()) return false;
    op('j');
    put_little(out_, found->second, 4);
    return true;
}

// Values with an identity, which are memoised.
void PickleWriter::counted(const IValue& value) {
    const void* address =
        value.is_tensor() ? static_cast<const void*>(value.to_tensor().impl()) : value.object_pointer();
    if (recall(address)) return;
    // A list may hold itself.
    if (++depth_ > kDeepest)
        throw Error(ErrorKind::Unsupported, concat("Cannot serialize values that nest more than ", kDeepest, " deep"));
    if (value.is_tensor()) {
        tensor(value.to_tensor());
    } else if (value.is_list()) {
        list(value.to_list());
    } else if (value.is_tuple()) {
        tuple_object(value.to_tuple());
    } else if (value.is_dict()) {
        dict(value.to_dict());
    } else if (value.is_object()) {
        object(*value.to_object());
    } else {
        other(value);
    }
    --depth_;
    memoize(address);
}

void PickleWriter::value(const IValue& value) {
    if (value.is_none() || (value.is_tensor() && !value.to_tensor().defined())) return op('N');
    if (value.is_bool()) return boolean(value.to_bool());
    if (value.is_int()) return integer(value.to_int());
    if (value.is_double()) return floating(value.to_double());
    if (value.is_string()) return string(value.to_string());
    if (value.is_complex()) {
        global("builtins", "complex");
        floating(value.to_complex().real());
        floating(value.to_complex().imag());
        out_ += "\x86R";
    } else if (value.is_device()) {
        global("torch", "device");
        string(device_name(value.to_device()));
        out_ += "\x85R";
    } else if (value.is_enum()) {
        const auto& entry = static_cast<const EnumValue&>(*value.object_pointer());
        named(entry.type->name());
        this->value(entry.value);
        op('R');
    } else {
        counted(value);
    }
}

void PickleWriter::state_dict(const NamedTensors& tensors) {
    is_state_dict_ = true;
    global("collections", "OrderedDict");
    out_ += ")R(";
    for (const auto& [name, each] : tensors) {
        string(name);
        value(each);
    }
    op('u');
}

}  // namespace loupe
