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
// Loads one file, once a process at most, and says how that went. One that is switched off is not loaded; one that
// crashes is named and switched off, but in a trial, whose process may end as it likes.
PluginStatus load_plugin(const std::filesystem::path& file, bool is_trial = false);
// The folders where plugins are looked for: plugins/ beside the engine's library, then those in LOUPE_PLUGIN_PATH
// (separated by ':'), then the user's own.
std::vector<std::filesystem::path> plugin_folders();

// The *.so of these folders, in the order in which they are loaded.
std::vector<std::filesystem::path> plugin_files();

}  // namespace loupe
