// SPDX-License-Identifier: Apache-2.0
#include "core/session/line_stream.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace loupe::session {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{128} << 20;  // bytes that were read and not taken

}  // namespace

LineStream::LineStream(FileHandle in, FileHandle out, std::size_t longest, std::function<void()> ended)
    : in_(std::move(in)),
      out_(std::move(out)),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      longest_(longest),
      ended_(std::move(ended)),
      thread_([this] { read(); }) {}

LineStream::~LineStream() {
    {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
    }
    changed_.notify_all();
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = ::write(stop_.get(), &one, sizeof(one));
    thread_.join();
}

void LineStream::read() {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    std::string left;
    std::vector<char> piece(kPiece);
    bool goes_on = true;
    while (goes_on) {
        std::array<pollfd, 2> watched{{{in_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched[1].revents != 0) break;
        const ssize_t got = ::read(in_.get(), piece.data(), piece.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) break;
        std::string_view now(piece.data(), static_cast<std::size_t>(got));
        for (auto end = now.find('\n'); goes_on && end != std::string_view::npos; end = now.find('\n')) {
            left += now.substr(0, end);
            now.remove_prefix(end + 1);
            goes_on = left.size() <= longest_ && add(std::move(left));
            left.clear();
        }
        left += now;
        goes_on = goes_on && left.size() <= longest_;
    }
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    changed_.notify_all();
    if (ended_) ended_();
}

// False: it is over.
bool LineStream::add(std::string line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_stopped_ || bytes_ < kMostWaiting; });
    if (is_stopped_) return false;
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    lock.unlock();
    changed_.notify_all();
    return true;
}

std::vector<std::string> LineStream::take(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return is_over_ || !lines_.empty(); });
    std::vector<std::string> out(std::make_move_iterator(lines_.begin()), std::make_move_iterator(lines_.end()));
    lines_.clear();
    bytes_ = 0;
    lock.unlock();
    changed_.notify_all();
    return out;
}

bool LineStream::has_ended() const {
    const std::lock_guard lock(mutex_);
    return is_over_ && lines_.empty();
}

bool LineStream::send(std::string_view line) {
    const std::lock_guard lock(out_mutex_);
    std::string whole(line);
    whole += '\n';
    ssize_t put = ::send(out_.get(), whole.data(), whole.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && errno == ENOTSOCK) put = ::write(out_.get(), whole.data(), whole.size());
    return put == static_cast<ssize_t>(whole.size());
}

}  // namespace loupe::session
