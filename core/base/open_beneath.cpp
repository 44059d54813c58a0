// SPDX-License-Identifier: Apache-2.0
#include "core/base/open_beneath.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "core/base/file_handle.h"

namespace loupe {
namespace {

// The kernel's interface: headers of the system that builds may be older than the kernel.
struct OpenHow {
    std::uint64_t flags = 0;
    std::uint64_t mode = 0;
    std::uint64_t resolve = 0;
};
constexpr int kOpenat2 = 437;
constexpr std::uint64_t kNoMagicLinks = 0x02, kNoLinks = 0x04, kBeneath = 0x08;

// The kernel would end the path there.
bool has_null(const std::string& path) {
    if (path.find('\0') == std::string::npos) return false;
    errno = EINVAL;
    return true;
}

// O_PATH opens a link itself.
int refuse_link(FileHandle file) {
    struct stat facts {};
    if (!file.is_open() || ::fstat(file.get(), &facts) != 0) return -1;
    if (!S_ISLNK(facts.st_mode)) return file.release();
    errno = ELOOP;
    return -1;
}

}  // namespace

int open_beneath(int folder, const std::string& relative, int flags, unsigned mode) {
    if (has_null(relative)) return -1;
    const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const OpenHow how{static_cast<std::uint64_t>(flags | O_CLOEXEC), creates ? mode : 0,
                      kBeneath | kNoLinks | kNoMagicLinks};
    const long opened = ::syscall(kOpenat2, folder, relative.c_str(), &how, sizeof how);
    if (opened >= 0) return static_cast<int>(opened);
    // Older kernels, and containers that do not know the call.
    if (errno != ENOSYS && errno != EPERM) return -1;
    return walk_beneath(folder, relative, flags, mode);
}

int walk_beneath(int folder, const std::string& relative, int flags, unsigned mode) {
    if (has_null(relative)) return -1;
    FileHandle at;
    std::size_t from = 0;
    while (true) {
        const std::size_t slash = relative.find('/', from);
        const std::string part = relative.substr(from, slash == std::string::npos ? slash : slash - from);
        if (part == ".." || part.empty()) {
            errno = EXDEV;
            return -1;
        }
        const int base = at.is_open() ? at.get() : folder;
        if (slash == std::string::npos) {
            FileHandle file(::openat(base, part.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
            return (flags & O_PATH) != 0 ? refuse_link(std::move(file)) : file.release();
        }
        FileHandle next(::openat(base, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next.is_open()) return -1;
        at = std::move(next);
        from = slash + 1;
    }
}

}  // namespace loupe
