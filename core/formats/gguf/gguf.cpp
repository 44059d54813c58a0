// SPDX-License-Identifier: Apache-2.0
#include "core/formats/gguf/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/checkpoint/weights_tree.h"
#include "core/tensor/packed.h"

namespace loupe {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint64_t kLongestKey = 65535;
constexpr std::uint32_t kMostDimensions = 4;
constexpr std::uint64_t kMostAlignment = 1U << 30;
constexpr int kDeepest = 4;  // lists in lists
constexpr std::size_t kLongestNote = 100;
constexpr std::size_t kMostNotes = 500;

// gguf_metadata_value_type.
enum class ValueType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, List, U64, I64, F64 };

class Reader {
  public:
    explicit Reader(const Ptr<MappedFile>& file) : file_(file), bytes_(file->bytes(), "its header") {}

    GgufFile read() {
        GgufFile out;
        const std::uint64_t tensors = read_metadata(out);
        read_tensors(tensors, alignment(out.metadata), out);
        return out;
    }

    // Returns how many tensors follow.
    std::uint64_t read_metadata(GgufFile& out) {
        if (bytes_.take_text(kMagic.size()) != kMagic) throw_file_error("no GGUF file");
        out.version = bytes_.little<std::uint32_t>();
        if (out.version == 0x02000000 || out.version == 0x03000000)
            throw Error(ErrorKind::Unsupported, "a GGUF file of big-endian numbers",
                        {.hint = "convert it with gguf-convert-endian of the package gguf"});
        if (out.version != 2 && out.version != 3)
            throw Error(ErrorKind::Unsupported, concat("version ", out.version, " of GGUF; 2 and 3 are read"));
        const std::uint64_t tensors = count("tensors", 24), keys = count("keys", 12);
        out.metadata = OrderedJson::object();
        for (std::uint64_t i = 0; i < keys; ++i) {
            std::string key = text(kLongestKey);
            if (!names_.insert(key).second) throw_file_error(concat("the key ", quote_name(key), " stands twice"));
            out.metadata[key] = value(bytes_.little<std::uint32_t>(), key, 0);
        }
        return tensors;
    }

  private:
    struct Place {
        std::uint32_t type = 0;
        std::uint64_t begin = 0;
    };

    // Each takes at least that many bytes.
    std::uint64_t count(std::string_view what, std::uint64_t least) {
        const auto n = bytes_.little<std::uint64_t>();
        if (n > bytes_.remaining() / least)
            throw_file_error(concat("truncated: it has ", n, " ", what, ", and ", bytes_.remaining(), " bytes follow"));
        return n;
    }

    std::string text(std::uint64_t most) {
        const auto length = bytes_.little<std::uint64_t>();
        if (length > most) throw_file_error(concat("a name of ", length, " bytes"));
        return std::string(bytes_.take_text(length));
    }

    template <typename Unsigned, typename T>
    T number() {
        return std::bit_cast<T>(bytes_.little<Unsigned>());
    }

    OrderedJson value(std::uint32_t type, const std::string& key, int depth) {
        switch (static_cast<ValueType>(type)) {
            case ValueType::U8:
                return bytes_.little<std::uint8_t>();
            case ValueType::I8:
                return number<std::uint8_t, std::int8_t>();
            case ValueType::U16:
                return bytes_.little<std::uint16_t>();
            case ValueType::I16:
                return number<std::uint16_t, std::int16_t>();
            case ValueType::U32:
                return bytes_.little<std::uint32_t>();
            case ValueType::I32:
                return number<std::uint32_t, std::int32_t>();
            case ValueType::F32:
                return number<std::uint32_t, float>();
            case ValueType::Bool:
                return bytes_.little<std::uint8_t>() != 0;
            case ValueType::Text:
                return std::string(bytes_.take_text(bytes_.little<std::uint64_t>()));
            case ValueType::List:
                return list(key, depth);
            case ValueType::U64:
                return bytes_.little<std::uint64_t>();
            case ValueType::I64:
                return number<std::uint64_t, std::int64_t>();
            case ValueType::F64:
                return number<std::uint64_t, double>();
        }
        throw_file_error(concat("the key ", quote_name(key), " has a value of the unknown type ", type));
    }

    OrderedJson list(const std::string& key, int depth) {
        if (depth >= kDeepest) throw_file_error(concat("the lists of ", quote_name(key), " nest too deep"));
        const auto type = bytes_.little<std::uint32_t>();
        const std::uint64_t n = count("elements in a list", 1);
        OrderedJson out = OrderedJson::array();
        for (std::uint64_t i = 0; i < n; ++i) out.push_back(value(type, key, depth + 1));
        return out;
    }

