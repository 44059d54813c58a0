// SPDX-License-Identifier: Apache-2.0
#pragma once
// What PyTorch's allocator of device memory did and holds: torch.cuda.memory._snapshot().

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"

namespace loupe {

struct SnapshotFrame {
    std::uint32_t file = 0;  // of MemorySnapshot::texts
    std::uint32_t function = 0;
    std::int32_t line = 0;
};
auto fields(Like<SnapshotFrame> auto& it) { return std::tie(it.file, it.function, it.line); }

// Where something was done: the innermost call first. Stack 0 is none.
struct SnapshotStack {
    std::uint64_t first = 0;  // in MemorySnapshot::stack_frames
    std::uint32_t count = 0;
};
auto fields(Like<SnapshotStack> auto& it) { return std::tie(it.first, it.count); }

enum class AllocatorAction : std::uint8_t {
    Alloc,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,    // of expandable segments
    SegmentUnmap,  // likewise
    OutOfMemory,
    Snapshot,
    Other,  // a mark, which moves no memory
};
constexpr AllocatorAction last_of(AllocatorAction) { return AllocatorAction::Other; }
// As PyTorch writes it: "free_requested".
std::string_view action_name(AllocatorAction action);

struct SnapshotEntry {
    std::uint64_t address = 0;  // of OutOfMemory: the bytes that the device had free
    std::int64_t size = 0;      // bytes
    std::int64_t time = 0;      // microseconds since 1970; 0: not recorded
    std::int32_t stream = 0;    // stands for it: streams are numbered as they come
    std::uint32_t stack = 0;    // of MemorySnapshot::stacks
    AllocatorAction action = AllocatorAction::Other;
};
auto fields(Like<SnapshotEntry> auto& it) {
    return std::tie(it.address, it.size, it.time, it.stream, it.stack, it.action);
}

enum class BlockState : std::uint8_t { Inactive, Allocated, AwaitingFree };
constexpr BlockState last_of(BlockState) { return BlockState::AwaitingFree; }

// A part of a segment, as the snapshot left it.
struct SnapshotBlock {
    std::uint64_t address = 0;
    std::int64_t size = 0;       // bytes
    std::int64_t requested = 0;  // before rounding up; 0: not recorded
    std::uint32_t stack = 0;
    BlockState state = BlockState::Inactive;
};
auto fields(Like<SnapshotBlock> auto& it) { return std::tie(it.address, it.size, it.requested, it.stack, it.state); }

// Memory that the allocator has from the device.
struct SnapshotSegment {
    std::uint64_t address = 0;
    std::int64_t size = 0;
    std::int32_t device = 0;
    std::int32_t stream = 0;
    bool is_large = false;
    bool is_expandable = false;
    std::vector<SnapshotBlock> blocks;  // by address
};
auto fields(Like<SnapshotSegment> auto& it) {
    return std::tie(it.address, it.size, it.device, it.stream, it.is_large, it.is_expandable, it.blocks);
}

struct DeviceTrace {
    std::vector<SnapshotEntry> entries;  // the oldest first; the allocator forgets those before
};
auto fields(Like<DeviceTrace> auto& it) { return std::tie(it.entries); }

struct MemorySnapshot {
    std::string path;
    std::vector<std::string> texts;
    std::vector<SnapshotFrame> frames;
    std::vector<std::uint32_t> stack_frames;  // of `frames`
    std::vector<SnapshotStack> stacks;
    std::vector<SnapshotSegment> segments;  // by address
    std::vector<DeviceTrace> devices;       // by number of the device
    std::vector<std::string> notes;         // what could not be read, a sentence each

    std::span<const std::uint32_t> frames_of(std::uint32_t stack) const {
        return std::span(stack_frames).subspan(stacks[stack].first, stacks[stack].count);
    }
    std::size_t entry_count() const;
};
auto fields(Like<MemorySnapshot> auto& it) {
    return std::tie(it.path, it.texts, it.frames, it.stack_frames, it.stacks, it.segments, it.devices, it.notes);
}

// "model.py:12 forward"; of a frame without a file its function.
std::string frame_text(const MemorySnapshot& snapshot, std::uint32_t frame);
// The innermost frame of the user's own code: no C++ and no library's. Where there is none, what is best known instead:
// the node of backward ("backward: NllLossBackward0"), Python's innermost frame, the operator ("aten::add"), the
// innermost frame. Of stack 0 "(no stack)".
std::string own_frame_text(const MemorySnapshot& snapshot, std::uint32_t stack);

}  // namespace loupe
