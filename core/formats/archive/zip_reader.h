// SPDX-License-Identifier: Apache-2.0
#pragma once
// ZIP archives over a mapped file, for .pt and .npz.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/file.h"

namespace loupe {

struct ZipEntry {
    std::string name;               // "resnet/data/0"
    std::uint64_t data_offset = 0;  // of the payload in the file
    std::uint64_t stored_size = 0;  // bytes in the file
    std::uint64_t size = 0;         // bytes once inflated
    std::uint32_t crc = 0;
    std::uint16_t method = 0;  // 0 stored, 8 deflated
    bool is_stored() const { return method == 0; }
};

// The directory is read and checked when the archive is opened: no payload lies outside the file or over another, no
// name is used twice or leads out of the archive. Payloads are read on request.
class ZipReader {
  public:
    // Throws Error (File) when the file is no valid ZIP archive; with its size when it is truncated.
    explicit ZipReader(Ptr<MappedFile> file);
    ZipReader(const ZipReader&) = delete;
    ZipReader& operator=(const ZipReader&) = delete;

    const Ptr<MappedFile>& file() const { return file_; }
    std::string file_name() const { return file_->path().string(); }
    // In the order of the central directory, without folders.
    const std::vector<ZipEntry>& entries() const { return entries_; }
    // Null when there is none.
    const ZipEntry* find(std::string_view name) const;

    // The payload of a stored entry, in place and unchecked: keep file() alive.
    std::span<std::byte> stored_bytes(const ZipEntry& entry) const;
    // The entry's size, to allocate memory for it. Throws Error (File) when it is over the limit or more than the
    // stored bytes can inflate to.
    std::size_t checked_size(const ZipEntry& entry, std::uint64_t limit) const;
    // Copies or inflates the payload into `out`, which must have the entry's size, and checks its CRC.
    // Throws Error (File).
    void read_into(const ZipEntry& entry, std::span<std::byte> out) const;
    // The same as text. Refuses more than `limit` bytes.
    std::string read(const ZipEntry& entry, std::uint64_t limit) const;
    // The same, in place where the entry is stored: keep file() and `inflated` alive. `padding` bytes behind it,
    // whatever they are, can be read too.
    std::string_view view(const ZipEntry& entry, std::uint64_t limit, std::string& inflated,
                          std::size_t padding = 0) const;

  private:
    struct Directory {
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
        std::uint64_t count = 0;
    };

    [[noreturn]] void fail(std::string message) const;
    void check_crc(const ZipEntry& entry, std::span<const std::byte> payload) const;
    Directory find_directory() const;
    Directory read_zip64_directory(std::size_t end_record) const;
    void read_entries(const Directory& directory);
    void locate_payloads(std::uint64_t directory_offset);

    Ptr<MappedFile> file_;
    std::vector<ZipEntry> entries_;
    std::unordered_map<std::string_view, std::size_t> index_;
};

// Do the bytes start like a ZIP archive?
bool is_zip(std::span<const std::byte> bytes);

}  // namespace loupe
