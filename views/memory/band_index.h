// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The blocks of a snapshot, found by time and size: of millions, those that are alive at a step and can be seen.

#include <cstdint>
#include <vector>

#include "core/study/snapshot_history.h"

namespace loupe::views {

class BandIndex {
  public:
    BandIndex() = default;
    // Of the history's blocks, which must outlive it.
    explicit BandIndex(const session::SnapshotHistory& history);

    // Blocks that begin in the steps after .. until, are alive at `until`, and have at least that many bytes; after is
    // -1 for all. Appended in the order in which they were allocated.
    void collect(std::int64_t after, std::uint32_t until, std::int64_t least, std::vector<std::uint32_t>& out) const;
    // The step with most active bytes among first <= step < last.
    std::uint32_t peakBetween(std::uint32_t first, std::uint32_t last) const;

  private:
    static constexpr std::size_t kFan = 16;

    // Blocks of a power of two, by begin, and a tree over them with the last end of each node.
    struct SizeClass {
        std::vector<std::uint32_t> blocks;
        std::vector<std::vector<std::uint32_t>> ends;  // by level
    };
    void descend(const SizeClass& sizes, std::size_t level, std::size_t node, std::size_t first, std::size_t last,
                 std::uint32_t until, std::int64_t least, std::vector<std::uint32_t>& out) const;

    const session::SnapshotHistory* history_ = nullptr;
    std::vector<SizeClass> classes_;                 // by the number of bits
    std::vector<std::vector<std::uint32_t>> peaks_;  // by level: the step with most bytes of each node
};

}  // namespace loupe::views
