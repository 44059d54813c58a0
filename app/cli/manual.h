// SPDX-License-Identifier: Apache-2.0
#pragma once
// The manual page and what shells complete, made from the options themselves.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace loupe::cli {

// What `manual` can be asked for: "man", "bash", "zsh", "fish".
std::vector<std::string> manual_kinds();
std::string manual_of(const CLI::App& app, std::string_view kind);

}  // namespace loupe::cli
