// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/byte_mux.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/remote/frame_head.h"

namespace loupe::session {
namespace {

void make_pipe(FileHandle& read_end, FileHandle& write_end) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error(ErrorKind::Usage, concat("no pipe to a rank: ", std::strerror(errno)));
    ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 18);
    read_end = FileHandle(ends[0]);
    write_end = FileHandle(ends[1]);
}

// A channel that has ended is no reason to end this process.
void block_pipe_signal() {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

bool write_to(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

}  // namespace

ByteMux::ByteMux(FileHandle in, FileHandle out, std::size_t of_channels)
    : in_(std::move(in)), out_(std::move(out)), stopped_(::eventfd(0, EFD_CLOEXEC)) {
    if (of_channels > kMostChannels) throw Error(ErrorKind::Usage, concat(of_channels, " ranks are too many"));
    for (std::size_t i = 0; i < of_channels; ++i) {
        End end;
        make_pipe(end.near_in, end.far_in);
        make_pipe(end.far_out, end.near_out);
        ends_.push_back(std::move(end));
    }
    writer_ = std::thread([this] { write(); });
    reader_ = std::thread([this] { read(); });
}

ByteMux::~ByteMux() {
    // Channels that nobody took have nothing to say.
    {
        const std::lock_guard lock(mutex_);
        for (End& end : ends_) {
            end.near_in.reset();
            end.near_out.reset();
        }
    }
    writer_.join();
    reader_.join();
}

std::unique_ptr<Channel> ByteMux::take(std::size_t number) {
    auto [own_in, own_out] = take_ends(number);
    if (own_in.is_open() && own_out.is_open()) return std::make_unique<Channel>(std::move(own_in), std::move(own_out));
    FileHandle in, out, gone;
    make_pipe(in, gone);
    make_pipe(gone, out);
    return std::make_unique<Channel>(std::move(in), std::move(out));
}

std::pair<FileHandle, FileHandle> ByteMux::take_ends(std::size_t number) {
    const std::lock_guard lock(mutex_);
    if (number >= ends_.size()) return {};
    return {std::move(ends_[number].near_in), std::move(ends_[number].near_out)};
}

std::string ByteMux::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void ByteMux::stop() {
    const std::uint64_t one = 1;
    if (::write(stopped_.get(), &one, sizeof(one)) < 0) return;
}

bool ByteMux::read_all(char* to, std::size_t size) {
    while (size > 0) {
        std::array<pollfd, 2> watched{{{in_.get(), POLLIN, 0}, {stopped_.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched[1].revents != 0) return false;
        const ssize_t got = ::read(in_.get(), to, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

bool ByteMux::write_all(std::string_view bytes) { return write_to(out_.get(), bytes); }

// What comes, to the channels.
void ByteMux::read() {
    block_pipe_signal();
    std::string piece(kMostBytes, '\0');
    std::array<char, kFrameHead> header{};
    while (read_all(header.data(), kFrameHead)) {
        const std::uint32_t number = number_at(header.data());
        const std::uint32_t size = number_at(header.data() + 4);
        if (number >= ends_.size() || size > kMostBytes) {
            const std::lock_guard lock(mutex_);
            failure_ = number >= ends_.size() ? concat("bytes of rank ", number, " of ", ends_.size())
                                              : concat("a piece of ", size, " bytes");
            break;
        }
        if (size > 0 && !read_all(piece.data(), size)) break;
        FileHandle& to = ends_[number].far_in;
        // A channel whose reader is gone takes nothing more; the others go on.
        if (to.is_open() && (size == 0 || !write_to(to.get(), {piece.data(), size}))) to.reset();
    }
    for (End& end : ends_) end.far_in.reset();
}

// What the channels say, to the other side.
void ByteMux::write() {
    block_pipe_signal();
    std::vector<pollfd> watched;
    std::string piece(kFrameHead + kMostBytes, '\0');
    const auto is_open = [](const End& end) { return end.far_out.is_open(); };
    bool goes_on = true;
    while (goes_on && std::any_of(ends_.begin(), ends_.end(), is_open)) {
        watched.clear();
        for (const End& end : ends_) watched.push_back({end.far_out.is_open() ? end.far_out.get() : -1, POLLIN, 0});
        watched.push_back({stopped_.get(), POLLIN, 0});
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched.back().revents != 0) break;
        for (std::size_t number = 0; number < ends_.size(); ++number) {
            FileHandle& from = ends_[number].far_out;
            if (!from.is_open()) continue;
            if (watched[number].revents == 0) continue;
            const ssize_t got = ::read(from.get(), piece.data() + kFrameHead, kMostBytes);
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            const std::size_t size = got > 0 ? static_cast<std::size_t>(got) : 0;
            put_number(piece.data(), static_cast<std::uint32_t>(number));
            put_number(piece.data() + 4, static_cast<std::uint32_t>(size));
            if (!write_all({piece.data(), kFrameHead + size})) {
                stop();  // the other side is gone
                goes_on = false;
                break;
            }
            if (size == 0) from.reset();
        }
    }
    // Whoever still writes does not wait.
    for (End& end : ends_) end.far_out.reset();
    out_.reset();
}

}  // namespace loupe::session