    static std::uint64_t alignment(const OrderedJson& metadata) {
        constexpr const char* kKey = "general.alignment";
        if (!metadata.contains(kKey)) return 32;
        const OrderedJson& given = metadata[kKey];
        const std::uint64_t out = given.is_number_unsigned() ? given.get<std::uint64_t>() : 0;
        if (!std::has_single_bit(out) || out > kMostAlignment)
            throw_file_error("its general.alignment is no power of 2");
        return out;
    }

    void read_tensors(std::uint64_t tensors, std::uint64_t aligned, GgufFile& out) {
        std::unordered_set<std::string> seen;
        std::vector<Place> places;
        for (std::uint64_t i = 0; i < tensors; ++i) {
            GgufTensor tensor;
            tensor.name = text(kLongestKey);
            if (!seen.insert(tensor.name).second)
                throw_file_error(concat(quote_name(tensor.name), " stands twice among its tensors"));
            tensor.shape = shape(tensor.name);
            const auto type = bytes_.little<std::uint32_t>();
            const GgmlType* const known = ggml_type(type);
            tensor.is_known = known != nullptr;
            tensor.type = known != nullptr ? std::string(known->name) : concat("type ", type);
            places.push_back({type, bytes_.little<std::uint64_t>()});
            if (places.back().begin % aligned != 0)
                throw_file_error(concat(quote_name(tensor.name), " begins at byte ", places.back().begin,
                                        " of the data, no multiple of ", aligned));
            out.tensors.push_back(std::move(tensor));
        }
        if (out.tensors.empty()) return;
        const std::uint64_t skipped = (aligned - bytes_.position() % aligned) % aligned;
        bytes_.skip(skipped);
        const auto data = file_->bytes().subspan(bytes_.position());
        std::vector<std::uint64_t> begins;
        for (const Place& place : places) begins.push_back(place.begin);
        std::ranges::sort(begins);
        for (std::size_t i = 0; i < out.tensors.size(); ++i) fill(out.tensors[i], places[i], begins, data);
    }

    std::vector<std::int64_t> shape(const std::string& name) {
        const auto dimensions = bytes_.little<std::uint32_t>();
        if (dimensions > kMostDimensions)
            throw_file_error(concat(quote_name(name), " has ", dimensions, " dimensions"));
        std::vector<std::int64_t> out;
        std::int64_t total = 1;
        for (std::uint32_t d = 0; d < dimensions; ++d) {
            const auto size = static_cast<std::int64_t>(bytes_.little<std::uint64_t>());
            if (size < 0 || __builtin_mul_overflow(total, std::max<std::int64_t>(size, 1), &total) || total > kMost)
                throw_file_error(concat("the shape of ", quote_name(name), " is too large"));
            out.insert(out.begin(), size);
        }
        return out;
    }

    // begins: where tensors begin, in order.
    void fill(GgufTensor& tensor, const Place& place, const std::vector<std::uint64_t>& begins,
              std::span<std::byte> data) {
        const auto need = [&](std::uint64_t bytes) {
            if (place.begin > data.size() || bytes > data.size() - place.begin)
                throw_file_error(concat("truncated: ", quote_name(tensor.name), " takes ", bytes, " bytes at byte ",
                                        place.begin, " of the data, which has ", data.size()));
            return data.subspan(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(bytes));
        };
        const GgmlType* const type = ggml_type(place.type);
        if (type == nullptr) {  // up to the next tensor
            const auto next = std::ranges::upper_bound(begins, place.begin);
            const std::uint64_t end = std::min<std::uint64_t>(data.size(), next != begins.end() ? *next : data.size());
            const auto part = need(end > place.begin ? end - place.begin : 0);
            tensor.tensor = bytes_of(part, {static_cast<std::int64_t>(part.size())});
            return;
        }
        const std::int64_t columns = tensor.shape.empty() ? 1 : tensor.shape.back();
        if (columns % type->elements != 0)
            throw_file_error(concat("rows of ", columns, " elements of ", quote_name(tensor.name),
                                    " are no whole blocks of ", type->name));
        std::int64_t rows = 1;
        for (std::size_t d = 0; d + 1 < tensor.shape.size(); ++d) rows *= tensor.shape[d];
        const std::int64_t row_bytes = columns / type->elements * type->bytes;
        const auto part = need(static_cast<std::uint64_t>(rows * row_bytes));
        tensor.tensor = tensor_of_type(*type, tensor.shape, part, rows, row_bytes);
    }

