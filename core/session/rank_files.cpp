// SPDX-License-Identifier: Apache-2.0
#include "core/session/rank_files.h"

#include <algorithm>
#include <system_error>

#include "core/session/rank_file_name.h"

namespace loupe::session {

bool is_recording_name(const std::filesystem::path& file) { return file.extension() == ".loupe"; }

std::vector<RankFile> rank_files(const std::filesystem::path& file) {
    const RankFileName own = read_rank_file_name(file);
    std::vector<RankFile> found;
    if (!own.extension.empty()) {
        std::error_code error;
        const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
        for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
            const RankFileName other = read_rank_file_name(at->path());
            if (other.base != own.base || other.extension != own.extension) continue;
            std::error_code no_file;
            if (at->is_regular_file(no_file))
                found.push_back({file.has_parent_path() ? at->path() : at->path().filename(), other.rank});
        }
    }
    std::sort(found.begin(), found.end(), [](const RankFile& a, const RankFile& b) {
        return a.named != b.named ? a.named < b.named : a.path < b.path;
    });
    // "step.loupe" and "step.rank0.loupe" are both of rank 0: the one that was asked for counts.
    for (std::size_t i = 1; i < found.size();) {
        if (found[i].named != found[i - 1].named) {
            ++i;
            continue;
        }
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(found[i].path == file ? i - 1 : i));
    }
    if (found.empty()) found.push_back({file, own.rank});
    return found;
}

}  // namespace loupe::session
