// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/proto/tensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx {
namespace {

namespace fs = std::filesystem;
using proto::TensorProto;

// Smaller ones are copied: a string that short may lie on its own stack.
constexpr std::size_t kMovedBytes = 4096;
constexpr std::size_t kMostDims = 64;

class OwnedBytes final : public RefCounted {
  public:
    explicit OwnedBytes(std::string bytes) : text(std::move(bytes)) {}
    std::string text;
};

[[noreturn]] void fail(const TensorProto& tensor, std::string message) {
    throw_file_error(concat("tensor ", quote_name(tensor.name()), ": ", message));
}

std::int64_t count_of(const TensorProto& tensor, const Dims& sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > (std::int64_t{1} << 50))
            fail(tensor, concat("no tensor has the shape ", shape_list_text(span_of(sizes))));
    }
    return count;
}

std::uint64_t number_in(const TensorProto& tensor, const std::string& text, const char* what) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size())
        fail(tensor, concat("its ", what, " ", quote_name(text), " is no number"));
    return value;
}

// The bits of element i, of 2, 4, 8, 16, 32 or 64 each, the lowest first.
std::uint64_t bits_at(std::span<const std::byte> bytes, std::int64_t i, std::int32_t bits) {
    if (bits < 8) {
        const auto byte = static_cast<std::uint64_t>(bytes[static_cast<std::size_t>(i * bits / 8)]);
        return byte >> (i * bits % 8) & ((1U << bits) - 1);
    }
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + i * (bits / 8), static_cast<std::size_t>(bits / 8));
    return value;
}

// A value of a type that the engine lacks, or of which a message's list holds the bits.
void set_from_bits(const DataType& type, std::uint64_t bits, std::int64_t i, const Tensor& out) {
    switch (type.held) {
        case ScalarType::Float32:
            out.data<float>()[i] = small_float(type, static_cast<std::uint32_t>(bits));
            return;
        case ScalarType::UInt8:  // uint4, uint2
            out.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(bits);
            return;
        case ScalarType::Int8: {
            const auto shift = 64 - type.bits;
            out.data<std::int8_t>()[i] = static_cast<std::int8_t>(static_cast<std::int64_t>(bits << shift) >> shift);
            return;
        }
        default:
            out.data<std::int64_t>()[i] = static_cast<std::int64_t>(bits);
            return;
    }
}

Tensor from_bytes(const TensorProto& tensor, const DataType& type, const Dims& sizes, std::span<std::byte> bytes,
                  const Ptr<RefCounted>& owner) {
    const std::int64_t count = count_of(tensor, sizes);
    const std::int64_t needed = type.bits < 8 ? (count * type.bits + 7) / 8 : count * (type.bits / 8);
    if (static_cast<std::uint64_t>(needed) != bytes.size()) {
        fail(tensor,
             concat("its shape ", shape_list_text(span_of(sizes)), " takes ", needed, " bytes, it has ", bytes.size()));
    }
    if (!type.is_exact) {
        Tensor out = empty(span_of(sizes), type.held);
        for (std::int64_t i = 0; i < count; ++i) set_from_bits(type, bits_at(bytes, i, type.bits), i, out);
        return out;
    }
    const auto width = static_cast<std::size_t>(element_size(type.held));
    if (owner != nullptr && bytes.size() >= kMovedBytes && type.held != ScalarType::Bool) {
        return tensor_on(storage_on(bytes, width, owner, current_memory_category()), type.held, span_of(sizes),
                         span_of(contiguous_strides(span_of(sizes))), 0);
    }
    Tensor out = empty(span_of(sizes), type.held);
    if (!bytes.empty()) std::memcpy(out.raw_data(), bytes.data(), bytes.size());
    if (type.held == ScalarType::Bool) normalise_bools({static_cast<std::byte*>(out.raw_data()), bytes.size()});
    return out;
}

template <typename T, typename List>
void copy_list(const TensorProto& tensor, const List& list, const Tensor& out, std::int64_t numbers_each = 1) {
    if (static_cast<std::int64_t>(list.size()) != out.numel() * numbers_each) {
        fail(tensor, concat("its shape ", shape_list_text(out.sizes()), " takes ", out.numel() * numbers_each,
                            " values, it has ", list.size()));
    }
    T* data = out.data<T>();
    for (int i = 0; i < list.size(); ++i) data[i] = static_cast<T>(list[i]);
}