    Tensor bytes_of(std::span<std::byte> part, Dims sizes) {
        if (part.empty()) return empty(span_of(sizes), ScalarType::UInt8);
        return tensor_on(storage_on(part, 1, file_, MemoryCategory::Parameter), ScalarType::UInt8, span_of(sizes),
                         span_of(contiguous_strides(span_of(sizes))), 0);
    }

    Tensor tensor_of_type(const GgmlType& type, const std::vector<std::int64_t>& shape, std::span<std::byte> part,
                          std::int64_t rows, std::int64_t row_bytes) {
        const auto dtype = plain_dtype(type);
        if (!dtype) return make_packed(type, bytes_of(part, Dims{rows, row_bytes}));
        if (part.empty()) return empty(shape, *dtype);
        const auto width = static_cast<std::size_t>(loupe::element_size(*dtype));
        return tensor_on(storage_on(part, width, file_, MemoryCategory::Parameter), *dtype, shape,
                         span_of(contiguous_strides(shape)), 0);
    }

    static std::optional<ScalarType> plain_dtype(const GgmlType& type) {
        constexpr std::array<std::pair<std::string_view, ScalarType>, 8> kPlain{{{"F32", ScalarType::Float32},
                                                                                 {"F16", ScalarType::Float16},
                                                                                 {"BF16", ScalarType::BFloat16},
                                                                                 {"F64", ScalarType::Float64},
                                                                                 {"I8", ScalarType::Int8},
                                                                                 {"I16", ScalarType::Int16},
                                                                                 {"I32", ScalarType::Int32},
                                                                                 {"I64", ScalarType::Int64}}};
        for (const auto& [name, dtype] : kPlain)
            if (name == type.name) return dtype;
        return std::nullopt;
    }

    static constexpr std::int64_t kMost = std::int64_t{1} << 55;  // elements: their bytes are a number too

    Ptr<MappedFile> file_;
    ByteReader bytes_;
    std::unordered_set<std::string> names_;
};

std::string note_of(const std::string& key, const OrderedJson& value) {
    if (value.is_array() && value.size() > 8) return concat(key, " = a list of ", value.size());
    std::string shown = value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    if (shown.size() > kLongestNote) shown = concat(shown.substr(0, kLongestNote), "...");
    return concat(key, " = ", shown);
}

template <typename F>
auto of_file(const Ptr<MappedFile>& file, F&& read) {
    try {
        return read();
    } catch (Error& error) {
        error.add_context({.file = file->path().string()});
        throw;
    }
}

}  // namespace

bool looks_like_gguf(const Ptr<MappedFile>& file) {
    return as_text(std::span<const std::byte>(file->bytes())).starts_with(kMagic);
}

GgufFile read_gguf(const Ptr<MappedFile>& file) {
    return of_file(file, [&] { return Reader(file).read(); });
}

OrderedJson read_gguf_metadata(const Ptr<MappedFile>& file) {
    return of_file(file, [&] {
        GgufFile out;
        Reader(file).read_metadata(out);
        return std::move(out.metadata);
    });
}

std::vector<std::string> gguf_notes(const OrderedJson& metadata) {
    std::vector<std::string> out;
    for (const auto& [key, value] : metadata.items())
        if (out.size() < kMostNotes) out.push_back(note_of(key, value));
    return out;
}

ModelFile gguf_tree(GgufFile read, const std::string& why) {
    CheckpointWeights weights;
    weights.has_shared_once = true;
    weights.notes = gguf_notes(read.metadata);
    for (GgufTensor& tensor : read.tensors) {
        if (!tensor.is_known) {
            weights.foreign.push_back({tensor.name, tensor.type, tensor.shape});
            weights.notes.push_back(concat(quote_name(tensor.name), " is of ", tensor.type, ", which is not known, ",
                                           shape_list_text(tensor.shape), ", shown as its bytes"));
        }
        weights.tensors.emplace_back(std::move(tensor.name), std::move(tensor.tensor));
    }
    std::string architecture = "without an architecture";
    constexpr const char* kKey = "general.architecture";
    if (read.metadata.contains(kKey) && read.metadata[kKey].is_string())
        architecture = quote_name(read.metadata[kKey].get<std::string>());
    ModelFile out =
        weights_tree(std::move(weights), concat("a GGUF model (", architecture, "), version ", read.version));
    out.cannot_run = why;
    out.format += concat("; not run: ", why);
    return out;
}

}  // namespace loupe
