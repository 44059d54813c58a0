// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the user's own plugins are, which of all plugins are switched off, and what switches one off that crashes.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace loupe {

// $XDG_DATA_HOME/tensorloupe/plugins, else ~/.local/share/tensorloupe/plugins. It may not exist. Empty: no place for
// it.
std::filesystem::path user_plugin_folder();
// Throws Error (File) where it cannot be made.
std::filesystem::path make_user_plugin_folder();
// "example" of loupe_example.so: what commands call it.
std::string plugin_name_of(const std::filesystem::path& file);

// Why it is not loaded; nullopt: it is. Kept in the file `off` of the folder, a line each: "NAME REASON".
std::optional<std::string> why_switched_off(std::string_view name);
// From the next start on. Both throw Error (File) where the folder cannot be written.
void switch_off(std::string_view name, std::string_view why);
void switch_on(std::string_view name);

// While it lives, a signal that ends the process is the doing of this plugin: it is named on standard error and
// switched off, so that the next start goes without it.
class PluginCrashGuard {
  public:
    explicit PluginCrashGuard(const std::filesystem::path& file);
    PluginCrashGuard(const PluginCrashGuard&) = delete;
    PluginCrashGuard& operator=(const PluginCrashGuard&) = delete;
    ~PluginCrashGuard();
};

}  // namespace loupe
