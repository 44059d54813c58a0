// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds plugins and loads them, also for plugins() of core/dispatch. One that fails costs nothing but its line in the
// list.

#include <filesystem>
#include <vector>

#include "core/dispatch/plugin_list.h"

namespace loupe {

// Loads every *.so of the folder in order of name, each only once a process, and gives their state.
std::vector<PluginStatus> load_plugins_from(const std::filesystem::path& folder);
// The folders where plugins are looked for: plugins/ beside the engine's library, then those in LOUPE_PLUGIN_PATH
// (separated by ':').
std::vector<std::filesystem::path> plugin_folders();

}  // namespace loupe
