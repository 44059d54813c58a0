// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a memory snapshot says about one device: which block lived from when to when, bytes over time, the peak and who
// held it, and what two snapshots differ in. A step is a state: step n is the one behind the first n entries.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/formats/profiler/memory_snapshot.h"

namespace loupe::session {

// A block of memory from its allocation until it could be used again. Alive at the steps from <= step < to.
struct HeldBlock {
    std::uint64_t address = 0;
    std::int64_t size = 0;  // bytes
    std::uint32_t stack = 0;
    std::uint32_t from = 0;  // 0: it was there before the first entry
    std::uint32_t to = 0;    // steps(): it was never freed
    std::int32_t stream = 0;
};
auto fields(Like<HeldBlock> auto& it) { return std::tie(it.address, it.size, it.stack, it.from, it.to, it.stream); }

struct SnapshotHistory {
    std::uint64_t device = 0;
    std::vector<HeldBlock> blocks;               // by from
    std::vector<std::int64_t> active;            // bytes of blocks alive, by step
    std::vector<std::int64_t> reserved;          // bytes of segments, by step
    std::uint32_t peak = 0;                      // the step with the most active bytes; the first of several
    std::vector<std::uint32_t> out_of_memory;    // the steps behind these entries
    std::vector<std::uint32_t> segment_entries;  // entries that change segments
    std::vector<std::string> notes;              // what does not fit together, a sentence each

    std::uint32_t steps() const { return static_cast<std::uint32_t>(active.size()); }
    std::int64_t peak_bytes() const { return active.empty() ? 0 : active[peak]; }
};
auto fields(Like<SnapshotHistory> auto& it) {
    return std::tie(it.device, it.blocks, it.active, it.reserved, it.peak, it.out_of_memory, it.segment_entries,
                    it.notes);
}
// Of a device without entries: one step, of the blocks that are there. Throws Error (Cancelled).
SnapshotHistory snapshot_history(const MemorySnapshot& snapshot, std::size_t device);
// Of each device that has entries or segments, the one with the highest peak first; never empty.
std::vector<SnapshotHistory> snapshot_histories(const MemorySnapshot& snapshot);

// Of a step, in seconds since the first entry that has a time; 0 where none has.
double seconds_at(const MemorySnapshot& snapshot, const SnapshotHistory& history, std::uint32_t step);

enum class HolderKind : std::uint8_t { OwnCode, Stack, Size };
// Blocks that were allocated at one place, or have one size.
struct MemoryHolder {
    std::string where;  // "model.py:12 forward", "2.0 MiB"
    std::int64_t bytes = 0;
    std::uint64_t blocks = 0;
    std::uint32_t stack = 0;  // of the largest of them
    std::int64_t largest = 0;
};
// Of the blocks alive at the step, those with most bytes first.
std::vector<MemoryHolder> holders_at(const MemorySnapshot& snapshot, const SnapshotHistory& history, std::uint32_t step,
                                     HolderKind kind);

// Memory from the device at a step, by address.
struct SegmentSpan {
    std::uint64_t address = 0;
    std::int64_t size = 0;
};
std::vector<SegmentSpan> segments_at(const MemorySnapshot& snapshot, const SnapshotHistory& history,
                                     std::uint32_t step);

// A place in two snapshots, each at its peak.
struct HolderDifference {
    std::string where;
    std::int64_t bytes_here = 0;
    std::int64_t bytes_there = 0;
    std::uint64_t blocks_here = 0;
    std::uint64_t blocks_there = 0;
    std::uint32_t stack_here = 0;
    std::uint32_t stack_there = 0;

    std::int64_t change() const { return bytes_there - bytes_here; }
    // "added", "removed", "bigger", "smaller", "same".
    std::string_view word() const;
};
// Sorted by how much they differ.
std::vector<HolderDifference> compare_holders(const std::vector<MemoryHolder>& here,
                                              const std::vector<MemoryHolder>& there);

}  // namespace loupe::session
