// SPDX-License-Identifier: Apache-2.0
#include "core/base/cache_folder.h"

#include <cstdlib>

namespace loupe {

std::filesystem::path cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache != nullptr && *cache != '\0') return std::filesystem::path(cache) / "tensorloupe";
    if (home != nullptr && *home != '\0') return std::filesystem::path(home) / ".cache/tensorloupe";
    return {};
}

}  // namespace loupe
