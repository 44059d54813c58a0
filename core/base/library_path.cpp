// SPDX-License-Identifier: Apache-2.0
#include "core/base/library_path.h"

namespace loupe {

bool is_library_path(std::string_view path) {
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
        if (path.find(folder) != path.npos) return true;
    }
    for (const std::string_view package : {"torch/", "torchvision/", "torchaudio/", "torchtext/"}) {
        if (path.starts_with(package)) return true;
    }
    // "/usr/lib/python3.11/threading.py"
    constexpr std::string_view kLibraries = "/lib/python3.";
    for (auto at = path.find(kLibraries); at != path.npos; at = path.find(kLibraries, at + 1)) {
        const auto end = path.find_first_not_of("0123456789", at + kLibraries.size());
        if (end != path.npos && path[end] == '/') return true;
    }
    return false;
}

}  // namespace loupe
