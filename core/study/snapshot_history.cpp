// SPDX-License-Identifier: Apache-2.0
#include "core/study/snapshot_history.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "core/base/cancel.h"
#include "core/base/counted.h"

namespace loupe::session {
namespace {

std::int64_t segment_change(const SnapshotEntry& entry) {
    switch (entry.action) {
        case AllocatorAction::SegmentAlloc:
        case AllocatorAction::SegmentMap:
            return entry.size;
        case AllocatorAction::SegmentFree:
        case AllocatorAction::SegmentUnmap:
            return -entry.size;
        default:
            return 0;
    }
}

class HistoryBuilder {
  public:
    HistoryBuilder(const MemorySnapshot& snapshot, std::size_t device) : snapshot_(snapshot) {
        history_.device = device;
        if (device < snapshot.devices.size()) entries_ = snapshot.devices[device].entries;
    }

    SnapshotHistory build() {
        alive_.reserve(std::min<std::size_t>(entries_.size(), 1 << 20));
        for (std::uint32_t i = 0; i < entries_.size(); ++i) {
            if (i % 65536 == 0) check_cancelled();
            take(entries_[i], i + 1);
        }
        take_left();
        const auto end = static_cast<std::uint32_t>(entries_.size() + 1);
        for (HeldBlock& block : history_.blocks) block.to = block.to == 0 ? end : block.to;
        std::vector<HeldBlock>& blocks = history_.blocks;
        std::stable_sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
        add_up(end);
        add_up_segments(end);
        return std::move(history_);
    }

  private:
    static constexpr std::uint32_t kFreed = 0xffffffff;

    void take(const SnapshotEntry& entry, std::uint32_t step) {
        switch (entry.action) {
            case AllocatorAction::Alloc: {
                const auto [found, is_new] = alive_.try_emplace(entry.address, place());
                if (!is_new && found->second != kFreed) {
                    history_.blocks[found->second].to = step;
                    ++twice_;
                }
                found->second = place();
                history_.blocks.push_back({entry.address, entry.size, entry.stack, step, 0, entry.stream});
                break;
            }
            case AllocatorAction::FreeCompleted: {
                const auto [found, is_new] = alive_.try_emplace(entry.address, kFreed);
                if (is_new)
                    history_.blocks.push_back({entry.address, entry.size, 0, 0, step, entry.stream});
                else if (found->second == kFreed)
                    ++unheld_;
                else
                    history_.blocks[found->second].to = step;
                found->second = kFreed;
                break;
            }
            case AllocatorAction::OutOfMemory:
                history_.out_of_memory.push_back(step);
                break;
            default:
                if (segment_change(entry) != 0) history_.segment_entries.push_back(step - 1);
                break;
        }
    }

    // What is alive in the segments and in no entry was there before the first.
    void take_left() {
        for (const SnapshotSegment& segment : snapshot_.segments) {
            if (static_cast<std::size_t>(segment.device) != history_.device) continue;
            for (const SnapshotBlock& block : segment.blocks) {
                if (block.state == BlockState::Inactive || alive_.contains(block.address)) continue;
                history_.blocks.push_back({block.address, block.size, block.stack, 0, 0, segment.stream});
            }
        }
        if (twice_ > 0)
            history_.notes.push_back(concat(counted(twice_, "allocation"), " where a block was not freed yet"));
        if (unheld_ > 0)
            history_.notes.push_back(concat(counted(unheld_, "free", "frees"), " of what was freed before"));
    }

    void add_up(std::uint32_t end) {
        std::vector<std::int64_t>& active = history_.active;
        active.assign(end, 0);
        for (const HeldBlock& block : history_.blocks) {
            active[block.from] += block.size;
            if (block.to < end) active[block.to] -= block.size;
        }
        for (std::size_t i = 1; i < active.size(); ++i) active[i] += active[i - 1];
        history_.peak = static_cast<std::uint32_t>(std::ranges::max_element(active) - active.begin());
    }