// Values in a list of the message; each is one element, or the bits of one.
Tensor from_lists(const TensorProto& tensor, const DataType& type, const Dims& sizes) {
    const std::int64_t count = count_of(tensor, sizes);
    // No list is longer than the file: what follows allocates no more than a few times that.
    const auto most = std::max({tensor.float_data_size(), tensor.int32_data_size(), tensor.int64_data_size(),
                                tensor.double_data_size(), tensor.uint64_data_size()});
    if (count > std::int64_t{most} * (type.bits < 8 ? 8 / type.bits : 1))
        fail(tensor, concat("its shape ", shape_list_text(span_of(sizes)), " takes ", count, " values, it has ", most));
    Tensor out = empty(span_of(sizes), type.held);
    switch (type.number) {
        case TensorProto::FLOAT:
            copy_list<float>(tensor, tensor.float_data(), out);
            return out;
        case TensorProto::DOUBLE:
            copy_list<double>(tensor, tensor.double_data(), out);
            return out;
        case TensorProto::INT64:
            copy_list<std::int64_t>(tensor, tensor.int64_data(), out);
            return out;
        case TensorProto::UINT32:
            copy_list<std::uint32_t>(tensor, tensor.uint64_data(), out);
            return out;
        case TensorProto::UINT64:
            copy_list<std::uint64_t>(tensor, tensor.uint64_data(), out);
            return out;
        case TensorProto::UINT16:
            copy_list<std::uint16_t>(tensor, tensor.int32_data(), out);
            return out;
        case TensorProto::INT32:
            copy_list<std::int32_t>(tensor, tensor.int32_data(), out);
            return out;
        case TensorProto::INT16:
        case TensorProto::FLOAT16:
        case TensorProto::BFLOAT16: {
            if (tensor.int32_data_size() != count) fail(tensor, "it has another number of values than its shape takes");
            auto* data = static_cast<std::uint16_t*>(out.raw_data());
            for (int i = 0; i < tensor.int32_data_size(); ++i)
                data[i] = static_cast<std::uint16_t>(tensor.int32_data(i));
            return out;
        }
        case TensorProto::INT8:
            copy_list<std::int8_t>(tensor, tensor.int32_data(), out);
            return out;
        case TensorProto::UINT8:
            copy_list<std::uint8_t>(tensor, tensor.int32_data(), out);
            return out;
        case TensorProto::BOOL:
            copy_list<bool>(tensor, tensor.int32_data(), out);
            return out;
        case TensorProto::COMPLEX64: {
            if (tensor.float_data_size() != 2 * count)
                fail(tensor, "it has another number of values than its shape takes");
            std::copy(tensor.float_data().begin(), tensor.float_data().end(), static_cast<float*>(out.raw_data()));
            return out;
        }
        case TensorProto::COMPLEX128: {
            if (tensor.double_data_size() != 2 * count)
                fail(tensor, "it has another number of values than its shape takes");
            std::copy(tensor.double_data().begin(), tensor.double_data().end(), static_cast<double*>(out.raw_data()));
            return out;
        }
        default:
            break;
    }
    // Small types: a byte of packed elements, or of one, a number.
    std::string bytes;
    for (const std::int32_t value : tensor.int32_data()) bytes += static_cast<char>(value);
    return from_bytes(tensor, type, sizes, std::as_writable_bytes(std::span(bytes)), nullptr);
}

}  // namespace

const Ptr<MappedFile>& ExternalFiles::open(const std::string& location) {
    if (const auto found = files_.find(location); found != files_.end()) return found->second;
    const fs::path path(location);
    const fs::path plain = path.lexically_normal();
    if (model_.empty() || location.empty() || location.find('\0') != std::string::npos)
        throw_file_error("names no file for its data");
    std::error_code failure;
    const fs::path folder = fs::weakly_canonical(fs::absolute(model_).parent_path(), failure);
    const fs::path file = fs::weakly_canonical(folder / plain, failure);
    const fs::path inside = file.lexically_relative(folder);
    const bool leaves = path.is_absolute() || plain.begin() == plain.end() || *plain.begin() == ".." || failure ||
                        inside.empty() || *inside.begin() == "..";
    if (leaves) throw_file_error(concat("its data ", quote_name(location), " lie outside the model's folder"));
    if (!fs::exists(file, failure)) throw_file_error(concat("its data ", quote_name(location), " are not there"));
    return files_[location] = MappedFile::open(file);
}

