// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flame graph of a trace: its call stacks, equal ones merged.

#include <cstdint>
#include <vector>

#include "core/base/fields.h"
#include "core/formats/profiler/profile_trace.h"

namespace loupe::session {

// All calls of one name below the same callers. Times in seconds.
struct FlameNode {
    static constexpr std::uint32_t kNone = 0xffffffff;

    std::uint32_t name = kNone;      // of the trace's texts; of the root and of tracks kNone
    std::uint32_t category = kNone;  // likewise
    std::uint32_t track = kNone;     // of a node that stands for a track
    std::uint32_t parent = kNone;
    std::uint32_t first_child = kNone;  // the one that takes longest
    std::uint32_t next = kNone;         // the parent's next child
    std::uint32_t depth = 0;
    std::uint64_t count = 0;
    double total = 0;
    double self = 0;  // without its children
};
auto fields(Like<FlameNode> auto& it) {
    return std::tie(it.name, it.category, it.track, it.parent, it.first_child, it.next, it.depth, it.count, it.total,
                    it.self);
}

struct FlameGraph {
    std::vector<FlameNode> nodes;  // the first is the root: all tracks
    std::uint32_t depth = 0;       // rows
};
auto fields(Like<FlameGraph> auto& it) { return std::tie(it.nodes, it.depth); }
// Tracks of the host stand below the root, one node each; of a trace with one track its zones.
FlameGraph flame_graph(const ProfileTrace& trace);

}  // namespace loupe::session
