// SPDX-License-Identifier: Apache-2.0
#include "core/session/watched_programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/session/line_stream.h"
#include "core/train/watched_training.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;

bool is_private(const fs::path& folder) {
    struct stat found {};
    return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::getuid() &&
           (found.st_mode & 077) == 0;
}

std::optional<WatchedProgram> ask(const fs::path& socket) {
    try {
        FileHandle in = connect_to_watched(socket);
        LineStream stream(std::move(in), FileHandle(), WatchedTraining::kLongestLine);
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (std::chrono::steady_clock::now() < until && !stream.has_ended()) {
            const auto lines = stream.take(std::chrono::milliseconds(100));
            if (lines.empty()) continue;
            const WatchedTraining training(lines.front());
            return WatchedProgram{socket.string(), socket.stem().string(), training.program(), training.step(),
                                  training.is_parked()};
        }
    } catch (const Error&) {  // of a program that was killed, or none of ours
    }
    return std::nullopt;
}

}  // namespace

std::vector<fs::path> watched_folders() {
    std::vector<fs::path> out;
    if (const char* given = std::getenv("XDG_RUNTIME_DIR"); given != nullptr && fs::path(given).is_absolute())
        out.push_back(fs::path(given) / "tensorloupe");
    const std::string own = concat("tensorloupe-", ::getuid());
    if (const char* given = std::getenv("TMPDIR"); given != nullptr && fs::path(given).is_absolute())
        out.push_back(fs::path(given) / own);
    out.push_back(fs::path("/tmp") / own);
    std::erase_if(out, [](const fs::path& folder) { return !is_private(folder); });
    return out;
}

std::vector<WatchedProgram> list_watched_programs() {
    std::vector<WatchedProgram> out;
    for (const fs::path& folder : watched_folders()) {
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator(folder, failed)) {
            if (entry.path().extension() != ".sock" || !is_watched_socket(entry.path())) continue;
            if (auto found = ask(entry.path())) out.push_back(std::move(*found));
        }
    }
    std::ranges::sort(out, {}, &WatchedProgram::name);
    return out;
}

std::vector<WatchedProgram> watched_programs_named(std::vector<WatchedProgram> all, const std::string& name) {
    std::erase_if(all, [&name](const WatchedProgram& each) {
        return !name.empty() && each.name != name && each.program.name != name &&
               std::to_string(each.program.process) != name;
    });
    return all;
}

fs::path find_watched_program(const std::string& name) {
    if (!name.empty() && is_watched_socket(name)) return name;
    const auto found = watched_programs_named(list_watched_programs(), name);
    if (found.size() == 1) return found.front().socket;
    if (found.empty())
        throw Error(ErrorKind::Usage,
                    name.empty() ? std::string("no program of this user is watched on this machine")
                                 : concat("no program '", name, "' is watched on this machine"),
                    {.hint = "call tensorloupe.watch(model, optimizer) in it"});
    throw Error(ErrorKind::Usage, concat(found.size(), " programs are watched"),
                {.hint = concat("say which: ", found[0].name, ", ", found[1].name)});
}

bool is_watched_socket(const fs::path& path) {
    std::error_code failed;
    return fs::is_socket(path, failed);
}

FileHandle connect_to_watched(const fs::path& path) {
    FileHandle socket = connect_to(path);
    if (!socket.is_open())
        throw Error(ErrorKind::Usage, concat(path.string(), ": no program listens there (", std::strerror(errno), ")"),
                    {.hint = "tensorloupe-cli attach lists those that do"});
    return socket;
}

}  // namespace loupe::session
