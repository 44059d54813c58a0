// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flame graphs of two traces held against each other: which call stacks take longer in the other one.

#include <cstdint>
#include <string>
#include <vector>

#include "core/study/profile_flame.h"

namespace loupe::session {

// A call stack of either trace. Times in seconds; counts of 0: it is in the other one only.
struct FlamePair {
    std::uint32_t name = 0;      // of the texts
    bool is_call = false;        // else the root, or a track
    std::uint32_t category = 0;  // of the texts
    std::uint32_t parent = FlameNode::kNone;
    std::uint32_t first_child = FlameNode::kNone;  // the widest
    std::uint32_t next = FlameNode::kNone;         // the parent's next child
    std::uint32_t depth = 0;
    std::uint64_t count_here = 0;
    std::uint64_t count_there = 0;
    double total_here = 0;
    double total_there = 0;
    double self_here = 0;  // without its children
    double self_there = 0;

    double change() const { return total_there - total_here; }
    double self_change() const { return self_there - self_here; }
    // The mean of both: children are never wider than their parent, and none of either is left out.
    double width() const { return (total_here + total_there) / 2; }
    // From -1, only here, over 0, equally long, to 1, only there.
    double tendency() const { return width() > 0 ? change() / (2 * width()) : 0; }
};

struct FlameDifference {
    std::vector<FlamePair> nodes;  // the first is the root
    std::vector<std::string> texts;
    std::uint32_t depth = 0;  // rows

    const std::string& name_of(const FlamePair& node) const { return texts[node.name]; }
    // "thread › forward › aten::conv2d", the outermost first; of the last `most` callers.
    std::string path_of(std::uint32_t node, std::size_t most) const;
};

// Calls are one by their callers' names and their own: see matching_name(); numbers of threads do not count,
// and PyTorch's cpu_op is an operator of a recorded run. Threads of the same name are matched in their order.
FlameDifference compare_flames(const ProfileTrace& here, const FlameGraph& of_here, const ProfileTrace& there,
                               const FlameGraph& of_there);

// Calls by how much their own time differs, the most first; at most so many, and none that does not.
std::vector<std::uint32_t> most_changed(const FlameDifference& difference, std::size_t most);

}  // namespace loupe::session
