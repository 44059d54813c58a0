// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr std::size_t kPlaceBytes = 4096;
static_assert(sizeof(RunningPlace) <= kPlaceBytes);

struct Pipe {
    FileHandle read_end;
    FileHandle write_end;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error(ErrorKind::Usage, concat("no pipe to the engine: ", std::strerror(errno)));
    // As much as may be, so that a batch of events does not wait for its reader.
    ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

class FileActions {
  public:
    FileActions() { ::posix_spawn_file_actions_init(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
    void put(int from, int to) {
        ::posix_spawn_file_actions_adddup2(&actions_, from, to);
        last_ = std::max(last_, to);
    }
    // Behind all that are put: pipes that a library makes on another thread at this moment are the child's too, and
    // would stay open as long as it lives.
    void close_others() { ::posix_spawn_file_actions_addclosefrom_np(&actions_, last_ + 1); }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_{};
    int last_ = STDERR_FILENO;
};

// Signals that this process ignores or blocks are the child's as usual.
class Attributes {
  public:
    Attributes() {
        ::posix_spawnattr_init(&attributes_);
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigemptyset(&all);
        for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
            ::sigaddset(&all, signal);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        // A group of its own: Ctrl+C in a terminal is the window's, which ends it in order.
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
    const posix_spawnattr_t* get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_{};
};

RunningPlace* map_place(int descriptor) {
    void* page = ::mmap(nullptr, kPlaceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return page == MAP_FAILED ? nullptr : static_cast<RunningPlace*>(page);
}

// Those given must not be where they are put.
FileHandle moved_up(FileHandle handle) {
    if (handle.get() > kFilesDescriptor || !handle.is_open()) return handle;
    return FileHandle(::fcntl(handle.get(), F_DUPFD_CLOEXEC, kFilesDescriptor + 1));
}

std::vector<std::string> merged_environment(const std::vector<std::string>& more) {
    std::vector<std::string> all = more;
    for (char** each = ::environ; *each != nullptr; ++each) {
        const std::string_view variable(*each);
        const std::string_view name = variable.substr(0, variable.find('=') + 1);
        const bool is_replaced =
            std::any_of(more.begin(), more.end(), [&](const std::string& ours) { return ours.starts_with(name); });
        if (!is_replaced) all.emplace_back(variable);
    }
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

ChildProcess::ChildProcess(const EngineLaunch& launch) {
    Setup setup{.words = {launch.program.string()}, .has_place = true};
    setup.words.insert(setup.words.end(), launch.arguments.begin(), launch.arguments.end());
    for (const auto& [name, value] : launch.environment) setup.environment.push_back(concat(name, "=", value));
    if (const int failed = start(std::move(setup)); failed != 0)
        throw Error(ErrorKind::Usage,
                    concat("the engine ", launch.program.string(), " does not start: ", std::strerror(failed)));
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
    if (const int failed = start({.words = command, .environment = environment, .takes_errors = true}); failed != 0)
        throw Error(ErrorKind::Usage, concat(command.front(), " does not start: ", std::strerror(failed)));
}

int ChildProcess::start(Setup setup) {
    Pipe to = make_pipe();
    Pipe from = make_pipe();
    Pipe errors;
    to.read_end = moved_up(std::move(to.read_end));
    from.write_end = moved_up(std::move(from.write_end));
    FileActions actions;
    actions.put(to.read_end.get(), STDIN_FILENO);
    actions.put(from.write_end.get(), STDOUT_FILENO);
    if (setup.takes_errors) {
        errors = make_pipe();
        errors.write_end = moved_up(std::move(errors.write_end));
        actions.put(errors.write_end.get(), STDERR_FILENO);
    }
    FileHandle memory;
    if (setup.has_place) memory = moved_up(FileHandle(::memfd_create("tensorloupe engine", MFD_CLOEXEC)));
    if (memory.is_open() && ::ftruncate(memory.get(), static_cast<off_t>(kPlaceBytes)) == 0)
        place_ = map_place(memory.get());
    FileHandle files;
    std::array<int, 2> sockets{-1, -1};
    if (setup.has_place && ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) == 0) {
        files_ = FileHandle(sockets[0]);
        files = moved_up(FileHandle(sockets[1]));
    }
    if (place_ != nullptr) actions.put(memory.get(), kPlaceDescriptor);
    if (files.is_open()) actions.put(files.get(), kFilesDescriptor);
    actions.close_others();
    const Attributes attributes;
    std::vector<std::string> all_environment = merged_environment(setup.environment);
    const auto words = pointers_to(setup.words);
    const auto variables = pointers_to(all_environment);
    const int failed =
        ::posix_spawnp(&pid_, words.front(), actions.get(), attributes.get(), words.data(), variables.data());
    if (failed != 0) {
        if (place_ != nullptr) ::munmap(place_, kPlaceBytes);
        return failed;
    }
    exit_ = FileHandle(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    in_ = std::move(from.read_end);
    out_ = std::move(to.write_end);
    errors_ = std::move(errors.read_end);
    return 0;
}

void ChildProcess::give_file(std::uint64_t number, const FileHandle& file) {
    if (!give_handle(files_.get(), file, number, MSG_DONTWAIT))
        throw Error(ErrorKind::File, concat("the engine takes no file: ", std::strerror(errno)));
}

FileHandle ChildProcess::files_socket() const {
    return FileHandle(files_.is_open() ? ::fcntl(files_.get(), F_DUPFD_CLOEXEC, kFilesDescriptor + 1) : -1);
}

FileHandle given_files_socket() {
    struct stat facts {};
    if (::fstat(kFilesDescriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return {};
    return FileHandle(::fcntl(kFilesDescriptor, F_DUPFD_CLOEXEC, kFilesDescriptor + 1));
}

FileHandle take_given_file(std::uint64_t number) {
    while (true) {
        std::optional<GivenHandle> given = take_handle(kFilesDescriptor, MSG_DONTWAIT);
        if (!given) throw Error(ErrorKind::File, "the session has opened no file to write to");
        if (given->number == number) return std::move(given->handle);
    }
}

ChildProcess::~ChildProcess() {
    kill();
    wait(std::chrono::seconds(10));
    if (place_ != nullptr) ::munmap(place_, kPlaceBytes);
}

void ChildProcess::kill() {
    const std::lock_guard lock(mutex_);
    if (!end_) ::kill(pid_, SIGKILL);
}

std::optional<ChildProcess::End> ChildProcess::wait(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (true) {
        {
            const std::lock_guard lock(mutex_);
            int status = 0;
            const pid_t ended = end_ ? 0 : ::waitpid(pid_, &status, WNOHANG);
            if (ended == pid_)
                end_ = End{WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0};
            else if (ended < 0 && errno != EINTR)
                end_ = End{};  // something else in this process waited for it
            if (end_) return end_;
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return std::nullopt;
        // Without a pidfd it is asked every few milliseconds.
        pollfd watched{exit_.get(), POLLIN, 0};
        ::poll(&watched, exit_.is_open() ? 1 : 0, exit_.is_open() ? static_cast<int>(left.count()) : 5);
    }
}

RunningPlace* open_running_place(int descriptor) {
    struct stat facts {};
    if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size != static_cast<off_t>(kPlaceBytes))
        return nullptr;
    return map_place(descriptor);
}

}  // namespace loupe::session
