// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_front.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/forbid_calls.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/record/running_place.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/engine_end_text.h"
#include "core/session/remote/engine_host.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/link_messages.h"
#include "core/session/remote/runtime_folder.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

constexpr int kSocketDescriptor = 3;

// --- finding and starting ---

void start_engine(const RuntimeFolder& folder, const FrontOptions& options) {
    std::error_code ignored;
    std::filesystem::remove(folder.end_of(options.name), ignored);
    FileHandle socket = bind_to(folder.socket_of(options.name));
    // Its backlog keeps the first connection until the engine is up.
    if (::listen(socket.get(), 8) != 0) throw Error(ErrorKind::Usage, concat("no socket: ", std::strerror(errno)));
    const std::string idle = std::to_string(options.idle.count());
    std::vector<std::string> words{"tensorloupe-engine", "--background", options.name, "--idle", idle};
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    FileHandle moved(::fcntl(socket.get(), F_DUPFD_CLOEXEC, kSocketDescriptor + 1));
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, moved.get(), kSocketDescriptor);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder.log_of(options.name).c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none, usual;
    ::sigemptyset(&none);
    ::sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&usual, signal);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    // A session of its own: what ends the connection's does not reach it.
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, &attributes, pointers.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (failed != 0) throw Error(ErrorKind::Usage, concat("the engine does not start: ", std::strerror(failed)));
}

FileHandle find_or_start(const RuntimeFolder& folder, const FrontOptions& options) {
    const FileHandle lock = folder.lock(options.name);
    FileHandle engine = connect_to(folder.socket_of(options.name));
    if (engine.is_open()) return engine;
    start_engine(folder, options);
    engine = connect_to(folder.socket_of(options.name));
    if (!engine.is_open()) throw Error(ErrorKind::Usage, "the engine was started and does not answer");
    return engine;
}

// --- copying ---

// Takes what is there from one and puts it into the other. False: that is over.
bool copy_some(int from, int to) {
    std::array<char, 65536> bytes;
    const ssize_t got = ::read(from, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    for (ssize_t done = 0; done < got;) {
        const ssize_t put = ::write(to, bytes.data() + done, static_cast<std::size_t>(got - done));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        done += put;
    }
    return true;
}

// Both ways, each on a thread: a side that reads nothing does not stop the other. True: the engine ended.
bool copy_until_end(int engine) {
    std::thread inward([engine] {
        while (copy_some(STDIN_FILENO, engine)) {
        }
        ::shutdown(engine, SHUT_WR);
    });
    inward.detach();
    bool is_engine = true;
    while (true) {
        std::array<pollfd, 2> watched{{{engine, POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if ((watched[1].revents & (POLLERR | POLLHUP)) != 0) {
            is_engine = false;
            break;
        }
        if (watched[0].revents != 0 && !copy_some(engine, STDOUT_FILENO)) break;
    }
    return is_engine;
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
std::optional<std::string> end_text_of(const RuntimeFolder& folder, const std::string& name) {
    for (int i = 0; i < 40; ++i) {
        std::ifstream file(folder.end_of(name));
        std::string line;
        if (file && std::getline(file, line)) return line;
        if (greets(connect_to(folder.socket_of(name)))) return std::nullopt;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return "the engine has ended";
}

// --- the engine's own process, and the one that sees its end ---

void write_end(const RuntimeFolder& folder, const std::string& name, const std::string& line) {
    const auto path = folder.end_of(name);
    const FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    const std::string text = line + "\n";
    if (::write(file.get(), text.data(), text.size()) < 0) return;
}

std::string end_line(int status, const RunningPlace* place) {
    EngineLife::End end;
    end.kind = EngineEnd::Kind::Exited;
    if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
        end.kind = end.signal == SIGKILL ? EngineEnd::Kind::Killed : EngineEnd::Kind::Crashed;
    } else if (WEXITSTATUS(status) == 0) {
        return "the engine was ended, or nobody had used it for long";
    }
    end.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (place != nullptr) end.place = place->read().value_or(RunningPlace::Facts());
    Status now;
    if (end.place.event != 0) now.state = RunState::Running;
    return describe_end(end, now, nullptr).text;
}

}  // namespace

int serve_front(const FrontOptions& options) {
    ::signal(SIGPIPE, SIG_IGN);
    const RuntimeFolder folder;
    const FileHandle engine = find_or_start(folder, options);
    if (!copy_until_end(engine.get())) return 0;
    const auto text = end_text_of(folder, options.name);
    if (!text) return 0;
    std::fprintf(stderr, "%s\n", text->c_str());
    return kEngineEnded;
}

namespace {

// Connections for the engine, until it has ended.
void accept_for(int socket, const FileHandle& engine) {
    while (true) {
        std::array<pollfd, 2> watched{{{socket, POLLIN, 0}, {engine.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched[1].revents != 0) return;
        if (watched[0].revents == 0) continue;
        const FileHandle connection(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
        if (connection.is_open() && !give_handle(engine.get(), connection)) return;
    }
}

}  // namespace

// Two processes: the engine's own may open no connections (forbid_calls) and may crash.
int serve_background(const FrontOptions& options) {
    ::signal(SIGPIPE, SIG_IGN);
    const RuntimeFolder folder;
    FileHandle socket(::fcntl(kSocketDescriptor, F_DUPFD_CLOEXEC, kSocketDescriptor + 1));
    ::close(kSocketDescriptor);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw Error(ErrorKind::Run, concat("no socket for the engine: ", std::strerror(errno)));
    FileHandle ours(ends[0]);
    FileHandle its(ends[1]);
    void* page = ::mmap(nullptr, sizeof(RunningPlace), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    RunningPlace* place = page == MAP_FAILED ? nullptr : static_cast<RunningPlace*>(page);
    const pid_t engine = ::fork();
    if (engine < 0) throw Error(ErrorKind::Run, concat("no process for the engine: ", std::strerror(errno)));
    if (engine == 0) {
        socket.reset();
        ours.reset();
        set_running_place(place);
        forbid_calls();
        EngineHost(std::move(its), options.name, options.idle).serve();
        ::_exit(0);
    }
    its.reset();
    accept_for(socket.get(), ours);
    int status = 0;
    while (::waitpid(engine, &status, 0) < 0 && errno == EINTR) {
    }
    // Before the socket is gone: who finds none looks here.
    write_end(folder, options.name, end_line(status, place));
    const FileHandle lock = folder.lock(options.name);
    socket.reset();
    if (!connect_to(folder.socket_of(options.name)).is_open()) ::unlink(folder.socket_of(options.name).c_str());
    return 0;
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
