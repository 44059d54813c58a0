// SPDX-License-Identifier: Apache-2.0
#pragma once
// Open files and what identifies them.

#include <compare>
#include <cstdint>
#include <utility>

namespace loupe {

// Owns a file descriptor.
class FileHandle {
  public:
    FileHandle() = default;
    explicit FileHandle(int fd) : fd_(fd) {}
    FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileHandle& operator=(FileHandle&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~FileHandle() { reset(); }

    int get() const { return fd_; }
    bool is_open() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1);

  private:
    int fd_ = -1;
};

// Identity of a file, independent of its names. The birth time differs when an inode number is reused.
struct InodeId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t birth_seconds = 0;  // 0 where the file system does not store it
    std::uint32_t birth_nanoseconds = 0;
    auto operator<=>(const InodeId&) const = default;
};

// Of an open file; of a name in an open folder, links themselves. All zero when there is none.
InodeId identity_of(int fd);
InodeId identity_of(int folder, const char* name);

}  // namespace loupe
