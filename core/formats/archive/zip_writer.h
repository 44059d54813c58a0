// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes ZIP archives the way PyTorch does: stored, payloads at multiples of 64 bytes, so that readers can map them.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/file.h"

namespace loupe {

class ZipWriter {
  public:
    // The file appears at finish(). Throws Error (File) as AtomicFile.
    explicit ZipWriter(FileTarget target) : file_(std::move(target)) {}

    // Room for this many bytes more, as AtomicFile::reserve.
    void reserve(std::uint64_t bytes) { file_.reserve(bytes); }
    // The payload is the concatenation of the parts. Throws Error (File), and Error (Usage) for a duplicate name.
    void add(std::string_view name, std::initializer_list<std::span<const std::byte>> parts);
    void add(std::string_view name, std::string_view payload) { add(name, {std::as_bytes(std::span(payload))}); }
    // Writes the directory and commits the file.
    void finish();

  private:
    struct Entry {
        std::string name;
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
        std::uint32_t crc = 0;
    };

    void write_payload(std::span<const std::byte> payload, std::uint32_t& crc);

    AtomicFile file_;
    std::vector<Entry> entries_;
    std::unordered_set<std::string> names_;
};

}  // namespace loupe
