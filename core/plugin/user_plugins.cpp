// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/user_plugins.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/plugin/plugin_loader.h"
#include "core/plugin/plugin_state.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

void kill_child(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

// What the child says until it ends, or nullopt after that time.
std::optional<std::string> read_until_end(int pipe, int milliseconds) {
    std::string text;
    std::array<char, 512> buffer{};
    for (;;) {
        pollfd wait{pipe, POLLIN, 0};
        if (poll(&wait, 1, milliseconds) <= 0) return std::nullopt;
        const ssize_t count = read(pipe, buffer.data(), buffer.size());
        if (count <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

// Why the file cannot be used as a plugin; empty: it can.
std::string trial(const fs::path& file) {
    // What it was switched off for may be mended.
    switch_on(plugin_name_of(file));
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::File, concat("no pipe: ", std::strerror(errno)));
    const pid_t child = fork();
    if (child == 0) {
        // Beside all others: what they give is taken.
        for (const fs::path& other : plugin_files()) {
            if (plugin_name_of(other) != plugin_name_of(file)) load_plugin(other, true);
        }
        const PluginStatus status = load_plugin(file, true);
        const ssize_t ignored = write(ends[1], status.reason.data(), status.reason.size());
        _exit(ignored < 0 ? 1 : 0);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        throw Error(ErrorKind::File, concat("no process to try it in: ", std::strerror(errno)));
    }
    static constexpr int kMost = 30'000;
    const std::optional<std::string> said = read_until_end(ends[0], kMost);
    close(ends[0]);
    if (!said) {
        kill_child(child);
        return "does not come back from being loaded";
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return concat("crashes when it is loaded: ", strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0) return "ends the process that loads it";
    return *said;
}

}  // namespace

std::string install_plugin(const fs::path& file) {
    std::error_code failure;
    if (!fs::is_regular_file(file, failure)) throw Error(ErrorKind::Usage, concat(file.string(), ": no such file"));
    if (file.extension() != ".so")
        throw Error(ErrorKind::Usage, concat(file.string(), ": a plugin is a shared library, loupe_NAME.so"));
    const std::string name = plugin_name_of(file);
    const fs::path target = make_user_plugin_folder() / concat("loupe_", name, ".so");
    for (const fs::path& other : plugin_files()) {
        if (plugin_name_of(other) == name && !fs::equivalent(other, target, failure))
            throw Error(ErrorKind::Plugin, concat(name, ": there is a plugin of that name, ", other.string()));
    }
    if (const std::string why = trial(fs::absolute(file)); !why.empty())
        throw Error(ErrorKind::Plugin, concat(name, ": ", why));
    // A process that has it loaded keeps the file that it loaded.
    const fs::path fresh = concat(target.string(), ".new");
    fs::copy_file(file, fresh, fs::copy_options::overwrite_existing, failure);
    if (!failure) fs::rename(fresh, target, failure);
    if (failure) throw Error(ErrorKind::File, concat(target.string(), ": ", failure.message()));
    switch_on(name);
    return name;
}

void uninstall_plugin(std::string_view name) {
    std::error_code failure;
    const fs::path file = user_plugin_folder() / concat("loupe_", name, ".so");
    if (!fs::remove(file, failure)) {
        throw Error(failure ? ErrorKind::File : ErrorKind::Usage,
                    failure ? concat(file.string(), ": ", failure.message())
                            : concat(name,
                                     ": no plugin of that name was installed; disable switches off one that came "
                                     "with the program"));
    }
    switch_on(name);
}

}  // namespace loupe
