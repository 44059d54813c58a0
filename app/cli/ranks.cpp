// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ranks.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "app/cli/stop_signals.h"
#include "core/base/error.h"
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
                                 "--enable-recovery"};
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
    void take(std::string_view bytes) {
        for (const char c : bytes) {
            if (c != '\n') {
                line_ += c;
                continue;
            }
            take_line(line_);
            line_.clear();
        }
    }
    void finish() {
        if (!line_.empty()) take_line(line_);
        line_.clear();
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

    std::string line_;
    std::optional<session::RankDeath> first_;
    std::optional<session::RankDeath> following_;  // the first behind the end of another
};

pid_t start(const std::vector<std::string>& command, int errors) {
    std::vector<char*> texts;
    for (const std::string& each : command) texts.push_back(const_cast<char*>(each.c_str()));
    texts.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    dup2(errors, STDERR_FILENO);
    execv(texts[0], texts.data());
    _exit(127);
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
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::Run, "no pipe for the ranks");
    const pid_t child = start(command_of(mpirun, options.ranks, arguments), ends[1]);
    close(ends[1]);
    if (child < 0) throw Error(ErrorKind::Run, "mpirun does not start");
    LauncherErrors errors;
    char buffer[4096];
    bool is_told = false;
    for (;;) {
        const ssize_t count = read(ends[0], buffer, sizeof buffer);
        if (stop_signal() != 0 && !is_told) {
            kill(child, SIGTERM);
            is_told = true;
        }
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        errors.take({buffer, static_cast<std::size_t>(count)});
    }
    close(ends[0]);
    errors.finish();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (errors.status() != 0) return errors.status();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace loupe::cli
