// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/channel.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/session/remote/child_process.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/greeting.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

[[noreturn]] void bad_message(const std::string& what) { throw Error(ErrorKind::File, what); }

// Open already, and put in its place by the session.
class OpenThing final : public GivenThing {
  public:
    explicit OpenThing(FileHandle handle) : handle_(std::move(handle)) {}
    FileHandle take(std::chrono::milliseconds /*time*/) override { return std::move(handle_); }
    bool put_in_place() override { return false; }

  private:
    FileHandle handle_;
};

}  // namespace

Channel::Channel(FileHandle in, FileHandle out)
    : in_(std::move(in)), out_(std::move(out)), ended_(::eventfd(0, EFD_CLOEXEC)) {}

void Channel::end_reading() {
    const std::uint64_t one = 1;
    // It fails only when it has been called so often that it is readable anyway.
    if (::write(ended_.get(), &one, sizeof(one)) < 0) return;
}

// Of a socket that is read still the other side is to see the end; for a pipe the shutdown is none.
void Channel::close_out() {
    if (out_.is_open()) ::shutdown(out_.get(), SHUT_WR);
    out_.reset();
}

std::size_t Channel::read_some(char* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        std::array<pollfd, 2> watched{{{in_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched[1].revents != 0) break;
        const ssize_t got = ::read(in_.get(), to + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

bool Channel::write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(out_.get(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

std::optional<Message> Channel::read() {
    std::array<char, kFrameHead> header;
    const std::size_t got = read_some(header.data(), kFrameHead);
    if (got == 0) return std::nullopt;
    if (got < kFrameHead) bad_message("a message is cut off");
    const std::uint32_t kind = number_at(header.data());
    const std::uint32_t size = number_at(header.data() + 4);
    if (kind > static_cast<std::uint32_t>(last_of(MessageKind()))) bad_message(concat(kind, " is no kind of message"));
    if (size > kMostBytes) bad_message(concat("a message of ", size, " bytes"));
    Message message{static_cast<MessageKind>(kind), {}};
    constexpr std::size_t kPiece = std::size_t{4} << 20;
    while (message.bytes.size() < size) {
        const std::size_t before = message.bytes.size();
        message.bytes.resize(std::min<std::size_t>(size, before + kPiece));
        if (read_some(message.bytes.data() + before, message.bytes.size() - before) != message.bytes.size() - before)
            bad_message("a message is cut off");
    }
    return message.kind == MessageKind::Shared ? take_shared(message.bytes) : std::move(message);
}

Message Channel::take_shared(std::string_view bytes) {
    const auto shared = from_bytes<SharedMessage>(bytes);
    if (!memory_in_.is_open() || shared.kind == MessageKind::Shared)
        bad_message("a message in memory that nobody gave");
    if (shared.size > kMostBytes) bad_message(concat("a message of ", shared.size, " bytes"));
    // It was given before its frame.
    const std::optional<GivenHandle> given = take_handle(memory_in_.get(), MSG_DONTWAIT);
    if (!given || !given->handle.is_open() || given->number != ++taken_)
        bad_message("a message whose memory did not come");
    return {
        shared.kind, {}, std::make_shared<const SealedMemory>(given->handle, static_cast<std::size_t>(shared.size))};
}

// False: it goes through the pipe.
bool Channel::give_shared(std::string_view bytes) {
    const FileHandle memory = sealed_copy(bytes);
    if (!memory.is_open() || !give_handle(memory_out_.get(), memory, given_ + 1)) return false;
    ++given_;
    return true;
}

bool Channel::write(MessageKind kind, std::string_view bytes) {
    if (bytes.size() > kMostBytes)
        throw Error(ErrorKind::Usage, concat(bytes.size(), " bytes are more than a message takes"));
    if (memory_out_.is_open() && bytes.size() >= kSharedBytes && give_shared(bytes))
        return write_frame(MessageKind::Shared, to_bytes(SharedMessage{kind, bytes.size()}));
    return write_frame(kind, bytes);
}

bool Channel::write_frame(MessageKind kind, std::string_view bytes) {
    std::array<char, kFrameHead> header;
    put_number(header.data(), static_cast<std::uint32_t>(kind));
    put_number(header.data() + 4, static_cast<std::uint32_t>(bytes.size()));
    if (bytes.size() > 4096) return write_all({header.data(), kFrameHead}) && write_all(bytes);
    std::string whole(header.data(), kFrameHead);
    whole += bytes;
    return write_all(whole);
}

std::unique_ptr<GivenThing> Channel::take_given(std::uint64_t number) {
    return std::make_unique<OpenThing>(take_given_file(number));
}

std::string Channel::open() { return why_not_taken(read_greeting()); }

std::string Channel::read_greeting() {
    std::string line;
    while (line.size() <= kLongestGreeting) {
        char next = 0;
        if (read_some(&next, 1) == 0) bad_message(line.empty() ? "it said nothing" : concat("it said '", line, "'"));
        if (next == '\n') return line;
        const bool is_text = static_cast<unsigned char>(next) >= ' ' || next == '\t';
        line += is_text ? next : '?';
    }
    bad_message(concat("it said '", line.substr(0, 60), "...'"));
}

bool Channel::write_greeting(const std::string& line) { return write_all(line + "\n"); }

}  // namespace loupe::session
