// SPDX-License-Identifier: Apache-2.0
#include "core/session/rank_files.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace loupe::session {
namespace {

constexpr std::string_view kRank = ".rank";

struct Name {
    std::string base;  // "step" of "step.rank1.loupe"
    std::string extension;
    int rank = 0;
};

std::optional<Name> parse(const std::filesystem::path& file) {
    Name name;
    name.extension = file.extension().string();
    name.base = file.stem().string();
    const std::size_t at = name.base.rfind(kRank);
    if (at == std::string::npos) return name;
    const std::string_view digits = std::string_view(name.base).substr(at + kRank.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), name.rank);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size() && name.rank >= 0;
    if (!is_number) return Name{file.stem().string(), name.extension, 0};
    name.base.resize(at);
    return name;
}

}  // namespace

bool is_recording_name(const std::filesystem::path& file) { return file.extension() == ".loupe"; }

std::vector<RankFile> rank_files(const std::filesystem::path& file) {
    const auto own = parse(file);
    std::vector<RankFile> found;
    if (own && !own->extension.empty()) {
        std::error_code error;
        const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
        for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
            const auto other = parse(at->path());
            if (!other || other->base != own->base || other->extension != own->extension) continue;
            std::error_code no_file;
            if (at->is_regular_file(no_file))
                found.push_back({file.has_parent_path() ? at->path() : at->path().filename(), other->rank});
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
    if (found.empty()) found.push_back({file, own ? own->rank : 0});
    return found;
}

}  // namespace loupe::session
