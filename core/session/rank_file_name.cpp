// SPDX-License-Identifier: Apache-2.0
#include "core/session/rank_file_name.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr std::string_view kRank = ".rank";

}  // namespace

RankFileName read_rank_file_name(const std::filesystem::path& file) {
    RankFileName name;
    name.extension = file.extension().string();
    name.base = file.stem().string();
    const std::size_t at = name.base.rfind(kRank);
    if (at == std::string::npos) return name;
    const std::string_view digits = std::string_view(name.base).substr(at + kRank.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), name.rank);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size() && name.rank >= 0;
    if (!is_number) return {file.stem().string(), name.extension, 0};
    name.base.resize(at);
    return name;
}

std::filesystem::path rank_file(const std::filesystem::path& file, int rank) {
    if (rank == 0) return file;
    const RankFileName name = read_rank_file_name(file);
    return file.parent_path() / concat(name.base, kRank, rank, name.extension);
}

}  // namespace loupe::session
