// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files as bytes.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/ref_counted.h"

namespace loupe {

// A system call on a file that failed: number is its errno.
class SystemError final : public Error {
  public:
    SystemError(int number, std::string path, std::string message);
    int number() const { return number_; }
    const std::string& path() const { return path_; }

  private:
    int number_;
    std::string path_;
};

// A file mapped privately into memory: pages are read when touched, and writing to them never reaches the file.
// Storages that view it keep it alive.
class MappedFile : public RefCounted {
  public:
    // Throws Error (Usage when the file is missing or no regular file, File when it cannot be mapped). FIFOs and
    // devices are refused at once.
    static Ptr<MappedFile> open(const std::filesystem::path& path);
    // Of a file that is open for reading; path: its name in errors.
    static Ptr<MappedFile> map(const FileHandle& file, const std::filesystem::path& path);
    ~MappedFile() override;

    // Copies the bytes into memory, at the same address: afterwards the file can be cut or changed. Pages of a file
    // that was cut cannot be read any more (SIGBUS). No other thread may write to the bytes meanwhile. Throws Error
    // (Run) when out of memory.
    void detach();
    // The same for every mapping of the file that is open here; called before this process changes a file.
    static void detach_all(const FileHandle& file);

    std::span<std::byte> bytes() const { return {data_, size_}; }
    const std::filesystem::path& path() const { return path_; }

  private:
    MappedFile() = default;
    void copy_pages();

    std::filesystem::path path_;
    InodeId file_;
    bool is_detached_ = false;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

// The whole file as text. Throws Error as MappedFile::open.
std::string read_text_file(const std::filesystem::path& path);

// A name in an open folder, for files that are written where a path may not be walked again.
struct FolderEntry {
    FileHandle folder;
    std::string name;
    // System calls that name the file are made inside of it; null: on the calling thread.
    std::function<void(const std::function<void()>&)> run = nullptr;
    // Called with the new file after the rename.
    std::function<void(const InodeId&)> written = nullptr;
};

// Where a file is written.
struct FileTarget {
    template <typename Path>
    requires(std::convertible_to<Path, std::filesystem::path> && !std::same_as<std::remove_cvref_t<Path>, FileTarget>)
        FileTarget(Path&& given)
        : path(std::forward<Path>(given)) {}
    FileTarget(std::filesystem::path shown, std::shared_ptr<const FolderEntry> in)
        : path(std::move(shown)), entry(std::move(in)) {}
    FileTarget(std::filesystem::path shown, std::shared_ptr<const FileHandle> open_file)
        : path(std::move(shown)), into(std::move(open_file)) {}

    std::filesystem::path path;  // with one of the others: its name in errors, and its extension
    std::shared_ptr<const FolderEntry> entry = nullptr;
    std::shared_ptr<const FileHandle> into = nullptr;  // an empty file without a name
};

// Writes every file of the program. commit() replaces a regular file, or creates one, as a whole: a failure, also a
// signal, leaves the file as it was and nothing beside it. Links are followed. A device, FIFO or socket gets the bytes
// at commit(); it is never replaced. Block devices and files without write permission are refused.
class AtomicFile {
  public:
    // Throws Error (File) when the target cannot be written; so do write() and commit().
    explicit AtomicFile(FileTarget target);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    // Without commit(): discards the writes.
    ~AtomicFile();

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    // Overwrites at `offset`.
    void overwrite(std::uint64_t offset, std::string_view text);
    // Preallocates this many more bytes, which makes writing them cheaper. More or fewer may follow.
    void reserve(std::uint64_t bytes);
    void commit();
    // Bytes written so far.
    std::uint64_t size() const { return size_; }
    // What commit() makes the file's contents: for another process that writes in this one's place.
    const FileHandle& contents() const { return file_; }

  private:
    class Place;

    [[noreturn]] void fail() const;
    void run(const std::function<void()>& calls) const;

    FileTarget target_;
    std::unique_ptr<Place> place_;
    FileHandle file_;  // the bytes written so far
    std::uint64_t size_ = 0;
    bool is_reserved_ = false;
};

// An empty file in memory, without a name.
FileHandle memory_file();
// All that is in an open file, from its beginning. Throws SystemError, EFBIG when it is more than that many bytes.
std::string contents_of(const FileHandle& file, const std::filesystem::path& path, std::size_t most = SIZE_MAX);
// All of an open file into another, from its beginning, in pieces. Throws SystemError, EFBIG when it is more than that
// many bytes.
void copy_contents(const FileHandle& from, const FileHandle& to, const std::filesystem::path& path,
                   std::size_t most = SIZE_MAX);
// Throws SystemError.
void write_at(const FileHandle& file, std::size_t offset, std::string_view bytes, const std::filesystem::path& path);

// Writes an AtomicFile with these contents. Throws Error (File).
void write_file_atomically(const FileTarget& target, std::string_view contents);

}  // namespace loupe
