// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plugins that a user adds to those that came with the program.

#include <filesystem>
#include <string>
#include <string_view>

namespace loupe {

// Copies a shared library to user_plugin_folder(), after a process of its own has loaded it as a plugin, and gives its
// name. Throws Error: Usage for a missing file, Plugin with the reason why it cannot be used here: it ends that
// process, or is refused.
std::string install_plugin(const std::filesystem::path& file);
// Throws Error (Usage) where no such plugin was installed.
void uninstall_plugin(std::string_view name);

}  // namespace loupe
