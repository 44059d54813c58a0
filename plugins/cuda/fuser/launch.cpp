// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/launch.h"

#include <algorithm>
#include <cstring>

#include "core/base/strings.h"

namespace loupe::cuda {

using runtime::FusedSpace;

namespace {

constexpr std::int64_t kMostBlocks = std::int64_t{1} << 20;

std::int64_t word_of(const void* address) {
    std::int64_t word = 0;
    std::memcpy(&word, &address, sizeof address);
    return word;
}

std::int64_t blocks_of(const FusedSource& source, const FusedSpace& space) {
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t count = space.outer_count();
    if (source.team == 0) return std::clamp<std::int64_t>(up(count, source.block * source.width), 1, kMostBlocks);
    const std::int64_t teams = source.block / source.team;  // of a block
    if (source.sums.empty()) return std::clamp<std::int64_t>(up(count, teams), 1, kMostBlocks);
    // Teams add up several rows each, so that few sums are left; each has one at least.
    constexpr std::int64_t kRowsOfTeam = 8, kMostTeams = 1024;
    return std::clamp<std::int64_t>(std::min(up(count, kRowsOfTeam), kMostTeams) / teams, 1,
                                    std::max<std::int64_t>(count, 1));
}
std::int64_t teams_of(const FusedSource& source, const FusedSpace& space) {
    return blocks_of(source, space) * (source.block / source.team);
}

std::int64_t part_bytes(const FusedSource& source, const FusedSpace& space, const FusedSource::Sum& sum) {
    const std::int64_t bytes = teams_of(source, space) * space.inner_count() * element_size(sum.as);
    return (bytes + 255) / 256 * 256;
}

std::int64_t host_number(const FusedSpace& space, std::uint32_t array, const std::byte* at) {
    std::int64_t word = 0;
    std::memcpy(&word, at, static_cast<std::size_t>(element_size(space.dtypes[array])));
    return word;
}

}  // namespace

bool fits_width(const FusedSource& source, const FusedSpace& space, std::span<std::byte* const> arrays) {
    if (source.width == 1) return true;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        const auto bytes = static_cast<std::uintptr_t>(source.width * element_size(space.dtypes[a]));
        const auto walks = [a](const FusedSpace::Dim& dim) { return dim.strides[a] != 0; };
        // What stays along a row, or along the innermost dimension, is read alone.
        const bool is_alone = source.team > 0 ? std::none_of(space.inner.begin(), space.inner.end(), walks)
                                              : space.outer.empty() || !walks(space.outer[0]);
        if (!space.is_on_host[a] && !is_alone && reinterpret_cast<std::uintptr_t>(arrays[a]) % bytes != 0) return false;
    }
    return true;
}

std::size_t scratch_bytes(const FusedSource& source, const FusedSpace& space) {
    std::int64_t bytes = 0;
    for (const FusedSource::Sum& sum : source.sums) bytes += part_bytes(source, space, sum);
    return static_cast<std::size_t>(bytes);
}

std::vector<FusedLaunch> launches_of(const FusedSource& source, const FusedSpace& given,
                                     std::span<std::byte* const> arrays, std::byte* scratch) {
    using What = SourceWord::What;
    const FusedSpace space = with_dims(given, source.team > 0);
    std::vector<std::byte*> parts(arrays.size(), nullptr);
    for (const FusedSource::Sum& sum : source.sums) {
        parts[sum.array] = scratch;
        scratch += part_bytes(source, space, sum);
    }
    FusedLaunch whole{
        "fused_loop", {}, static_cast<unsigned>(blocks_of(source, space)), static_cast<unsigned>(source.block), 1};
    for (const SourceWord& word : source.words) {
        const auto value = [&]() -> std::int64_t {
            switch (word.what) {
                case What::Address:
                    return word_of(arrays[word.array]);
                case What::HostNumber:
                    return host_number(space, word.array, arrays[word.array]);
                case What::Count:
                    return space.outer_count();
                case What::RowLength:
                    return space.inner_count();
                case What::OuterSize:
                    return space.outer[word.dim].size;
                case What::OuterStride:
                    return space.outer[word.dim].strides[word.array];
                case What::InnerSize:
                    return space.inner[word.dim].size;
                case What::InnerStride:
                    return space.inner[word.dim].strides[word.array];
                case What::Parts:
                    return word_of(parts[word.array]);
            }
            return 0;
        };
        whole.words.push_back(value());
    }
    std::vector<FusedLaunch> launches{std::move(whole)};
    constexpr std::int64_t kColumns = 32, kLanes = 8;  // as add_parts() has them
    for (const FusedSource::Sum& sum : source.sums) {
        const std::int64_t n = space.inner_count();
        launches.push_back({concat("add_sums", sum.array),
                            {word_of(parts[sum.array]), teams_of(source, space), n, word_of(arrays[sum.array])},
                            static_cast<unsigned>((n + kColumns - 1) / kColumns),
                            kColumns,
                            kLanes});
    }
    return launches;
}

}  // namespace loupe::cuda
