// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace loupe {

// Where this program keeps what it can make again: $XDG_CACHE_HOME/tensorloupe, else ~/.cache/tensorloupe. It may not
// exist. Empty: there is no place for it.
std::filesystem::path cache_folder();

}  // namespace loupe
