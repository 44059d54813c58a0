// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/numpy_values.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/numpy/dtype_code.h"

namespace loupe {
namespace {

// numpy.dtype('f8', False, True) with the state (3, '<', ...).
ScalarType parse_dtype(const PickleNode& node) {
    if (node.callable_name() != "numpy.dtype") throw_file_error("numpy: a value without a dtype");
    const auto& args = node.call().args->elements();
    if (args.empty()) throw_file_error("numpy: dtype without a name");
    const std::string& code = args[0]->to_string();
    const auto dtype = dtype_from_numpy_code(code);
    if (!dtype)
        throw Error(ErrorKind::Unsupported,
                    concat("numpy elements of type ", quote_name(code), ", which are not supported"));
    if (const PickleRef state = node.call().state;
        state != nullptr && state->is(PickleKind::Tuple) && state->elements().size() > 1) {
        if (state->elements()[1]->is(PickleKind::String) && state->elements()[1]->to_string() == ">") {
            throw Error(ErrorKind::Unsupported, "numpy elements in big-endian order, which are not supported");
        }
    }
    return *dtype;
}

std::string need_bytes(const PickleNode& node) {
    auto bytes = pickled_bytes(node);
    if (!bytes) throw_file_error(concat("numpy: expected bytes, got ", pickle_kind_name(node.kind)));
    return std::move(*bytes);
}

Tensor tensor_from(const std::string& bytes, ScalarType dtype, const Dims& sizes, bool fortran_order) {
    std::uint64_t wanted = static_cast<std::uint64_t>(element_size(dtype));
    for (const std::int64_t size : sizes) {
        if (size < 0 || (size > 0 && wanted > bytes.size() / static_cast<std::uint64_t>(size)))
            throw_file_error("numpy: an array of more elements than bytes");
        wanted *= static_cast<std::uint64_t>(size);
    }
    if (wanted != bytes.size())
        throw_file_error(concat("numpy: an array ", shape_text(span_of(sizes)), " of ", bytes.size(), " bytes"));
    auto storage = copy_to_storage(std::as_bytes(std::span(bytes)), MemoryCategory::Other);
    if (dtype == ScalarType::Bool) normalise_bools({static_cast<std::byte*>(storage->data()), storage->bytes()});
    Dims strides = contiguous_strides(span_of(sizes));
    if (fortran_order) {
        std::int64_t stride = 1;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
            strides[d] = stride;
            stride *= std::max<std::int64_t>(sizes[d], 1);
        }
    }
    return tensor_on(std::move(storage), dtype, span_of(sizes), span_of(strides), 0);
}

bool is_named(const PickleNode& node, std::string_view name) {
    const std::string_view called = node.callable_name();
    return called.starts_with("numpy.") && called.ends_with(name) &&
           called.find(".multiarray.") != std::string_view::npos;
}

}  // namespace

std::optional<std::string> pickled_bytes(const PickleNode& node) {
    if (node.is(PickleKind::Bytes)) return node.to_bytes();
    if (node.callable_name() != "_codecs.encode") return std::nullopt;
    const auto& args = node.call().args->tuple(2);
    if (args[1]->to_string() != "latin1") throw_file_error("bytes written in an unknown encoding");
    const std::string& text = args[0]->to_string();
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80) {
            bytes += text[i];
            continue;
        }
        const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        if (lead > 0xc3 || lead < 0xc2 || (next & 0xc0U) != 0x80)
            throw_file_error("bytes written as text that is none");
        bytes += static_cast<char>(((lead & 3U) << 6) | (next & 0x3fU));
        ++i;
    }
    return bytes;
}

bool is_numpy_call(const PickleNode& node) {
    return node.is(PickleKind::Reduce) && (is_named(node, ".scalar") || is_named(node, "._reconstruct"));
}

IValue build_numpy(const PickleNode& node) {
    if (is_named(node, ".scalar")) {
        const auto& args = node.call().args->tuple(2);
        return item(tensor_from(need_bytes(*args[1]), parse_dtype(*args[0]), {}, false));
    }
    // (version, shape, dtype, is_fortran, bytes)
    if (node.call().state == nullptr) throw_file_error("numpy: an array without contents");
    const auto& state = node.call().state->tuple(5);
    Dims sizes;
    for (const PickleRef size : state[1]->elements()) sizes.push_back(size->to_int());
    return tensor_from(need_bytes(*state[4]), parse_dtype(*state[2]), sizes, state[3]->to_bool());
}

}  // namespace loupe
