// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/runtime_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

[[noreturn]] void bad_folder(const std::filesystem::path& path, const std::string& what) {
    throw Error(ErrorKind::Usage, concat(path.string(), ": ", what));
}

}  // namespace

RuntimeFolder::RuntimeFolder() {
    const char* chosen = std::getenv("TENSORLOUPE_RUNTIME");
    path_ = chosen != nullptr && *chosen == '/' ? std::filesystem::path(chosen)
                                                : std::filesystem::path(concat("/tmp/tensorloupe-", ::getuid()));
    if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) bad_folder(path_, std::strerror(errno));
    struct stat facts {};
    if (::lstat(path_.c_str(), &facts) != 0) bad_folder(path_, std::strerror(errno));
    if (!S_ISDIR(facts.st_mode)) bad_folder(path_, "is no folder");
    if (facts.st_uid != ::geteuid()) bad_folder(path_, "belongs to another user");
    if ((facts.st_mode & 077) != 0) bad_folder(path_, "can be entered by other users: chmod 700");
}

std::filesystem::path RuntimeFolder::file(const std::string& name, const char* ending) const {
    const bool is_sane =
        !name.empty() && name.size() <= 40 && name.front() != '-' && std::ranges::all_of(name, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        });
    if (!is_sane) throw Error(ErrorKind::Usage, concat("'", name, "' is no name of an engine"));
    return path_ / (name + ending);
}

std::filesystem::path RuntimeFolder::socket_of(const std::string& name) const { return file(name, ".socket"); }
std::filesystem::path RuntimeFolder::meeting_of(const std::string& name) const { return file(name, ".ranks"); }
std::filesystem::path RuntimeFolder::grants_of(const std::string& name) const { return file(name, ".grants"); }
std::filesystem::path RuntimeFolder::end_of(const std::string& name) const { return file(name, ".end"); }
std::filesystem::path RuntimeFolder::log_of(const std::string& name) const { return file(name, ".log"); }

std::filesystem::path RuntimeFolder::kept_of(const std::string& name) const {
    const auto path = file(name, ".kept");
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) bad_folder(path, std::strerror(errno));
    return path;
}

std::vector<std::string> RuntimeFolder::names() const {
    std::vector<std::string> found;
    std::error_code failed;
    for (auto at = std::filesystem::directory_iterator(path_, failed);
         !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
        if (at->path().extension() == ".socket") found.push_back(at->path().stem().string());
    }
    std::ranges::sort(found);
    return found;
}

FileHandle RuntimeFolder::lock(const std::string& name) const {
    const auto path = file(name, ".lock");
    FileHandle lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.is_open()) bad_folder(path, std::strerror(errno));
    while (::flock(lock.get(), LOCK_EX) != 0) {
        if (errno != EINTR) bad_folder(path, std::strerror(errno));
    }
    return lock;
}

}  // namespace loupe::session
