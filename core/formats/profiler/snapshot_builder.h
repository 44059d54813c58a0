// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes a memory snapshot of the containers of its pickle, as they are filled: a dict with an action becomes an entry,
// a list of frames a stack, equal ones once.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/formats/pickle/compact_pickle.h"
#include "core/formats/profiler/memory_snapshot.h"
#include "core/formats/profiler/text_pool.h"

namespace loupe {

class SnapshotBuilder {
  public:
    explicit SnapshotBuilder(std::span<const std::byte> bytes);

    // Throws Error (File, Cancelled). A pickle that is cut off gives what is before, and a note.
    MemorySnapshot read();

    // For the machine.
    std::uint32_t text(std::string_view text) { return texts_.number_of(text); }
    void fill_dict(PickleCell& dict, std::span<const PickleWord> pairs);
    void fill_list(PickleCell& list, std::span<const PickleWord> elements);
    void fill_tuple(PickleCell&, std::span<const PickleWord>) {}

  private:
    // In the order of kKeys.
    enum Key : std::uint32_t {
        Action,
        Addr,
        Size,
        Stream,
        Frames,
        Time,
        DeviceFree,  // of entries
        FileName,
        Line,
        Name,  // of frames
        Address,
        TotalSize,
        Device,
        SegmentType,
        Blocks,
        IsExpandable,  // of segments
        State,
        RequestedSize,
        History,
        RealSize,  // of blocks
        Segments,
        DeviceTraces,  // of the root
        kKeys
    };
    static constexpr std::uint32_t kFirstAction = kKeys;  // texts behind the keys: actions, then states
    static constexpr std::uint32_t kActions = 9;
    static constexpr std::uint32_t kFirstState = kFirstAction + kActions;
    static constexpr std::uint32_t kStates = 4;
    static constexpr std::uint32_t kLarge = kFirstState + kStates;

    enum Kind : std::uint32_t { Fresh, Frame, Stack, Entry, Block, Segment, HistoryItem, List, Root, Other };

    using Given = std::array<PickleWord, kKeys>;
    struct Fields {
        Given values{};
        std::uint32_t given = 0;  // a bit a key
        bool has(Key key) const { return (given >> key & 1) != 0; }
    };

    Fields fields_in(std::span<const PickleWord> pairs) const;
    bool integer(const Fields& fields, Key key, std::int64_t& out) const;
    std::int64_t integer_or(const Fields& fields, Key key, std::int64_t otherwise) const;
    std::uint32_t stack_of(const Fields& fields) const;
    std::int32_t stream_of(const Fields& fields);
    std::span<const PickleWord> list_of(PickleWord word) const;
    // Sums of all sizes fit into 64 bits.
    bool is_size(std::int64_t bytes);
    void leave_out(std::string_view why) { ++left_out_[why]; }

    void make_frame(PickleCell& dict, const Fields& fields);
    void make_entry(PickleCell& dict, const Fields& fields);
    void make_block(PickleCell& dict, const Fields& fields);
    void make_segment(PickleCell& dict, const Fields& fields);
    bool is_stack(std::span<const PickleWord> elements) const;
    std::uint32_t intern_stack(std::span<const std::uint32_t> frames);
    void grow_stack_table();
    std::uint64_t hash_of(std::span<const std::uint32_t> frames) const;

    void take_root(PickleWord root);
    void take_devices(std::span<const PickleWord> devices);
    void take_device(std::span<const PickleWord> entries);
    void take_segments(std::span<const PickleWord> segments);
    void take_part();
    void note_left_out();

    std::span<const std::byte> bytes_;
    CompactPickle<SnapshotBuilder> pickle_;
    MemorySnapshot snapshot_;
    TextPool texts_;
    std::vector<SnapshotEntry> entries_;
    std::vector<SnapshotBlock> blocks_;
    std::vector<SnapshotSegment> segments_;
    std::vector<std::vector<PickleWord>> lists_;
    std::vector<std::uint32_t> history_stacks_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::uint32_t> frame_numbers_;
    Fields root_;
    std::vector<std::uint32_t> stack_table_;  // open addressing: numbers of stacks, 0 is free
    std::vector<std::uint32_t> frame_scratch_;
    std::uint64_t seed_ = 0;
    std::int64_t bytes_seen_ = 0;
    std::unordered_map<std::int64_t, std::int32_t> streams_;
    std::map<std::string_view, std::uint64_t> left_out_;
};

}  // namespace loupe
