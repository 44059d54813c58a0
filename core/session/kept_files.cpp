// SPDX-License-Identifier: Apache-2.0
#include "core/session/kept_files.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/strings.h"

namespace loupe::session {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStart = "training-start-";

}  // namespace

fs::path kept_model_in(const fs::path& folder) { return folder / "model.pt"; }
fs::path kept_checkpoint_in(const fs::path& folder) { return folder / "training.pt"; }

fs::path training_start_in(const fs::path& folder, std::int64_t steps_done) {
    return folder / concat(kStart, steps_done, ".pt");
}

std::vector<std::pair<std::int64_t, fs::path>> training_starts_in(const fs::path& folder) {
    std::vector<std::pair<std::int64_t, fs::path>> out;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with(kStart)) continue;
        std::int64_t steps = 0;
        const auto [rest, error] = std::from_chars(name.data() + kStart.size(), name.data() + name.size(), steps);
        if (error == std::errc() && std::string_view(rest) == ".pt") out.emplace_back(steps, at->path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace loupe::session
