// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files as bytes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/ref_counted.h"

namespace loupe {

// A file mapped privately into memory: pages are read when touched, and writing to them never reaches the file.
// Storages that view it keep it alive.
class MappedFile : public RefCounted {
  public:
    // Throws Error (Usage when the file is missing, File when it cannot be mapped).
    static Ptr<MappedFile> open(const std::filesystem::path& path);
    ~MappedFile() override;

    std::span<std::byte> bytes() const { return {data_, size_}; }
    const std::filesystem::path& path() const { return path_; }

  private:
    MappedFile() = default;

    std::filesystem::path path_;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

// The whole file as text. Throws Error as MappedFile::open.
std::string read_text_file(const std::filesystem::path& path);

// A file that is written piece by piece beside its target and takes the target's place at commit(), so that a failure
// leaves no partial file.
class AtomicFile {
  public:
    // Throws Error (File) when the folder cannot be written; so do write() and commit().
    explicit AtomicFile(std::filesystem::path path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    // Without commit(): forgets what was written.
    ~AtomicFile();

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    // Over what is written already, at `offset`.
    void overwrite(std::uint64_t offset, std::string_view text);
    // Asks the file system at once for room for this many bytes more, which makes writing them cheaper. More or fewer may follow.
    void reserve(std::uint64_t bytes);
    void commit();
    // Bytes written so far.
    std::uint64_t size() const { return size_; }

  private:
    [[noreturn]] void fail() const;

    std::filesystem::path path_;
    std::string temporary_;  // empty once it is gone
    int fd_ = -1;
    std::uint64_t size_ = 0;
    bool is_reserved_ = false;
};

// The same for contents at hand. Throws Error (File).
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

}  // namespace loupe
