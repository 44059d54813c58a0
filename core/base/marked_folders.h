// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace loupe {

// The folders that the file lies in, nearest first, as long as each of them, or the one above it, holds a file of the
// mark's name: those of a Python package, by its __init__.py. Empty when none does, or nothing can be looked at.
std::vector<std::filesystem::path> marked_folders(const std::filesystem::path& file, const std::string& mark);

}  // namespace loupe
