// SPDX-License-Identifier: Apache-2.0
#include "core/base/file_handle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loupe {
namespace {

InodeId identity(int folder, const char* name, int flags) {
    struct statx facts {};
    if (::statx(folder, name, flags | AT_NO_AUTOMOUNT, STATX_INO | STATX_BTIME, &facts) != 0) return {};
    InodeId out;
    out.device = std::uint64_t{facts.stx_dev_major} << 32 | facts.stx_dev_minor;
    out.inode = facts.stx_ino;
    if ((facts.stx_mask & STATX_BTIME) != 0) {
        out.birth_seconds = facts.stx_btime.tv_sec;
        out.birth_nanoseconds = facts.stx_btime.tv_nsec;
    }
    return out;
}

}  // namespace

void FileHandle::reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

InodeId identity_of(int fd) { return identity(fd, "", AT_EMPTY_PATH); }
InodeId identity_of(int folder, const char* name) { return identity(folder, name, AT_SYMLINK_NOFOLLOW); }

}  // namespace loupe
