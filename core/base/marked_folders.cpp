// SPDX-License-Identifier: Apache-2.0
#include "core/base/marked_folders.h"

#include <system_error>

namespace loupe {

namespace fs = std::filesystem;

std::vector<fs::path> marked_folders(const fs::path& file, const std::string& mark) {
    std::vector<fs::path> out;
    std::error_code failed;
    fs::path folder = fs::absolute(file, failed).parent_path();
    const auto is_marked = [&](const fs::path& at) { return fs::is_regular_file(at / mark, failed); };
    while (folder.has_filename() && folder != folder.root_path() &&
           (is_marked(folder) || is_marked(folder.parent_path()))) {
        out.push_back(folder);
        folder = folder.parent_path();
    }
    return out;
}

}  // namespace loupe
