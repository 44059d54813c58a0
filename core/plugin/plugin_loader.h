// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds plugins and loads them. One that fails costs nothing but its line in the list.

#include <filesystem>
#include <string>
#include <vector>

namespace loupe {

struct PluginStatus {
    std::string name;         // as it says itself; the file's name when it could not
    std::string description;
    std::string needs;
    std::filesystem::path file;
    bool loaded = false;
    std::string reason;       // why not
};

// Loads every *.so of the folder in order of name, each only once a process, and gives their state.
std::vector<PluginStatus> load_plugins_from(const std::filesystem::path& folder);
// The folders where plugins are looked for: lib/plugins beside the program's folder, then those in LOUPE_PLUGIN_PATH
// (separated by ':').
std::vector<std::filesystem::path> plugin_folders();
// Loads the plugins of all folders the first time; the list of them every time. Safe to call from any thread.
const std::vector<PluginStatus>& plugins();

}  // namespace loupe
