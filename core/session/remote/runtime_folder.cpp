// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/runtime_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
    throw Error(ErrorKind::Usage, concat(path.string(), ": ", what));
}

sockaddr_un address_of(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string text = path.string();
    if (text.size() >= sizeof(address.sun_path)) fail(path, "is too long for a socket");
    std::memcpy(address.sun_path, text.data(), text.size());
    return address;
}

FileHandle new_socket() { return FileHandle(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

}  // namespace

RuntimeFolder::RuntimeFolder() {
    const char* chosen = std::getenv("TENSORLOUPE_RUNTIME");
    path_ = chosen != nullptr && *chosen == '/' ? std::filesystem::path(chosen)
                                                : std::filesystem::path(concat("/tmp/tensorloupe-", ::getuid()));
    if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) fail(path_, std::strerror(errno));
    struct stat facts {};
    if (::lstat(path_.c_str(), &facts) != 0) fail(path_, std::strerror(errno));
    if (!S_ISDIR(facts.st_mode)) fail(path_, "is no folder");
    if (facts.st_uid != ::geteuid()) fail(path_, "belongs to another user");
    if ((facts.st_mode & 077) != 0) fail(path_, "can be entered by other users: chmod 700");
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
std::filesystem::path RuntimeFolder::end_of(const std::string& name) const { return file(name, ".end"); }
std::filesystem::path RuntimeFolder::log_of(const std::string& name) const { return file(name, ".log"); }

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
    if (!lock.is_open()) fail(path, std::strerror(errno));
    while (::flock(lock.get(), LOCK_EX) != 0) {
        if (errno != EINTR) fail(path, std::strerror(errno));
    }
    return lock;
}

FileHandle connect_to(const std::filesystem::path& socket) {
    const sockaddr_un address = address_of(socket);
    FileHandle handle = new_socket();
    if (!handle.is_open() || ::connect(handle.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        return {};
    return handle;
}

FileHandle bind_to(const std::filesystem::path& socket) {
    const sockaddr_un address = address_of(socket);
    ::unlink(socket.c_str());
    FileHandle handle = new_socket();
    if (!handle.is_open() || ::bind(handle.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::chmod(socket.c_str(), 0600) != 0)
        fail(socket, std::strerror(errno));
    return handle;
}

bool give_handle(int socket, const FileHandle& handle) {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    const int given = handle.get();
    std::memcpy(CMSG_DATA(head), &given, sizeof(given));
    return ::sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

FileHandle take_handle(int socket) {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    ssize_t got = 0;
    do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const cmsghdr* head = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return {};
    int taken = -1;
    std::memcpy(&taken, CMSG_DATA(head), sizeof(taken));
    return FileHandle(taken);
}

}  // namespace loupe::session
