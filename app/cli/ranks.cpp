// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ranks.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "app/cli/stop_signals.h"
#include "app/cli/tagged_output.h"
#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/strings.h"
#include "core/distributed/launch_facts.h"
#include "core/plugin/plugin_loader.h"
#include "core/session/remote/rank_guard.h"

namespace loupe::cli {
namespace {

namespace fs = std::filesystem;

std::string path_of(const char* program) {
    const char* path = std::getenv("PATH");
    if (path == nullptr) return {};
    for (const std::string_view folder : split(path, ':')) {
        const fs::path file = fs::path(folder) / program;
        if (access(file.c_str(), X_OK) == 0) return file.string();
    }
    return {};
}

// The command line without --ranks.
std::vector<std::string> arguments_of_rank(char** arguments) {
    std::vector<std::string> out{fs::read_symlink("/proc/self/exe").string()};
    for (char** each = arguments + 1; *each != nullptr; ++each) {
        const std::string_view text = *each;
        if (text == "--ranks") {
            if (each[1] != nullptr) ++each;
            continue;
        }
        if (!text.starts_with("--ranks=")) out.emplace_back(text);
    }
    return out;
}

// One machine, without a remote shell; shared memory between its processes, whose memory none may read directly. The
// others outlive a rank that dies: what they recorded is written.
std::vector<std::string> command_of(const std::string& mpirun, int ranks, char** arguments) {
    std::vector<std::string> out{mpirun,
                                 "-n",
                                 concat(ranks),
                                 "--bind-to",
                                 "none",
                                 "--oversubscribe",
                                 "--allow-run-as-root",
                                 "--enable-recovery",
                                 "--tag-output"};
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, const char*>>{{"plm", "isolated"},
                                                                    {"pml", "ob1"},
                                                                    {"btl", "self,vader"},
                                                                    {"btl_vader_single_copy_mechanism", "none"},
                                                                    {"mpi_yield_when_idle", "1"},
                                                                    {"orte_base_help_aggregate", "0"}}) {
        out.insert(out.end(), {"--mca", name, value});
    }
    for (std::string& each : arguments_of_rank(arguments)) out.push_back(std::move(each));
    return out;
}

// What the ranks and mpirun say: of the ranks that ended badly the first counts that did not wait for another that had
// ended, and the end of others that follows from it is not said. Of mpirun's own words those about its inner works are
// left out.
class LauncherErrors {
  public:
    void take(std::string line) {
        if (line.ends_with('\n')) line.pop_back();
        take_line(line);
    }
    void finish() {
        // None but such as followed: where the others were, nobody knows.
        if (first_ || !following_) return;
        first_ = following_;
        std::fprintf(stderr, "%s\n", session::line_of(*first_).c_str());
    }
    // Of the rank that ended badly first; 0: none has.
    int status() const {
        if (!first_) return 0;
        return first_->signal != 0 ? 128 + first_->signal : first_->exit_status;
    }

  private:
    void take_line(const std::string& line) {
        if (line.find("] PMIX ERROR: ") != std::string::npos) return;
        const auto death = session::read_rank_death(line);
        if (death && (stop_signal() != 0 || (first_ && death->signal == 0))) return;
        if (death && death->signal == 0 && death->gone >= 0) {
            if (!following_) following_ = death;
            return;
        }
        if (death && !first_) first_ = death;
        std::fprintf(stderr, "%s\n", line.c_str());
    }

    std::optional<session::RankDeath> first_;
    std::optional<session::RankDeath> following_;  // the first behind the end of another
};

pid_t start(const std::vector<std::string>& command, int out, int errors) {
    std::vector<char*> texts;
    for (const std::string& each : command) texts.push_back(const_cast<char*>(each.c_str()));
    texts.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execv(texts[0], texts.data());
    _exit(127);
}

constexpr int kOpenLine = 200;  // milliseconds that a line of rank 0 waits for its end

// Until both are closed.
void pass_on(pid_t child, FileHandle out, FileHandle errors, LauncherErrors& said) {
    TaggedOutput lines([](int, const std::string& line) { std::fwrite(line.data(), 1, line.size(), stdout); });
    TaggedOutput error_lines([&said](int, const std::string& line) { said.take(line); });
    std::array<pollfd, 2> watched{{{out.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}}};
    std::array<char, 4096> buffer{};
    bool is_told = false;
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
        const int ready = poll(watched.data(), watched.size(), kOpenLine);
        if (stop_signal() != 0 && !is_told) {
            kill(child, SIGTERM);
            is_told = true;
        }
        if (ready == 0) lines.flush(0);
        for (std::size_t i = 0; ready > 0 && i < watched.size(); ++i) {
            if (watched[i].revents == 0) continue;
            const ssize_t count = read(watched[i].fd, buffer.data(), buffer.size());
            if (count < 0 && errno == EINTR) continue;
            if (count > 0)
                (i == 0 ? lines : error_lines).add({buffer.data(), static_cast<std::size_t>(count)});
            else
                watched[i].fd = -1;
        }
        std::fflush(stdout);
    }
    lines.finish();
    error_lines.finish();
    std::fflush(stdout);
}

}  // namespace

int launch_ranks(const RunArguments& options, char** arguments) {
    if (distributed::read_launch_facts().launcher != distributed::Launcher::None)
        throw Error(ErrorKind::Usage, "--ranks: this process was started as one of several ranks already");
    const std::string mpirun = path_of("mpirun");
    if (mpirun.empty()) {
        throw Error(ErrorKind::Usage, "--ranks starts processes with mpirun, which is not there",
                    {.hint = "install openmpi-bin"});
    }
    const bool has_plugin = std::any_of(plugins().begin(), plugins().end(), [](const PluginStatus& each) {
        return each.file.stem() == "loupe_mpi" && each.loaded;
    });
    if (!has_plugin) throw Error(ErrorKind::Usage, concat("--ranks: the plugin mpi ", plugin_absence("mpi")));
    if (!fs::exists(options.model)) throw Error(ErrorKind::Usage, "there is no such file", {.file = options.model});
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    int out[2], errors[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0)
        throw Error(ErrorKind::Run, "no pipe for the ranks");
    const pid_t child = start(command_of(mpirun, options.ranks, arguments), out[1], errors[1]);
    close(out[1]);
    close(errors[1]);
    if (child < 0) throw Error(ErrorKind::Run, "mpirun does not start");
    LauncherErrors said;
    pass_on(child, FileHandle(out[0]), FileHandle(errors[0]), said);
    said.finish();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (said.status() != 0) return said.status();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace loupe::cli