    // Backwards from what there is at the end.
    void add_up_segments(std::uint32_t end) {
        std::int64_t now = 0;
        for (const SnapshotSegment& segment : snapshot_.segments)
            if (static_cast<std::size_t>(segment.device) == history_.device) now += segment.size;
        std::int64_t change = 0;
        for (const std::uint32_t entry : history_.segment_entries) change += segment_change(entries_[entry]);
        std::int64_t before = std::max<std::int64_t>(0, now - change);
        history_.reserved.assign(end, 0);
        std::size_t next = 0;
        for (std::uint32_t step = 0; step < end; ++step) {
            for (; next < history_.segment_entries.size() && history_.segment_entries[next] < step; ++next)
                before = std::max<std::int64_t>(0, before + segment_change(entries_[history_.segment_entries[next]]));
            history_.reserved[step] = before;
        }
    }

    std::uint32_t place() const { return static_cast<std::uint32_t>(history_.blocks.size()); }

    const MemorySnapshot& snapshot_;
    std::span<const SnapshotEntry> entries_;
    SnapshotHistory history_;
    std::unordered_map<std::uint64_t, std::uint32_t> alive_;  // by address: a block, or kFreed
    std::uint64_t twice_ = 0;
    std::uint64_t unheld_ = 0;
};

}  // namespace

SnapshotHistory snapshot_history(const MemorySnapshot& snapshot, std::size_t device) {
    return HistoryBuilder(snapshot, device).build();
}

std::vector<SnapshotHistory> snapshot_histories(const MemorySnapshot& snapshot) {
    std::set<std::size_t> devices;
    for (std::size_t i = 0; i < snapshot.devices.size(); ++i)
        if (!snapshot.devices[i].entries.empty()) devices.insert(i);
    for (const SnapshotSegment& segment : snapshot.segments) devices.insert(static_cast<std::size_t>(segment.device));
    if (devices.empty()) devices.insert(0);
    std::vector<SnapshotHistory> all;
    for (const std::size_t device : devices) all.push_back(snapshot_history(snapshot, device));
    std::ranges::stable_sort(all, std::ranges::greater(), &SnapshotHistory::peak_bytes);
    return all;
}

double seconds_at(const MemorySnapshot& snapshot, const SnapshotHistory& history, std::uint32_t step) {
    if (step == 0 || history.device >= snapshot.devices.size()) return 0;
    const auto& entries = snapshot.devices[history.device].entries;
    const auto first = std::ranges::find_if(entries, [](const SnapshotEntry& entry) { return entry.time != 0; });
    if (first == entries.end() || step > entries.size() || entries[step - 1].time == 0) return 0;
    return static_cast<double>(entries[step - 1].time - first->time) * 1e-6;
}

std::vector<SegmentSpan> segments_at(const MemorySnapshot& snapshot, const SnapshotHistory& history,
                                     std::uint32_t step) {
    std::map<std::uint64_t, std::int64_t> spans;
    for (const SnapshotSegment& segment : snapshot.segments)
        if (static_cast<std::size_t>(segment.device) == history.device) spans[segment.address] = segment.size;
    // Entries are undone from the last.
    for (std::size_t i = history.segment_entries.size(); i > 0 && history.segment_entries[i - 1] >= step; --i) {
        const SnapshotEntry& entry = snapshot.devices[history.device].entries[history.segment_entries[i - 1]];
        if (segment_change(entry) < 0) {
            spans[entry.address] = entry.size;
            continue;
        }
        auto found = spans.upper_bound(entry.address);
        if (found == spans.begin()) continue;
        --found;
        const auto [address, size] = *found;
        const std::uint64_t end = address + static_cast<std::uint64_t>(size);
        const std::uint64_t gone = entry.address + static_cast<std::uint64_t>(entry.size);
        if (end <= entry.address) continue;
        // A part of an expandable segment may be in its middle.
        spans.erase(found);
        if (address < entry.address) spans[address] = static_cast<std::int64_t>(entry.address - address);
        if (gone < end) spans[gone] = static_cast<std::int64_t>(end - gone);
    }
    std::vector<SegmentSpan> out;
    for (const auto& [address, size] : spans) out.push_back({address, size});
    return out;
}

}  // namespace loupe::session
