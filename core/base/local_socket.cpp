// SPDX-License-Identifier: Apache-2.0
#include "core/base/local_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
    throw Error(ErrorKind::Usage, concat(path.string(), ": ", what));
}

sockaddr_un address_of(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& text = path.native();
    if (text.size() >= sizeof(address.sun_path)) fail(path, "too long for a socket's path");
    std::memcpy(address.sun_path, text.data(), text.size());
    return address;
}

FileHandle new_socket() { return FileHandle(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

// A message of a number, with room for one descriptor.
class NumberedMessage {
  public:
    explicit NumberedMessage(std::uint64_t number) : number_(number) {
        message_.msg_iov = &bytes_;
        message_.msg_iovlen = 1;
        message_.msg_control = space_.data();
        message_.msg_controllen = space_.size();
    }
    NumberedMessage(const NumberedMessage&) = delete;
    NumberedMessage& operator=(const NumberedMessage&) = delete;

    msghdr* get() { return &message_; }
    cmsghdr* head() { return CMSG_FIRSTHDR(&message_); }
    std::uint64_t number() const { return number_; }

  private:
    std::uint64_t number_;
    iovec bytes_{&number_, sizeof number_};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space_{};
    msghdr message_{};
};

}  // namespace

FileHandle connect_to(const std::filesystem::path& socket) {
    const sockaddr_un address = address_of(socket);
    FileHandle handle = new_socket();
    const bool is_connected =
        handle.is_open() && ::connect(handle.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    if (is_connected) return handle;
    const int reason = errno;
    handle.reset();
    errno = reason;
    return handle;
}

FileHandle bind_to(const std::filesystem::path& socket) {
    const sockaddr_un address = address_of(socket);
    ::unlink(socket.c_str());
    FileHandle handle = new_socket();
    if (!handle.is_open() || ::bind(handle.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::chmod(socket.c_str(), 0600) != 0)
        fail(socket, std::strerror(errno));
    return handle;
}

bool give_handle(int socket, const FileHandle& handle, std::uint64_t number, int flags) {
    NumberedMessage message(number);
    cmsghdr* head = message.head();
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    const int given = handle.get();
    std::memcpy(CMSG_DATA(head), &given, sizeof given);
    return ::sendmsg(socket, message.get(), MSG_NOSIGNAL | flags) == static_cast<ssize_t>(sizeof number);
}

std::optional<GivenHandle> take_handle(int socket, int flags) {
    NumberedMessage message(0);
    ssize_t got = 0;
    do got = ::recvmsg(socket, message.get(), MSG_CMSG_CLOEXEC | flags);
    while (got < 0 && errno == EINTR);
    if (got < 0) return std::nullopt;
    GivenHandle given{.number = message.number(), .handle = {}};
    // There is room for a second one, because of how they are aligned: it was not asked for, and is let go of.
    const cmsghdr* head = message.head();
    if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        for (std::size_t end = CMSG_LEN(sizeof(int)); end <= head->cmsg_len; end += sizeof(int)) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(head) + (end - CMSG_LEN(sizeof(int))), sizeof descriptor);
            FileHandle handle(descriptor);
            if (!given.handle.is_open()) given.handle = std::move(handle);
        }
    }
    if (got != static_cast<ssize_t>(sizeof(std::uint64_t))) return std::nullopt;
    return given;
}

}  // namespace loupe
