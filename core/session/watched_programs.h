// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs of this user on this machine whose training can be watched: the sockets in the private folder where
// tensorloupe.watch() of the Python package puts them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/file_handle.h"
#include "core/train/training.h"

namespace loupe::session {

struct WatchedProgram {
    std::string socket;  // its path: Session::open() takes it
    std::string name;    // of the socket, without its extension: "1234"
    TrainingProgram program;
    std::int64_t step = 0;
    bool is_parked = false;
};
auto fields(Like<WatchedProgram> auto& it) { return std::tie(it.socket, it.name, it.program, it.step, it.is_parked); }

// $XDG_RUNTIME_DIR/tensorloupe and /tmp/tensorloupe-UID, as far as they are this user's alone.
std::vector<std::filesystem::path> watched_folders();
// Those that answer within a second, by their names. Sockets of programs that were killed are passed over.
std::vector<WatchedProgram> list_watched_programs();
// Those of them that the name means: theirs, the program's, or its process's number; all when it is empty.
std::vector<WatchedProgram> watched_programs_named(std::vector<WatchedProgram> all, const std::string& name);
// A name of list_watched_programs(), a process's number, or a path; empty: the only one. Throws Error (Usage).
std::filesystem::path find_watched_program(const std::string& name);
bool is_watched_socket(const std::filesystem::path& path);
// Throws Error (Usage) when no one listens there.
FileHandle connect_to_watched(const std::filesystem::path& socket);

}  // namespace loupe::session
