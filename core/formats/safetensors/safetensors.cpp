// SPDX-License-Identifier: Apache-2.0
#include "core/formats/safetensors/safetensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"

namespace loupe {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxHeader = 100'000'000;  // safetensors' own limit

constexpr std::array<std::pair<std::string_view, ScalarType>, 12> kTypes{{
    {"BOOL", ScalarType::Bool},
    {"U8", ScalarType::UInt8},
    {"I8", ScalarType::Int8},
    {"I16", ScalarType::Int16},
    {"I32", ScalarType::Int32},
    {"I64", ScalarType::Int64},
    {"F16", ScalarType::Float16},
    {"BF16", ScalarType::BFloat16},
    {"F32", ScalarType::Float32},
    {"F64", ScalarType::Float64},
    {"C64", ScalarType::Complex64},
    {"C128", ScalarType::Complex128},
}};

// Types that files have and the engine lacks.
constexpr std::array<std::string_view, 12> kOtherTypes{"F4",      "F6_E2M3", "F6_E3M2",     "F8_E5M2",
                                                       "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ",
                                                       "U16",     "U32",     "U64",         "F8_E4M3FN"};

struct Entry {
    std::string name;
    ScalarType dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t begin;
    std::uint64_t end;
};

ScalarType dtype_of(const std::string& name, const std::string& written) {
    const auto known = std::ranges::find(kTypes, written, [](const auto& each) { return each.first; });
    if (known != kTypes.end()) return known->second;
    if (std::ranges::find(kOtherTypes, written) != kOtherTypes.end()) {
        throw Error(ErrorKind::Unsupported,
                    concat(quote_name(name), " has the dtype ", written, ", which is not supported"));
    }
    throw_file_error(concat(quote_name(name), " has no known dtype: ", quote_name(written)));
}

Entry entry_of(const std::string& name, const Json& json) {
    const auto whole = [&](const Json& value, std::string_view what) {
        if (!value.is_number_unsigned())
            throw_file_error(concat("the ", what, " of ", quote_name(name), " is no number"));
        return value.get<std::uint64_t>();
    };
    if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets")) {
        throw_file_error(concat(quote_name(name), " lacks dtype, shape or data_offsets"));
    }
    const Json &dtype = json["dtype"], &shape = json["shape"], &offsets = json["data_offsets"];
    if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2 || shape.size() > 64) {
        throw_file_error(concat("dtype, shape or data_offsets of ", quote_name(name), " are not what they should be"));
    }
    Entry entry{
        name, dtype_of(name, dtype.get<std::string>()), {}, whole(offsets[0], "place"), whole(offsets[1], "place")};
    std::uint64_t bytes = static_cast<std::uint64_t>(element_size(entry.dtype));
    for (const Json& size : shape) {
        const std::uint64_t each = whole(size, "shape");
        if (each > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
            __builtin_mul_overflow(bytes, each, &bytes)) {
            throw_file_error(concat("the shape of ", quote_name(name), " is too large"));
        }
        entry.shape.push_back(static_cast<std::int64_t>(each));
    }
    if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
        throw_file_error(concat(quote_name(name), " has ", entry.end < entry.begin ? 0 : entry.end - entry.begin,
                                " bytes, its shape takes ", bytes));
    }
    return entry;
}

// Tensors fill the remaining file contiguously.
void check_places(std::vector<const Entry*> entries, std::uint64_t bytes) {
    std::ranges::sort(entries, [](const Entry* a, const Entry* b) {
        return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
    });
    std::uint64_t at = 0;
    for (const Entry* entry : entries) {
        if (entry->begin != at)
            throw_file_error(concat(quote_name(entry->name), " begins at byte ", entry->begin, " of the data, where ",
                                    at, " is next"));
        at = entry->end;
    }
    if (at != bytes)
        throw_file_error(concat(at > bytes ? "truncated: " : "", "tensors take ", at, " bytes, the file has ", bytes));
}

NamedTensors read(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "header");
    const auto length = reader.little<std::uint64_t>();
    if (length > kMaxHeader) throw_file_error(concat("its header of ", length, " bytes is too long"));
    const std::string_view text = reader.take_text(length);
    const Json header = Json::parse(text, nullptr, false);
    if (!header.is_object()) throw_file_error("its header is no JSON object");
    const auto data = bytes.subspan(reader.position());
    std::vector<Entry> entries;
    for (const auto& [name, json] : header.items()) {
        if (name != "__metadata__") entries.push_back(entry_of(name, json));
    }
    std::vector<const Entry*> places;
    for (const Entry& entry : entries) places.push_back(&entry);
    check_places(std::move(places), data.size());
    NamedTensors tensors;
    for (const Entry& entry : entries) {
        const auto part =
            data.subspan(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin));
        const MemoryCategoryScope category(MemoryCategory::Parameter);
        Tensor t = empty(entry.shape, entry.dtype);
        if (!part.empty()) std::memcpy(t.storage()->data(), part.data(), part.size());
        if (entry.dtype == ScalarType::Bool)
            normalise_bools({static_cast<std::byte*>(t.storage()->data()), part.size()});
        tensors.emplace_back(entry.name, std::move(t));
    }
    return tensors;
}

}  // namespace

NamedTensors read_safetensors(const std::filesystem::path& path) {
    const auto file = MappedFile::open(path);
    try {
        return read(file->bytes());
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

}  // namespace loupe
