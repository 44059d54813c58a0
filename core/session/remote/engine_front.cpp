// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_front.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/engine_guardian.h"
#include "core/session/remote/front_stream.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/link_messages.h"
#include "core/session/remote/runtime_folder.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

// --- finding and starting ---

FileHandle find_or_start(const RuntimeFolder& folder, const StayOptions& options) {
    const FileHandle lock = folder.lock(options.name);
    FileHandle engine = connect_to(folder.socket_of(options.name));
    if (engine.is_open()) return engine;
    start_guardian(folder, options);
    engine = connect_to(folder.socket_of(options.name));
    if (!engine.is_open()) throw Error(ErrorKind::Usage, "the engine was started and does not answer");
    return engine;
}

// --- passing on ---

bool write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(to, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

// What is there from one, for what takes it. False: that is over.
template <typename Take>
bool pass_some(int from, const Take& take) {
    std::array<char, 65536> bytes;
    const ssize_t got = ::read(from, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return true;
    return got > 0 && take(std::string_view(bytes.data(), static_cast<std::size_t>(got)));
}

// To the guardian; returns when the engine can find it. Where that fails the engine says that it was not given.
void hand_over(const std::filesystem::path& socket, const std::string& grant) {
    FileHandle in = connect_to(socket);
    if (!in.is_open()) return;
    FileHandle out(::fcntl(in.get(), F_DUPFD_CLOEXEC, 3));
    Channel guardian(std::move(in), std::move(out));
    if (guardian.write(MessageKind::Grant, grant)) guardian.read();
}

void pass_inward(int engine, const std::filesystem::path& grants) {
    FrontStream stream([engine](std::string_view bytes) { return write_all(engine, bytes); },
                       [&grants](const std::string& grant) { hand_over(grants, grant); });
    try {
        while (pass_some(STDIN_FILENO, [&stream](std::string_view bytes) { return stream.take(bytes); })) {
        }
        ::shutdown(engine, SHUT_WR);
    } catch (const Error& error) {
        std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
        ::shutdown(engine, SHUT_RDWR);
    }
}

// Both ways, each on a thread: a side that reads nothing does not stop the other. True: the engine ended.
bool pass_until_end(int engine, const std::filesystem::path& grants) {
    std::thread(pass_inward, engine, grants).detach();
    const auto outward = [](std::string_view bytes) { return write_all(STDOUT_FILENO, bytes); };
    while (true) {
        std::array<pollfd, 2> watched{{{engine, POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if ((watched[1].revents & (POLLERR | POLLHUP)) != 0) return false;
        if (watched[0].revents != 0 && !pass_some(engine, outward)) return true;
    }
}

// The socket outlives the engine by a moment.
bool greets(FileHandle engine) {
    if (!engine.is_open()) return false;
    FileHandle out(::fcntl(engine.get(), F_DUPFD_CLOEXEC, 3));
    Channel channel(std::move(engine), std::move(out));
    try {
        return is_greeting(channel.read_greeting());
    } catch (const Error&) {
        return false;
    }
}

// What it left; nullopt: it only let go of this connection.
std::optional<EndSaid> end_said_of(const RuntimeFolder& folder, const std::string& name) {
    for (int i = 0; i < 40; ++i) {
        if (auto said = end_said_in(folder, name)) return said;
        if (greets(connect_to(folder.socket_of(name)))) return std::nullopt;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return EndSaid{"the engine has ended", {}};
}

}  // namespace

int serve_front(const StayOptions& options) {
    ::signal(SIGPIPE, SIG_IGN);
    const RuntimeFolder folder;
    for (const auto& writable : options.writable) {
        std::error_code failed;
        if (!std::filesystem::is_directory(writable, failed))
            throw Error(ErrorKind::Usage, concat("--may-write ", writable.string(), ": no such folder"));
    }
    const FileHandle engine = find_or_start(folder, options);
    if (!pass_until_end(engine.get(), folder.grants_of(options.name))) return 0;
    const auto said = end_said_of(folder, options.name);
    if (!said) return 0;
    if (!said->place.empty()) std::fprintf(stderr, "%s\n", said->place.c_str());
    std::fprintf(stderr, "%s\n", said->text.c_str());
    return kEngineEnded;
}

namespace {

// What it says of itself; empty: none answers. end: it is to end.
std::string ask_engine(const RuntimeFolder& folder, const std::string& name, bool end) {
    FileHandle in = connect_to(folder.socket_of(name));
    if (!in.is_open()) return {};
    FileHandle out(::fcntl(in.get(), F_DUPFD_CLOEXEC, 3));
    Channel channel(std::move(in), std::move(out));
    if (!is_greeting(channel.read_greeting())) return {};
    if (end) {
        channel.write(MessageKind::EndEngine, {});
        channel.read();
        return "ended";
    }
    channel.write(MessageKind::Hello, to_bytes(HelloMessage{.only_asks = true}));
    const auto answer = channel.read();
    if (!answer || answer->kind != MessageKind::Farewell) return "of another version";
    return from_bytes<FarewellMessage>(answer->bytes).text;
}

}  // namespace

int list_engines() {
    ::signal(SIGPIPE, SIG_IGN);
    const RuntimeFolder folder;
    int count = 0;
    for (const std::string& name : folder.names()) {
        std::string said;
        try {
            said = ask_engine(folder, name, false);
        } catch (const Error& error) {
            said = error.message();
        }
        if (said.empty()) continue;
        std::printf("%s\t%s\n", name.c_str(), said.c_str());
        ++count;
    }
    if (count == 0) std::puts("no engine runs in the background");
    return 0;
}

int end_engine(const std::string& name) {
    ::signal(SIGPIPE, SIG_IGN);
    const RuntimeFolder folder;
    std::string said;
    try {
        said = ask_engine(folder, name, true);
    } catch (const Error&) {
        said = "ended";  // in the middle of its answer
    }
    if (!said.empty()) return 0;
    std::fprintf(stderr, "tensorloupe-engine: no engine '%s' runs in the background\n", name.c_str());
    return 1;
}

}  // namespace loupe::session
