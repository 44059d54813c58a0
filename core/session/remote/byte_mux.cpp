// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/byte_mux.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
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

constexpr std::uint32_t kGrant = std::uint32_t{1} << 31;

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

// Of a socket the other direction stays; for pipes the shutdown is none.
void end_writing(FileHandle& to) {
    if (to.is_open()) ::shutdown(to.get(), SHUT_WR);
    to.reset();
}
void end_reading(FileHandle& from) {
    if (from.is_open()) ::shutdown(from.get(), SHUT_RD);
    from.reset();
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

void set_event(const FileHandle& event) {
    const std::uint64_t one = 1;
    // It fails only when it has been called so often that it is readable anyway.
    if (::write(event.get(), &one, sizeof(one)) < 0) return;
}

}  // namespace

ByteMux::ByteMux(FileHandle in, FileHandle out, std::size_t of_channels)
    : count_(of_channels), in_(std::move(in)), out_(std::move(out)) {
    if (count_ > kMostChannels) throw Error(ErrorKind::Usage, concat(count_, " ranks are too many"));
    for (std::size_t i = 0; i < count_; ++i) {
        Ends near;
        make_pipe(near.first, incoming_.emplace_back().to);
        make_pipe(outgoing_.emplace_back(), near.second);
        near_.push_back(std::move(near));
    }
    start();
}

ByteMux::ByteMux(FileHandle in, FileHandle out, std::vector<Ends> channels)
    : count_(channels.size()), in_(std::move(in)), out_(std::move(out)) {
    if (count_ > kMostChannels) throw Error(ErrorKind::Usage, concat(count_, " ranks are too many"));
    for (Ends& each : channels) {
        outgoing_.push_back(std::move(each.first));
        incoming_.emplace_back().to = std::move(each.second);
    }
    start();
}

void ByteMux::start() {
    stopped_ = FileHandle(::eventfd(0, EFD_CLOEXEC));
    woken_ = FileHandle(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    for (const Incoming& each : incoming_) ::fcntl(each.to.get(), F_SETFL, O_NONBLOCK);
    room_.assign(count_, kWindow);
    grants_.assign(count_, 0);
    incoming_open_ = count_;
    writer_ = std::thread([this] { write(); });
    reader_ = std::thread([this] { read(); });
}

ByteMux::~ByteMux() {
    // Channels that nobody took have nothing to say.
    {
        const std::lock_guard lock(mutex_);
        near_.clear();
    }
    wait();
    reader_.join();
}

std::unique_ptr<Channel> ByteMux::take(std::size_t number) {
    Ends own;
    {
        const std::lock_guard lock(mutex_);
        if (number < near_.size()) own = std::exchange(near_[number], {});
    }
    if (!own.first.is_open() || !own.second.is_open()) {
        FileHandle gone;
        make_pipe(own.first, gone);
        make_pipe(gone, own.second);
    }
    return std::make_unique<Channel>(std::move(own.first), std::move(own.second));
}

std::string ByteMux::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void ByteMux::wait() {
    if (writer_.joinable()) writer_.join();
}

void ByteMux::stop() { set_event(stopped_); }
void ByteMux::wake() { set_event(woken_); }

bool ByteMux::fail(std::string why) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(why);
    return false;
}

// --- what comes, to the channels ---

void ByteMux::read() {
    block_pipe_signal();
    std::string bytes;  // of pieces, the last of which may not be whole
    std::vector<pollfd> watched;
    bool is_read = true;
    const auto waits = [](const Incoming& each) { return each.to.is_open() && each.waiting > 0; };
    while (is_read || std::any_of(incoming_.begin(), incoming_.end(), waits)) {
        watched.clear();
        for (const Incoming& each : incoming_) watched.push_back({waits(each) ? each.to.get() : -1, POLLOUT, 0});
        watched.push_back({is_read ? in_.get() : -1, POLLIN, 0});
        watched.push_back({stopped_.get(), POLLIN, 0});
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched.back().revents != 0) break;
        for (std::size_t number = 0; number < count_; ++number) {
            if (watched[number].revents != 0) deliver(number);
        }
        if (watched[count_].revents == 0) continue;
        is_read = read_pieces(bytes);
        if (is_read) continue;
        end_incoming();
        if (!failure().empty()) break;
    }
    for (Incoming& each : incoming_) end_writing(each.to);
    end_incoming();
}

// Each channel ends behind what came for it.
void ByteMux::end_incoming() {
    for (std::size_t number = 0; number < count_; ++number) {
        incoming_[number].has_ended = true;
        deliver(number);
    }
    const std::lock_guard lock(mutex_);
    other_is_gone_ = true;
    wake();
}

// False: nothing more comes.
bool ByteMux::read_pieces(std::string& bytes) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kFrameHead + kMostBytes);
    const ssize_t got = ::read(in_.get(), bytes.data() + before, bytes.size() - before);
    const bool is_nothing = got < 0 && (errno == EINTR || errno == EAGAIN);
    bytes.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got <= 0) return is_nothing;
    std::string_view next = bytes;
    while (next.size() >= kFrameHead) {
        const std::uint32_t head = number_at(next.data());
        const std::uint32_t size = number_at(next.data() + 4);
        const std::size_t number = head & ~kGrant;
        const bool is_grant = (head & kGrant) != 0;
        if (number >= count_) return fail(concat("bytes of rank ", number, " of ", count_));
        if (size > (is_grant ? kWindow : kMostBytes)) return fail(concat("a piece of ", size, " bytes"));
        if (is_grant) {
            if (!take_grant(number, size)) return false;
        } else {
            if (next.size() < kFrameHead + size) break;
            const Incoming& channel = incoming_[number];
            if (channel.has_ended || channel.waiting + channel.taken + size > kWindow)
                return fail(concat("more bytes of rank ", number, " than there is room for"));
            take_piece(number, next.substr(kFrameHead, size));
        }
        next.remove_prefix(kFrameHead + (is_grant ? 0 : size));
    }
    bytes.erase(0, bytes.size() - next.size());
    return true;
}

