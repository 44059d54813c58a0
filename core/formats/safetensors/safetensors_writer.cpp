// SPDX-License-Identifier: Apache-2.0
#include "core/formats/safetensors/safetensors_writer.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/safetensors/safetensors_types.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/packed.h"

namespace loupe {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kHeaderMultiple = 8;

// Wider elements first, so that each is aligned; by name among equals.
std::vector<const SafetensorsEntry*> in_file_order(const std::vector<SafetensorsEntry>& entries) {
    std::vector<const SafetensorsEntry*> order;
    std::set<std::string_view> names;
    for (const SafetensorsEntry& entry : entries) {
        if (!names.insert(entry.name).second)
            throw_file_error(concat("two tensors are named ", quote_name(entry.name)));
        order.push_back(&entry);
    }
    std::ranges::sort(order, [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
        const SafetensorsType *left = find_safetensors_type(a->type), *right = find_safetensors_type(b->type);
        return left != right ? left > right : a->name < b->name;
    });
    return order;
}

// Throws Error (Unsupported) for one that is no UTF-8.
std::string json_text(const std::string& text) {
    try {
        return Json(text).dump();
    } catch (const Json::exception&) {
        throw Error(ErrorKind::Unsupported, concat(quote_name(text), " is no UTF-8, which names in safetensors are"));
    }
}

std::string header_of(const std::vector<const SafetensorsEntry*>& order, const SafetensorsMetadata& metadata) {
    std::vector<std::string> parts;
    if (!metadata.empty()) {
        std::vector<std::string> texts;
        for (const auto& [name, value] : metadata) texts.push_back(concat(json_text(name), ":", json_text(value)));
        parts.push_back(concat("\"__metadata__\":{", join(texts, ","), "}"));
    }
    std::uint64_t at = 0;
    for (const SafetensorsEntry* entry : order) {
        if (entry->name == "__metadata__") throw_file_error("no tensor can be named '__metadata__'");
        const std::uint64_t end = at + safetensors_bytes(*entry);
        parts.push_back(concat(json_text(entry->name), ":{\"dtype\":\"", entry->type, "\",\"shape\":[",
                               join(entry->shape, ","), "],\"data_offsets\":[", at, ",", end, "]}"));
        at = end;
    }
    std::string text = concat("{", join(parts, ","), "}");
    text.append((kHeaderMultiple - text.size() % kHeaderMultiple) % kHeaderMultiple, ' ');
    return text;
}

std::string little_endian(std::uint64_t number) {
    std::string out;
    for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(number >> (8 * byte) & 0xffU);
    return out;
}

struct Area {
    MemoryArea memory;
    std::string name;
};

constexpr std::int64_t kUnpackedElements = 1 << 22;  // at a time

void write_unpacked(const PackedParts& parts, AtomicFile& file) {
    const std::int64_t each = std::max<std::int64_t>(1, kUnpackedElements / std::max<std::int64_t>(1, parts.columns()));
    for (std::int64_t row = 0; row < parts.rows(); row += each) {
        const Tensor some = parts.unpacked_rows(row, 1, std::min(each, parts.rows() - row));
        file.write({static_cast<const std::byte*>(some.storage()->data()), some.bytes()});
    }
}

void choose_names(const std::vector<Area>& together, std::vector<std::pair<std::string, std::string>>& out) {
    std::vector<std::string> names, complete;
    for (const Area& area : together) {
        names.push_back(area.name);
        if (area.memory.is_complete) complete.push_back(area.name);
    }
    if (names.size() < 2 || complete.empty()) return;
    const std::string& kept = *std::ranges::min_element(complete);
    std::ranges::sort(names);
    for (const std::string& name : names) {
        if (name != kept) out.emplace_back(name, kept);
    }
}

}  // namespace

