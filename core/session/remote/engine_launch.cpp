// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_launch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/base/cache_folder.h"
#include "core/base/error.h"
#include "core/base/restricted_thread.h"
#include "core/base/strings.h"

namespace fs = std::filesystem;

namespace loupe::session {
namespace {

fs::path real(const fs::path& path) {
    std::error_code failed;
    const fs::path resolved = fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed ? path : resolved;
}

bool is_beneath(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

constexpr std::string_view kOwnName = "tensorloupe-engine-";

// Empty folders of sessions whose process was ended before it could take them away: their names begin with its number.
void remove_left_folders(const fs::path& folder) {
    std::error_code failed;
    for (auto at = fs::directory_iterator(folder, failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(kOwnName)) continue;
        const long owner = std::strtol(name.c_str() + kOwnName.size(), nullptr, 10);
        std::error_code ignored;
        if (owner > 0 && ::kill(static_cast<pid_t>(owner), 0) != 0 && errno == ESRCH) fs::remove(at->path(), ignored);
    }
}

}  // namespace

EngineHome::EngineHome(fs::path program, std::vector<fs::path> writable) : program_(std::move(program)) {
    if (const fs::path cache = cache_folder(); !cache.empty()) {
        // It has to be there to be permitted, and not all of the caches beside it.
        std::error_code ignored;
        fs::create_directories(cache, ignored);
        writable.push_back(cache);
    }
    for (const fs::path& path : writable) add(path);
}

EngineHome::~EngineHome() {
    std::error_code ignored;
    if (!own_.empty()) fs::remove(own_, ignored);
}

std::vector<fs::path> EngineHome::writable() {
    std::error_code failed;
    if (own_.empty() || !fs::is_directory(own_, failed)) {
        const fs::path folder = fs::temp_directory_path(failed);
        const fs::path place = real(failed ? fs::path("/tmp") : folder);
        remove_left_folders(place);
        std::string path = (place / concat(kOwnName, ::getpid(), "-XXXXXX")).string();
        if (::mkdtemp(path.data()) == nullptr)
            throw Error(ErrorKind::Usage,
                        concat("no folder for the engine's own files: ", path, ": ", std::strerror(errno)));
        own_ = path;
    }
    std::vector<fs::path> all{own_, "/dev"};
    all.insert(all.end(), writable_.begin(), writable_.end());
    return all;
}

EngineLaunch EngineHome::launch() {
    EngineLaunch launch{.program = program_};
    for (const fs::path& path : writable()) {
        launch.arguments.emplace_back("--may-write");
        launch.arguments.push_back(path.string());
    }
    launch.environment.emplace_back("TMPDIR", own_.string());
    return launch;
}

void EngineHome::remove_leftovers() const {
    if (own_.empty()) return;
    std::error_code failed;
    for (auto at = fs::directory_iterator(own_, failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
        const std::string name = at->path().filename().string();
        std::error_code ignored;
        if (name.starts_with("tensorloupe-given-") || name.starts_with("tensorloupe-temporary-"))
            fs::remove_all(at->path(), ignored);
        else if (at->symlink_status(ignored).type() == fs::file_type::directory)
            fs::remove(at->path(), ignored);  // where it is empty
    }
}

bool EngineHome::holds(const fs::path& path) const { return may_write({own_}, path) || may_write(writable_, path); }

bool may_write(const std::vector<fs::path>& writable, const fs::path& path) {
    const fs::path folder = nearest_folder(path);
    return std::ranges::any_of(writable, [&folder](const fs::path& allowed) { return is_beneath(folder, allowed); });
}

void EngineHome::add(const fs::path& path) {
    const fs::path folder = real(path);
    std::error_code failed;
    if (fs::is_directory(folder, failed)) writable_.push_back(folder);
}

}  // namespace loupe::session
