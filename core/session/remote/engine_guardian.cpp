// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/forbid_calls.h"
#include "core/base/local_socket.h"
#include "core/base/restricted_thread.h"
#include "core/base/strings.h"
#include "core/base/temporary_name.h"
#include "core/record/running_place.h"
#include "core/session/remote/end_place.h"
#include "core/session/remote/engine_end_text.h"
#include "core/session/remote/engine_host.h"
#include "core/session/remote/engine_launch.h"
#include "core/session/remote/grant_giver.h"

namespace loupe::session {
namespace {

// Where the guardian finds its sockets.
constexpr int kConnectionsDescriptor = 3;
constexpr int kGrantsDescriptor = 4;
constexpr int kBacklog = 8;  // keeps the first connection until the engine is up

FileHandle listen_at(const std::filesystem::path& path) {
    FileHandle socket = bind_to(path);
    if (::listen(socket.get(), kBacklog) != 0)
        throw Error(ErrorKind::Usage, concat("no socket: ", std::strerror(errno)));
    return FileHandle(::fcntl(socket.get(), F_DUPFD_CLOEXEC, kGrantsDescriptor + 1));
}

FileHandle take_descriptor(int number) {
    FileHandle moved(::fcntl(number, F_DUPFD_CLOEXEC, kGrantsDescriptor + 1));
    ::close(number);
    return moved;
}

std::vector<std::string> words_of(const StayOptions& options) {
    std::vector<std::string> words{"tensorloupe-engine", "--background", options.name, "--idle",
                                   std::to_string(options.idle.count())};
    for (const auto& folder : options.writable) {
        words.emplace_back("--may-write");
        words.push_back(folder.string());
    }
    return words;
}

// --- how it ended ---

void write_end(const RuntimeFolder& folder, const std::string& name, const EndSaid& said) {
    const auto path = folder.end_of(name);
    const FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    const std::string text = said.text + "\n" + said.place + "\n";
    if (::write(file.get(), text.data(), text.size()) < 0) return;
}

// How the one before died; empty: there was none, or it ended in order. It is of the past from now on.
EndSaid take_end(const RuntimeFolder& folder, const std::string& name) {
    const auto said = end_said_in(folder, name);
    std::error_code ignored;
    std::filesystem::remove(folder.end_of(name), ignored);
    return said && !said->place.empty() ? *said : EndSaid();
}

bool is_in_order(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

EndSaid end_of(int status, const RunningPlace* place) {
    EngineLife::End end;
    end.kind = EngineEnd::Kind::Exited;
    if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
        end.kind = end.signal == SIGKILL ? EngineEnd::Kind::Killed : EngineEnd::Kind::Crashed;
    } else if (is_in_order(status)) {
        return {"the engine was ended, or nobody had used it for long", {}};
    }
    end.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (place != nullptr) end.place = place->read().value_or(RunningPlace::Facts());
    Status now;
    now.is_training = end.place.training_step != 0;
    // An event between two operators is the last that ran, of a step that is recorded.
    if (end.place.event != 0 || now.is_training)
        now.state = end.place.event != 0 && !end.place.is_under_way ? RunState::Paused : RunState::Running;
    return {describe_end(end, now, nullptr).text, end_place_line(end.place)};
}

// --- the two processes ---

struct Pair {
    FileHandle ours;
    FileHandle its;
};

Pair socket_pair(int type) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw Error(ErrorKind::Run, concat("no socket for the engine: ", std::strerror(errno)));
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

RunningPlace* shared_place() {
    void* page = ::mmap(nullptr, sizeof(RunningPlace), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? nullptr : static_cast<RunningPlace*>(page);
}

// Connections and grants for the engine, until it has ended.
void accept_for(const FileHandle& engine, const FileHandle& connections, const FileHandle& grants, GrantGiver& giver) {
    while (true) {
        std::array<pollfd, 3> watched{
            {{engine.get(), POLLIN, 0}, {connections.get(), POLLIN, 0}, {grants.get(), POLLIN, 0}}};
        if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
        if (watched[0].revents != 0) return;
        if (watched[1].revents != 0) {
            const FileHandle connection(::accept4(connections.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (connection.is_open() && !give_handle(engine.get(), connection)) return;
        }
        if (watched[2].revents != 0) {
            FileHandle front(::accept4(grants.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (front.is_open()) giver.take(std::move(front));
        }
    }
}

// The engine's process.
[[noreturn]] void serve_engine(Pair connections, Pair grants, EngineHost::Options options) {
    connections.ours.reset();
    grants.ours.reset();
    ::setenv("TMPDIR", options.writable.front().c_str(), 1);
    if (!restrict_writes(options.writable)) options.writable.clear();
    forbid_calls();
    EngineHost(std::move(connections.its), std::move(grants.its), std::move(options)).serve();
    ::_exit(0);
}

}  // namespace

void start_guardian(const RuntimeFolder& folder, const StayOptions& options) {
    const FileHandle connections = listen_at(folder.socket_of(options.name));
    const FileHandle grants = listen_at(folder.grants_of(options.name));
    std::vector<std::string> words = words_of(options);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, connections.get(), kConnectionsDescriptor);
    ::posix_spawn_file_actions_adddup2(&actions, grants.get(), kGrantsDescriptor);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder.log_of(options.name).c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, std::max(kConnectionsDescriptor, kGrantsDescriptor) + 1);
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

std::optional<EndSaid> end_said_in(const RuntimeFolder& folder, const std::string& name) {
    std::ifstream file(folder.end_of(name));
    EndSaid said;
    if (!file || !std::getline(file, said.text)) return std::nullopt;
    std::getline(file, said.place);
    return said;
}

int serve_background(const StayOptions& options) {
    ::signal(SIGPIPE, SIG_IGN);
    const RuntimeFolder folder;
    FileHandle connections = take_descriptor(kConnectionsDescriptor);
    const FileHandle grants = take_descriptor(kGrantsDescriptor);
    EngineHost::Options its{.name = options.name, .idle = options.idle, .kept = folder.kept_of(options.name)};
    EndSaid before = take_end(folder, options.name);
    its.died = std::move(before.text);
    its.place = std::move(before.place);
    std::vector<std::filesystem::path> writable = options.writable;
    writable.push_back(its.kept);
    EngineHome home({}, writable);
    its.writable = home.writable();
    Pair to_connect = socket_pair(SOCK_STREAM);
    Pair to_grant = socket_pair(SOCK_SEQPACKET);
    RunningPlace* place = shared_place();
    const pid_t engine = ::fork();
    if (engine < 0) throw Error(ErrorKind::Run, concat("no process for the engine: ", std::strerror(errno)));
    if (engine == 0) {
        set_running_place(place);
        // Both are the guardian's.
        ::close(connections.get());
        ::close(grants.get());
        serve_engine(std::move(to_connect), std::move(to_grant), its);
    }
    to_connect.its.reset();
    to_grant.its.reset();
    remove_temporary_names_on_signals();
    GrantGiver giver(std::move(to_grant.ours));
    accept_for(to_connect.ours, connections, grants, giver);
    int status = 0;
    while (::waitpid(engine, &status, 0) < 0 && errno == EINTR) {
    }
    // Before the socket is gone: who finds none looks here.
    write_end(folder, options.name, end_of(status, place));
    // What one that died kept is for the next.
    std::error_code ignored;
    if (is_in_order(status)) std::filesystem::remove_all(its.kept, ignored);
    home.remove_leftovers();
    const FileHandle lock = folder.lock(options.name);
    connections.reset();
    if (connect_to(folder.socket_of(options.name)).is_open()) return 0;  // of the next
    ::unlink(folder.socket_of(options.name).c_str());
    ::unlink(folder.grants_of(options.name).c_str());
    return 0;
}

}  // namespace loupe::session