SafetensorsEntry safetensors_entry(const std::string& name, const Tensor& tensor) {
    // Packed weights are written as the numbers that they stand for.
    if (tensor.is_sparse() && !is_packed(tensor))
        throw Error(ErrorKind::Unsupported, concat(quote_name(name), " is sparse, which safetensors does not hold"),
                    {.hint = "make it dense"});
    const SafetensorsType* type = safetensors_type_of(tensor.dtype());
    if (type == nullptr)
        throw Error(ErrorKind::Unsupported, concat(quote_name(name), " is of torch.", dtype_name(tensor.dtype()),
                                                   ", which safetensors does not hold"));
    return {name, tensor, std::string(type->name), {tensor.sizes().begin(), tensor.sizes().end()}};
}

std::uint64_t safetensors_bytes(const SafetensorsEntry& entry) {
    return static_cast<std::uint64_t>(entry.tensor.numel() * element_size(entry.tensor.dtype()));
}

void write_safetensors(const std::vector<SafetensorsEntry>& entries, const SafetensorsMetadata& metadata,
                       AtomicFile& file) {
    const auto order = in_file_order(entries);
    const std::string header = header_of(order, metadata);
    std::uint64_t bytes = 8 + header.size();
    for (const SafetensorsEntry* entry : order) bytes += safetensors_bytes(*entry);
    file.reserve(bytes);
    file.write(little_endian(header.size()));
    file.write(header);
    for (const SafetensorsEntry* entry : order) {
        if (entry->tensor.numel() == 0) continue;
        const GradModeScope no_grad(false);
        if (is_packed(entry->tensor) && !packed_parts(entry->tensor).is_transposed) {
            write_unpacked(packed_parts(entry->tensor), file);
            continue;
        }
        const Tensor whole = fn::contiguous(look_at_elements(entry->tensor));
        const auto* first = static_cast<const std::byte*>(whole.storage()->data()) +
                            whole.storage_offset() * element_size(whole.dtype());
        file.write({first, static_cast<std::size_t>(safetensors_bytes(*entry))});
    }
}

void write_safetensors(const std::vector<SafetensorsEntry>& entries, const SafetensorsMetadata& metadata,
                       const FileTarget& target) {
    AtomicFile file(target);
    write_safetensors(entries, metadata, file);
    file.commit();
}

MemoryArea memory_area(const Tensor& t) {
    std::int64_t last = 0;
    for (std::int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
    const auto width = static_cast<std::uint64_t>(element_size(t.dtype()));
    const std::uint64_t begin = static_cast<std::uint64_t>(t.storage_offset()) * width;
    const auto count = static_cast<std::uint64_t>(t.numel());
    const std::uint64_t end = count == 0 ? begin : begin + (static_cast<std::uint64_t>(last) + 1) * width;
    return {t.storage()->id(), t.storage()->bytes(), begin, end, begin == 0 && count * width == t.storage()->bytes()};
}

std::vector<std::pair<std::string, std::string>> shared_names(const NamedTensors& tensors) {
    std::map<std::uint64_t, std::vector<Area>> by_storage;
    std::map<const SparseParts*, std::vector<Area>> by_parts;  // of packed ones
    for (const auto& [name, t] : tensors) {
        if (is_packed(t)) by_parts[t.impl()->sparse.get()].push_back({{.is_complete = true}, name});
        if (!t.is_sparse() && t.storage()->bytes() > 0) by_storage[t.storage()->id()].push_back({memory_area(t), name});
    }
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& [parts, areas] : by_parts) choose_names(areas, out);
    for (auto& [storage, areas] : by_storage) {
        std::ranges::sort(areas, {}, [](const Area& each) {
            return std::tuple(each.memory.begin, each.memory.end, std::string_view(each.name));
        });
        std::vector<Area> together;
        for (const Area& area : areas) {
            if (!together.empty() && area.memory.begin >= together.back().memory.end) {
                choose_names(together, out);
                together.clear();
            }
            together.push_back(area);
        }
        choose_names(together, out);
    }
    std::ranges::sort(out);
    return out;
}

}  // namespace loupe
