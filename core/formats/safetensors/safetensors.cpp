// SPDX-License-Identifier: Apache-2.0
#include "core/formats/safetensors/safetensors.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/base/ordered_json.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/safetensors/safetensors_types.h"

namespace loupe {
namespace {

using Json = OrderedJson;

constexpr std::uint64_t kMaxHeader = 100'000'000;  // safetensors' own limit
constexpr std::size_t kDeepest = 4;
constexpr std::string_view kMetadata = "__metadata__";

struct Entry {
    std::string name;
    const SafetensorsType* type;
    std::vector<std::int64_t> shape;
    std::uint64_t begin;
    std::uint64_t end;
};

// Names of an object that stand twice, and objects that nest too deep. A callback of the parser would see them too, but
// looks through all names after each.
class HeaderCheck : public nlohmann::json_sax<Json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }
    bool key(string_t& name) override {
        if (!names_.back().insert(name).second)
            throw_file_error(concat(quote_name(name), " stands twice in its header"));
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  private:
    bool enter() {
        if (names_.size() > kDeepest) throw_file_error("its header nests too deep");
        names_.emplace_back();
        return true;
    }
    bool leave() {
        names_.pop_back();
        return true;
    }

    std::vector<std::set<std::string>> names_;
};

// A name that stands twice is refused: readers would disagree which one counts.
Json parse_header(std::string_view text) {
    HeaderCheck check;
    Json::sax_parse(text, &check);
    return Json::parse(text, nullptr, false);
}

const SafetensorsType& type_named(const std::string& name, const std::string& written) {
    if (const SafetensorsType* known = find_safetensors_type(written)) return *known;
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
        name, &type_named(name, dtype.get<std::string>()), {}, whole(offsets[0], "place"), whole(offsets[1], "place")};
    auto bits = static_cast<std::uint64_t>(entry.type->bits);
    std::int64_t strides = 1;  // also of a tensor without elements they are numbers
    bool is_too_large = false;
    for (const Json& size : shape) {
        const std::uint64_t each = whole(size, "shape");
        is_too_large |= each > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
                        __builtin_mul_overflow(bits, each, &bits) ||
                        __builtin_mul_overflow(strides, std::max<std::uint64_t>(each, 1), &strides);
        entry.shape.push_back(static_cast<std::int64_t>(each));
    }
    if (is_too_large) throw_file_error(concat("the shape of ", quote_name(name), " is too large"));
    if (bits % 8 != 0) throw_file_error(concat(quote_name(name), " takes ", bits, " bits, which are no whole bytes"));
    if (entry.end < entry.begin)
        throw_file_error(concat(quote_name(name), " ends at byte ", entry.end, ", before it begins at ", entry.begin));
    if (entry.end - entry.begin != bits / 8) {
        throw_file_error(
            concat(quote_name(name), " has ", entry.end - entry.begin, " bytes, its shape takes ", bits / 8));
    }
    return entry;
}

// Tensors, which stand in order, fill the remaining file contiguously.
void check_places(const std::vector<Entry>& entries, std::uint64_t bytes) {
    std::uint64_t at = 0;
    const Entry* before = nullptr;
    for (const Entry& entry : entries) {
        if (entry.begin < at)
            throw_file_error(concat(quote_name(entry.name), " begins at byte ", entry.begin, " of the data, inside ",
                                    quote_name(before->name), ", which ends at ", at));
        if (entry.begin > at)
            throw_file_error(concat("bytes ", at, " to ", entry.begin, " of the data, before ", quote_name(entry.name),
                                    ", are in no tensor"));
        at = entry.end;
        before = &entry;
    }
    if (at != bytes)
        throw_file_error(concat(at > bytes ? "truncated: " : "", "tensors take ", at, " bytes, the file has ", bytes));
}

SafetensorsMetadata read_metadata(const Json& header) {
    SafetensorsMetadata metadata;
    if (!header.contains(kMetadata)) return metadata;
    const Json& json = header[std::string(kMetadata)];
    if (!json.is_object()) throw_file_error("its __metadata__ is no JSON object");
    for (const auto& [name, value] : json.items()) {
        if (!value.is_string()) throw_file_error(concat(quote_name(name), " of its __metadata__ is no text"));
        metadata.emplace_back(name, value.get<std::string>());
    }
    return metadata;
}

SafetensorsEntry tensor_of(const Entry& entry, std::span<std::byte> part, const Ptr<MappedFile>& file) {
    SafetensorsEntry out{entry.name, {}, std::string(entry.type->name), entry.shape, !entry.type->dtype()};
    const ScalarType dtype = entry.type->dtype().value_or(ScalarType::UInt8);
    const std::vector<std::int64_t> sizes =
        out.is_foreign ? std::vector<std::int64_t>{static_cast<std::int64_t>(part.size())} : entry.shape;
    if (part.empty()) {
        const MemoryCategoryScope category(MemoryCategory::Parameter);
        out.tensor = empty(sizes, dtype);
        return out;
    }
    if (dtype == ScalarType::Bool) normalise_bools(part);
    const auto width = static_cast<std::size_t>(element_size(dtype));
    out.tensor = tensor_on(storage_on(part, width, file, MemoryCategory::Parameter), dtype, sizes,
                           span_of(contiguous_strides(sizes)), 0);
    return out;
}

SafetensorsFile read(const Ptr<MappedFile>& file) {
    const auto bytes = file->bytes();
    ByteReader reader(bytes, "header");
    const auto length = reader.little<std::uint64_t>();
    if (length > kMaxHeader) throw_file_error(concat("its header of ", length, " bytes is too long"));
    const std::string_view text = reader.take_text(length);
    const Json header = parse_header(text);
    if (!header.is_object()) throw_file_error("its header is no JSON object");
    const auto data = bytes.subspan(reader.position());
    SafetensorsFile out{{}, read_metadata(header)};
    std::vector<Entry> entries;
    for (const auto& [name, json] : header.items()) {
        if (name != kMetadata) entries.push_back(entry_of(name, json));
    }
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
        return std::tuple(a.begin, a.end, a.name) < std::tuple(b.begin, b.end, b.name);
    });
    check_places(entries, data.size());
    for (const Entry& entry : entries) {
        const auto part =
            data.subspan(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin));
        out.entries.push_back(tensor_of(entry, part, file));
    }
    return out;
}

}  // namespace

bool looks_like_safetensors(std::span<const std::byte> bytes) {
    if (bytes.size() < 10) return false;
    ByteReader reader(bytes, "header");
    const auto length = reader.little<std::uint64_t>();
    if (length > reader.remaining()) return false;
    const std::string_view start = reader.take_text(2);
    return start[0] == '{' && std::string_view("\"} \n\r\t").find(start[1]) != std::string_view::npos;
}

SafetensorsFile read_safetensors(const Ptr<MappedFile>& file) {
    try {
        return read(file);
    } catch (Error& error) {
        error.add_context({.file = file->path().string()});
        throw;
    }
}

SafetensorsFile read_safetensors(const std::filesystem::path& path) { return read_safetensors(MappedFile::open(path)); }

Tensor numbers_of(const SafetensorsEntry& entry) {
    if (!entry.is_foreign) return entry.tensor;
    throw Error(ErrorKind::Unsupported,
                concat(quote_name(entry.name), " has the dtype ", entry.type, ", which no tensor of a model has"));
}

}  // namespace loupe
