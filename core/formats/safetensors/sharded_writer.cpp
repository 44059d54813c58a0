// SPDX-License-Identifier: Apache-2.0
#include "core/formats/safetensors/sharded_writer.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/safetensors/safetensors_writer.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 10> kUnits{{
    {"", 1},
    {"B", 1},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", std::uint64_t{1} << 10},
    {"MiB", std::uint64_t{1} << 20},
    {"GiB", std::uint64_t{1} << 30},
    {"TiB", std::uint64_t{1} << 40},
}};

using Shard = std::vector<SafetensorsEntry>;

// A tensor larger than a whole file is one of its own, and does not end the file that is being filled.
std::vector<Shard> split(const std::vector<SafetensorsEntry>& entries, std::uint64_t shard_bytes) {
    std::vector<Shard> shards;
    Shard current;
    std::uint64_t bytes = 0;
    for (const SafetensorsEntry& entry : entries) {
        const std::uint64_t size = safetensors_bytes(entry);
        if (size > shard_bytes) {
            shards.push_back({entry});
            continue;
        }
        if (bytes + size > shard_bytes) {
            shards.push_back(std::move(current));
            current = {};
            bytes = 0;
        }
        current.push_back(entry);
        bytes += size;
    }
    if (!current.empty() || shards.empty()) shards.push_back(std::move(current));
    return shards;
}

fs::path numbered(const fs::path& path, std::size_t number, std::size_t count) {
    std::array<char, 64> end{};
    std::snprintf(end.data(), end.size(), "-%05zu-of-%05zu.safetensors", number, count);
    return path.parent_path() / (path.stem().string() + end.data());
}

fs::path index_of(const fs::path& path) { return fs::path(path.string() + ".index.json"); }

std::vector<fs::path> files_of(const fs::path& path, std::size_t count) {
    if (count == 1) return {path};
    std::vector<fs::path> files;
    for (std::size_t i = 0; i < count; ++i) files.push_back(numbered(path, i + 1, count));
    files.push_back(index_of(path));
    return files;
}

std::string json_text(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', true); }

// As json.dumps(index, indent=2), file by file.
std::string index_text(const std::vector<Shard>& shards, const std::vector<fs::path>& files) {
    std::vector<std::string> lines;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        for (const SafetensorsEntry& entry : shards[i]) {
            lines.push_back(concat("    ", json_text(entry.name), ": ", json_text(files[i].filename().string())));
            total += safetensors_bytes(entry);
        }
    }
    return concat("{\n  \"metadata\": {\n    \"total_size\": ", total, "\n  },\n  \"weight_map\": {\n",
                  join(lines, ",\n"), "\n  }\n}");
}

}  // namespace

std::uint64_t shard_bytes_in(std::string_view text) {
    const auto refuse = [&] {
        return Error(ErrorKind::Usage, concat("no size of a file: '", text, "'"), {.hint = "write it as 5GB or 200MB"});
    };
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || number == 0) throw refuse();
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& [name, bytes] : kUnits) {
        if (name != unit) continue;
        if (__builtin_mul_overflow(number, bytes, &number)) throw refuse();
        return number;
    }
    throw refuse();
}

std::vector<fs::path> shard_files(const std::vector<SafetensorsEntry>& entries, const fs::path& path,
                                  std::uint64_t shard_bytes) {
    return files_of(path, split(entries, shard_bytes).size());
}

void write_sharded_safetensors(const std::vector<SafetensorsEntry>& entries, const SafetensorsMetadata& metadata,
                               const fs::path& path, std::uint64_t shard_bytes) {
    const auto shards = split(entries, shard_bytes);
    const auto files = files_of(path, shards.size());
    std::vector<std::unique_ptr<AtomicFile>> written;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        written.push_back(std::make_unique<AtomicFile>(files[i]));
        write_safetensors(shards[i], metadata, *written.back());
    }
    if (shards.size() > 1) {
        written.push_back(std::make_unique<AtomicFile>(files.back()));
        written.back()->write(index_text(shards, files));
    }
    for (const auto& file : written) file->commit();
}

}  // namespace loupe
