// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sockets between processes of one machine, and open files that go through them.

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/file_handle.h"

namespace loupe {

// Connected to it; closed, with errno set: nobody listens there. Both throw Error (Usage) for a path that is too long.
FileHandle connect_to(const std::filesystem::path& socket);
// Bound to the path, in place of what is there, for this user alone; listens once listen() is called. Throws Error
// (Usage).
FileHandle bind_to(const std::filesystem::path& socket);

struct GivenHandle {
    std::uint64_t number = 0;
    FileHandle handle;  // closed: it came without one
};
// An open file for the process at the other end. flags: of sendmsg() and recvmsg(). False, with errno set: it has
// ended, or takes none now.
bool give_handle(int socket, const FileHandle& handle, std::uint64_t number = 0, int flags = 0);
// nullopt: the other side has ended, or there is none now.
std::optional<GivenHandle> take_handle(int socket, int flags = 0);

}  // namespace loupe
