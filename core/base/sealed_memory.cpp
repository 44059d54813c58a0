// SPDX-License-Identifier: Apache-2.0
#include "core/base/sealed_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

// Shrunk memory cannot be read (SIGBUS), and what changes while it is read passes every check.
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::File, "shared memory " + what); }

}  // namespace

FileHandle sealed_copy(std::string_view bytes) {
    FileHandle file(::memfd_create("tensorloupe message", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    while (file.is_open() && !bytes.empty()) {
        const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return {};
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    if (file.is_open() && ::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return {};
    return file;
}

SealedMemory::SealedMemory(const FileHandle& file, std::size_t size) : size_(size) {
    const int seals = ::fcntl(file.get(), F_GET_SEALS);
    if (seals < 0) fail("that is none");
    if ((seals & kSeals) != kSeals) fail("that can still change");
    // Of huge pages there may be too few when they are touched.
    struct statfs system {};
    if (::fstatfs(file.get(), &system) != 0 || static_cast<unsigned>(system.f_type) == HUGETLBFS_MAGIC)
        fail("of huge pages");
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0 || size == 0 || facts.st_size != static_cast<off_t>(size))
        fail(concat("of ", facts.st_size, " bytes for a message of ", size));
    data_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (data_ == MAP_FAILED) throw Error(ErrorKind::Run, concat("no room for a message: ", std::strerror(errno)));
}

SealedMemory::~SealedMemory() { ::munmap(data_, size_); }

}  // namespace loupe