bool ByteMux::take_grant(std::size_t number, std::size_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        const bool is_sane = bytes <= kWindow - room_[number];
        if (is_sane) room_[number] += bytes;
        wake();
        if (is_sane) return true;
    }
    return fail(concat("rank ", number, " has taken more than it was sent"));
}

void ByteMux::take_piece(std::size_t number, std::string_view bytes) {
    Incoming& channel = incoming_[number];
    if (bytes.empty()) {
        channel.has_ended = true;
        const std::lock_guard lock(mutex_);
        --incoming_open_;
        wake();
    } else if (channel.to.is_open()) {
        channel.pieces.emplace_back(bytes);
        channel.waiting += bytes.size();
    } else {
        note_taken(number, bytes.size());
    }
    deliver(number);
}

// As much as the channel takes now.
void ByteMux::deliver(std::size_t number) {
    Incoming& channel = incoming_[number];
    while (channel.to.is_open() && !channel.pieces.empty()) {
        const std::string_view left = std::string_view(channel.pieces.front()).substr(channel.done);
        const ssize_t put = ::write(channel.to.get(), left.data(), left.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno == EAGAIN) return;
        if (put < 0) {  // its reader is gone: what comes is thrown away
            channel.pieces.clear();
            end_writing(channel.to);
            return note_taken(number, std::exchange(channel.waiting, 0));
        }
        const auto count = static_cast<std::size_t>(put);
        channel.done += count;
        channel.waiting -= count;
        note_taken(number, count);
        if (count < left.size()) continue;
        channel.pieces.pop_front();
        channel.done = 0;
    }
    if (channel.has_ended) end_writing(channel.to);
}

// Said in halves of the window: a message for each piece would be as many again.
void ByteMux::note_taken(std::size_t number, std::size_t bytes) {
    Incoming& channel = incoming_[number];
    channel.taken += bytes;
    if (channel.taken < kWindow / 2) return;
    const std::lock_guard lock(mutex_);
    grants_[number] += std::exchange(channel.taken, 0);
    wake();
}

// --- what the channels say, to the other side ---

bool ByteMux::is_over() const {
    const auto is_open = [](const FileHandle& each) { return each.is_open(); };
    const std::lock_guard lock(mutex_);
    // While the other side sends it is to hear what was taken.
    return other_is_gone_ || (incoming_open_ == 0 && std::none_of(outgoing_.begin(), outgoing_.end(), is_open));
}

void ByteMux::write() {
    block_pipe_signal();
    std::vector<pollfd> watched;
    std::string piece(kFrameHead + kMostBytes, '\0');
    bool goes_on = true;
    while (goes_on && !is_over()) {
        watched.clear();
        {
            const std::lock_guard lock(mutex_);
            for (std::size_t i = 0; i < count_; ++i)
                watched.push_back({room_[i] > 0 && outgoing_[i].is_open() ? outgoing_[i].get() : -1, POLLIN, 0});
        }
        watched.push_back({woken_.get(), POLLIN, 0});
        watched.push_back({stopped_.get(), POLLIN, 0});
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched.back().revents != 0) break;
        std::uint64_t times = 0;
        if (watched[count_].revents != 0 && ::read(woken_.get(), &times, sizeof times) < 0) continue;
        goes_on = send_grants();
        for (std::size_t number = 0; goes_on && number < count_; ++number)
            goes_on = watched[number].revents == 0 || send_some(number, piece);
    }
    if (!goes_on) stop();  // the other side is gone
    // Whoever still writes does not wait.
    for (FileHandle& each : outgoing_) end_reading(each);
    out_.reset();
}

bool ByteMux::send_grants() {
    std::vector<std::size_t> grants;
    {
        const std::lock_guard lock(mutex_);
        grants = std::exchange(grants_, std::vector<std::size_t>(count_, 0));
    }
    std::string bytes;
    for (std::size_t number = 0; number < count_; ++number) {
        if (grants[number] == 0) continue;
        std::array<char, kFrameHead> head;
        put_number(head.data(), static_cast<std::uint32_t>(number) | kGrant);
        put_number(head.data() + 4, static_cast<std::uint32_t>(grants[number]));
        bytes.append(head.data(), head.size());
    }
    return write_to(out_.get(), bytes);
}

// False: the other side takes nothing more.
bool ByteMux::send_some(std::size_t number, std::string& piece) {
    FileHandle& from = outgoing_[number];
    std::size_t most = kMostBytes;
    {
        const std::lock_guard lock(mutex_);
        most = std::min(most, room_[number]);
    }
    const ssize_t got = ::read(from.get(), piece.data() + kFrameHead, most);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    const std::size_t size = got > 0 ? static_cast<std::size_t>(got) : 0;
    {
        const std::lock_guard lock(mutex_);
        room_[number] -= size;
    }
    if (size == 0) from.reset();
    put_number(piece.data(), static_cast<std::uint32_t>(number));
    put_number(piece.data() + 4, static_cast<std::uint32_t>(size));
    return write_to(out_.get(), {piece.data(), kFrameHead + size});
}

}  // namespace loupe::session
