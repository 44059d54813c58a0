// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/plugin_state.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

fs::path list_of_off() {
    const fs::path folder = user_plugin_folder();
    return folder.empty() ? fs::path() : folder / "off";
}

struct Off {
    std::string name;
    std::string why;
};

std::vector<Off> read_off() {
    std::vector<Off> out;
    std::ifstream in(list_of_off());
    for (std::string line; std::getline(in, line);) {
        const std::size_t space = line.find(' ');
        out.push_back({line.substr(0, space), space == std::string::npos ? "" : line.substr(space + 1)});
    }
    return out;
}

void write_off(const std::vector<Off>& all) {
    make_user_plugin_folder();
    std::string text;
    for (const Off& each : all) text += concat(each.name, " ", each.why, "\n");
    write_file_atomically(list_of_off(), text);
}

// --- the guard ---

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// What the handler needs, ready: it may call little.
struct Guarded {
    std::string list;     // the file to append to; empty: none
    std::string line;     // of that file
    std::string message;  // for standard error
    std::array<struct sigaction, kSignals.size()> before{};
};
Guarded* guarded = nullptr;

void say(int file, const std::string& text) {
    const ssize_t ignored = write(file, text.data(), text.size());
    static_cast<void>(ignored);
}

void on_crash(int signal) {
    if (guarded != nullptr) {
        say(STDERR_FILENO, guarded->message);
        const int file = open(guarded->list.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (file >= 0) say(file, guarded->line);
    }
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
    raise(signal);
}

}  // namespace

fs::path user_plugin_folder() {
    const char* data = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    if (data != nullptr && *data != '\0') return fs::path(data) / "tensorloupe/plugins";
    if (home != nullptr && *home != '\0') return fs::path(home) / ".local/share/tensorloupe/plugins";
    return {};
}

fs::path make_user_plugin_folder() {
    const fs::path folder = user_plugin_folder();
    if (folder.empty()) throw Error(ErrorKind::File, "there is no home folder for plugins");
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw Error(ErrorKind::File, concat(folder.string(), ": ", failure.message()));
    return folder;
}

std::string plugin_name_of(const fs::path& file) {
    const std::string stem = file.stem().string();
    return stem.starts_with("loupe_") ? stem.substr(6) : stem;
}

std::optional<std::string> why_switched_off(std::string_view name) {
    for (const Off& each : read_off()) {
        if (each.name == name) return each.why;
    }
    return std::nullopt;
}

void switch_off(std::string_view name, std::string_view why) {
    std::vector<Off> all = read_off();
    std::erase_if(all, [&](const Off& each) { return each.name == name; });
    all.push_back({std::string(name), std::string(why)});
    write_off(all);
}

void switch_on(std::string_view name) {
    std::vector<Off> all = read_off();
    if (std::erase_if(all, [&](const Off& each) { return each.name == name; }) > 0) write_off(all);
}

PluginCrashGuard::PluginCrashGuard(const fs::path& file) {
    const std::string name = plugin_name_of(file);
    guarded = new Guarded;
    guarded->list = list_of_off().string();
    guarded->line = concat(name, " crashed when it was loaded\n");
    guarded->message =
        concat("the plugin ", name, " (", file.string(), ") crashed when it was loaded: it is switched off; ",
               "tensorloupe-cli plugins enable ", name, " switches it on\n");
    struct sigaction ours = {};
    ours.sa_handler = on_crash;
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &ours, &guarded->before[i]);
}

PluginCrashGuard::~PluginCrashGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &guarded->before[i], nullptr);
    delete guarded;
    guarded = nullptr;
}

}  // namespace loupe
