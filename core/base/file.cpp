// SPDX-License-Identifier: Apache-2.0
#include "core/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

class FileDescriptor {
  public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

Error file_error(ErrorKind kind, const std::filesystem::path& path, std::string message) {
    return Error(kind, std::move(message), {.file = path.string()});
}

// The last to close a replaced file waits until all of its pages are gone, which takes as long as writing them: nobody
// waits for that.
void close_aside(int fd) {
    if (fd < 0) return;
    try {
        std::thread([fd] { ::close(fd); }).detach();
    } catch (const std::system_error&) {
        ::close(fd);
    }
}

}  // namespace

Ptr<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) throw file_error(ErrorKind::Usage, path, concat("cannot open: ", std::strerror(errno)));
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        throw file_error(ErrorKind::Usage, path, "not a regular file");
    }
    Ptr<MappedFile> file(new MappedFile);
    file->path_ = path;
    file->size_ = static_cast<std::size_t>(status.st_size);
    if (file->size_ == 0) return file;
    // Without a reserve for pages that are written: a file may be larger than the memory.
    void* address = ::mmap(nullptr, file->size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd.get(), 0);
    if (address == MAP_FAILED) throw file_error(ErrorKind::File, path, concat("cannot map: ", std::strerror(errno)));
    file->data_ = static_cast<std::byte*>(address);
    return file;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

std::string read_text_file(const std::filesystem::path& path) {
    const auto file = MappedFile::open(path);
    const auto bytes = file->bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), temporary_(path_.string() + ".XXXXXX") {
    fd_ = ::mkstemp(temporary_.data());
    if (fd_ < 0) {
        temporary_.clear();
        fail();
    }
    ::fchmod(fd_, 0644);
}

AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    // The kernel takes several times longer for pieces of many megabytes: it gathers pages for all of a piece first.
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    while (!bytes.empty()) {
        const auto written = ::write(fd_, bytes.data(), std::min(bytes.size(), kPiece));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        size_ += static_cast<std::uint64_t>(written);
    }
}

void AtomicFile::overwrite(std::uint64_t offset, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::pwrite(fd_, text.data(), text.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        text.remove_prefix(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
}

void AtomicFile::reserve(std::uint64_t bytes) {
    // Not posix_fallocate, which writes zeros where the file system cannot reserve.
    if (bytes == 0 || ::fallocate(fd_, 0, static_cast<off_t>(size_), static_cast<off_t>(bytes)) == 0) is_reserved_ = true;
    else if (errno == ENOSPC || errno == EFBIG) fail();
}

void AtomicFile::commit() {
    if (is_reserved_ && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) fail();
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail();
    const int replaced = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool is_renamed = ::rename(temporary_.c_str(), path_.c_str()) == 0;
    const int reason = errno;
    close_aside(replaced);
    errno = reason;
    if (!is_renamed) fail();
    temporary_.clear();
}

void AtomicFile::fail() const {
    throw file_error(ErrorKind::File, path_, concat("cannot write: ", std::strerror(errno)));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
    AtomicFile file(path);
    file.write(contents);
    file.commit();
}

}  // namespace loupe
