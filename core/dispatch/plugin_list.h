// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugins of the process, for rooms below the loader: code that needs what plugins register calls plugins() first.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace loupe {

struct PluginStatus {
    std::string name;  // as it says itself; the file's name when it could not
    std::string description;
    std::string needs;
    std::filesystem::path file;
    bool loaded = false;
    bool is_off = false;  // by the user, or because it crashed; see core/plugin/plugin_state.h
    std::string reason;   // why it is not loaded
};

// Loads the plugins of all folders the first time; the list of them every time. Safe to call from any thread. Of
// core/plugin, above every registry that a plugin fills.
const std::vector<PluginStatus>& plugins();
// Of one that what it does is asked of in vain, by its file's name (loupe_NAME.so): "does not load: REASON", or "is not
// there".
std::string plugin_absence(std::string_view name);

}  // namespace loupe