ExternalFiles::Part ExternalFiles::part(const TensorProto& tensor) {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() == "location") location = entry.value();
        if (entry.key() == "offset") offset = number_in(tensor, entry.value(), "offset");
        if (entry.key() == "length") length = number_in(tensor, entry.value(), "length");
    }
    try {
        const Ptr<MappedFile>& file = open(location);
        const std::span<std::byte> bytes = file->bytes();
        if (offset > bytes.size() || length.value_or(0) > bytes.size() - offset) {
            throw_file_error(
                concat("its data end after ", quote_name(location), ", which has ", bytes.size(), " bytes"));
        }
        const std::uint64_t size = length.value_or(bytes.size() - offset);
        return {bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)), file};
    } catch (const Error& error) {
        fail(tensor, error.message());
    }
}

bool is_string_tensor(const TensorProto& tensor) { return tensor.data_type() == TensorProto::STRING; }

Tensor take_tensor(TensorProto& tensor, ExternalFiles& files) {
    const DataType* type = find_data_type(tensor.data_type());
    if (type == nullptr) {
        throw Error(ErrorKind::Unsupported, concat("tensor ", quote_name(tensor.name()), " has elements ",
                                                   data_type_name(tensor.data_type()), ", which the engine lacks"));
    }
    if (tensor.has_segment()) throw Error(ErrorKind::Unsupported, "a tensor in segments");
    if (static_cast<std::size_t>(tensor.dims_size()) > kMostDims)
        fail(tensor, concat("it has ", tensor.dims_size(), " dimensions"));
    Dims sizes(tensor.dims().begin(), tensor.dims().end());
    if (tensor.data_location() == TensorProto::EXTERNAL) {
        const ExternalFiles::Part part = files.part(tensor);
        std::span<std::byte> bytes = part.bytes;
        // Without a length the data end where the shape does.
        const bool has_length =
            std::ranges::any_of(tensor.external_data(), [](const auto& entry) { return entry.key() == "length"; });
        const std::int64_t count = count_of(tensor, sizes);
        const auto needed = static_cast<std::size_t>((count * type->bits + 7) / 8);
        if (!has_length && needed <= bytes.size()) bytes = bytes.first(needed);
        return from_bytes(tensor, *type, sizes, bytes, part.file);
    }
    if (!tensor.has_raw_data()) return from_lists(tensor, *type, sizes);
    if (tensor.raw_data().size() < kMovedBytes)
        return from_bytes(tensor, *type, sizes, std::as_writable_bytes(std::span(*tensor.mutable_raw_data())), nullptr);
    const auto owner = make_ptr<OwnedBytes>(std::move(*tensor.mutable_raw_data()));
    tensor.clear_raw_data();
    return from_bytes(tensor, *type, sizes, std::as_writable_bytes(std::span(owner->text)), owner);
}

Tensor take_sparse_tensor(proto::SparseTensorProto& sparse, ExternalFiles& files) {
    Tensor values = take_tensor(*sparse.mutable_values(), files);
    const Tensor indices = take_tensor(*sparse.mutable_indices(), files);
    const Dims sizes(sparse.dims().begin(), sparse.dims().end());
    const std::int64_t count = count_of(sparse.values(), sizes);
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const bool fits = values.dim() == 1 && indices.dtype() == ScalarType::Int64 && count <= kMost &&
                      (indices.dim() == 1 || (indices.dim() == 2 && indices.size(1) == rank)) &&
                      indices.size(0) == values.size(0);
    if (!fits) fail(sparse.values(), "its values and indices do not fit together");
    const std::int64_t* at = indices.data<std::int64_t>();
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        std::int64_t place = 0;
        if (indices.dim() == 1) {
            place = at[i];
        } else {
            for (std::int64_t d = 0; d < rank; ++d) {
                const std::int64_t index = at[i * rank + d];
                if (index < 0 || index >= sizes[static_cast<std::size_t>(d)]) place = count;
                place = place >= count ? count : place * sizes[static_cast<std::size_t>(d)] + index;
            }
        }
        if (place < 0 || place >= count) fail(sparse.values(), "one of its indices lies outside its shape");
        places.push_back(place);
    }
    Tensor dense = zeros(span_of(sizes), values.dtype());
    const auto width = static_cast<std::size_t>(values.element_size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::memcpy(static_cast<std::byte*>(dense.raw_data()) + static_cast<std::size_t>(places[i]) * width,
                    static_cast<const std::byte*>(values.raw_data()) + i * width, width);
    }
    return dense;
}

void put_tensor(const Tensor& tensor, const std::string& name, TensorProto& into) {
    into.set_name(name);
    into.set_data_type(data_type_of(tensor.dtype()));
    for (const std::int64_t size : tensor.sizes()) into.add_dims(size);
    const Tensor packed = fn::contiguous(fn::detach(tensor));
    into.set_raw_data(packed.raw_data(), packed.bytes());
}

}  // namespace loupe::onnx
