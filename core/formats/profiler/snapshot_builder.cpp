// SPDX-License-Identifier: Apache-2.0
#include "core/formats/profiler/snapshot_builder.h"

#include <algorithm>
#include <limits>

#include "core/base/counted.h"
#include "core/base/ordered_json.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

// Keys, actions, states, and the name of large segments.
constexpr std::string_view kKnownTexts[] = {"action",
                                            "addr",
                                            "size",
                                            "stream",
                                            "frames",
                                            "time_us",
                                            "device_free",
                                            "filename",
                                            "line",
                                            "name",
                                            "address",
                                            "total_size",
                                            "device",
                                            "segment_type",
                                            "blocks",
                                            "is_expandable",
                                            "state",
                                            "requested_size",
                                            "history",
                                            "real_size",
                                            "segments",
                                            "device_traces",
                                            "alloc",
                                            "free_requested",
                                            "free_completed",
                                            "segment_alloc",
                                            "segment_free",
                                            "segment_map",
                                            "segment_unmap",
                                            "oom",
                                            "snapshot",
                                            "inactive",
                                            "active_allocated",
                                            "active_awaiting_free",
                                            "active_pending_free",
                                            "large"};

// No device has more.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMostSum = std::int64_t{1} << 61;

}  // namespace

SnapshotBuilder::SnapshotBuilder(std::span<const std::byte> bytes) : bytes_(bytes), pickle_(bytes, *this) {
    static_assert(std::size(kKnownTexts) == kLarge + 1);
    for (const std::string_view text : kKnownTexts) texts_.number_of(text);
    snapshot_.stacks.emplace_back();
    stack_table_.assign(1 << 12, 0);
    seed_ = seeded_hash("stacks");
}

MemorySnapshot SnapshotBuilder::read() {
    try {
        take_root(pickle_.run());
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File || entries_.empty()) throw;
        take_part();
        snapshot_.notes.push_back(concat(error.message(), ": what stands before it is shown"));
    }
    note_left_out();
    snapshot_.texts = texts_.take();
    return std::move(snapshot_);
}

SnapshotBuilder::Fields SnapshotBuilder::fields_in(std::span<const PickleWord> pairs) const {
    Fields fields;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (pairs[i].type() != PickleType::Text || pairs[i].payload() >= kKeys) continue;
        const auto key = static_cast<std::uint32_t>(pairs[i].payload());
        fields.values[key] = pairs[i + 1];
        fields.given |= 1U << key;
    }
    return fields;
}

bool SnapshotBuilder::integer(const Fields& fields, Key key, std::int64_t& out) const {
    if (!fields.has(key) || !pickle_.is_integer(fields.values[key])) return false;
    out = pickle_.integer(fields.values[key]);
    return true;
}

std::int64_t SnapshotBuilder::integer_or(const Fields& fields, Key key, std::int64_t otherwise) const {
    std::int64_t out = otherwise;
    return integer(fields, key, out) ? out : otherwise;
}

bool SnapshotBuilder::is_size(std::int64_t bytes) {
    if (bytes < 0 || bytes > kMostBytes || bytes_seen_ > kMostSum - bytes) return false;
    bytes_seen_ += bytes;
    return true;
}

std::uint32_t SnapshotBuilder::stack_of(const Fields& fields) const {
    if (!fields.has(Frames) || fields.values[Frames].type() != PickleType::List) return 0;
    const PickleCell& cell = pickle_.cell(fields.values[Frames]);
    return cell.kind == Stack ? cell.number : 0;
}

// A stream is an address; the default stream is 0.
std::int32_t SnapshotBuilder::stream_of(const Fields& fields) {
    const std::int64_t stream = integer_or(fields, Stream, 0);
    if (stream == 0) return 0;
    return streams_.try_emplace(stream, static_cast<std::int32_t>(streams_.size()) + 1).first->second;
}

std::span<const PickleWord> SnapshotBuilder::list_of(PickleWord word) const {
    if (word.type() != PickleType::List) return {};
    const PickleCell& cell = pickle_.cell(word);
    return cell.kind == List ? std::span<const PickleWord>(lists_[cell.number]) : std::span<const PickleWord>();
}

// --- dicts

void SnapshotBuilder::fill_dict(PickleCell& dict, std::span<const PickleWord> pairs) {
    if (dict.kind != Fresh) return;  // what is of more than one step is nothing that a snapshot shows
    const Fields fields = fields_in(pairs);
    if (fields.has(Action)) return make_entry(dict, fields);
    if (fields.has(FileName) && fields.has(Name)) return make_frame(dict, fields);
    if (fields.has(TotalSize)) return make_segment(dict, fields);
    if (fields.has(State)) return make_block(dict, fields);
    if (fields.has(RealSize)) {
        dict = {HistoryItem, static_cast<std::uint32_t>(history_stacks_.size())};
        history_stacks_.push_back(stack_of(fields));
    } else if (fields.has(Segments) || fields.has(DeviceTraces)) {
        dict = {Root, 0};
        root_ = fields;
    } else {
        dict.kind = Other;
    }
}

void SnapshotBuilder::make_frame(PickleCell& dict, const Fields& fields) {
    const auto text_of = [&](Key key) {
        const PickleWord word = fields.values[key];
        return word.type() == PickleType::Text ? static_cast<std::uint32_t>(word.payload()) : texts_.number_of("??");
    };
    constexpr std::int64_t kMostLines = std::numeric_limits<std::int32_t>::max();
    const std::int64_t line = std::clamp<std::int64_t>(integer_or(fields, Line, 0), 0, kMostLines);
    const SnapshotFrame frame{text_of(FileName), text_of(Name), static_cast<std::int32_t>(line)};
    const auto [found, is_new] = frame_numbers_.try_emplace(std::tuple(frame.file, frame.function, frame.line),
                                                            static_cast<std::uint32_t>(snapshot_.frames.size()));
    if (is_new) snapshot_.frames.push_back(frame);
    dict = {Frame, found->second};
}

void SnapshotBuilder::make_entry(PickleCell& dict, const Fields& fields) {
    dict.kind = Other;
    const PickleWord action = fields.values[Action];
    if (action.type() != PickleType::Text) return leave_out("whose action is no name");
    SnapshotEntry entry;
    const std::uint64_t number = action.payload() - kFirstAction;
    if (action.payload() >= kFirstAction && number < kActions) entry.action = static_cast<AllocatorAction>(number);
    const bool is_mark = entry.action == AllocatorAction::Other || entry.action == AllocatorAction::Snapshot;
    if (!integer(fields, Size, entry.size) && !is_mark) return leave_out("without a size");
    if (!is_size(entry.size)) return leave_out("of a size that no memory has");
    std::int64_t address = 0;
    const bool is_full = entry.action == AllocatorAction::OutOfMemory;
    if (!integer(fields, is_full ? DeviceFree : Addr, address) && !is_full && !is_mark)
        return leave_out("without an address");
    entry.address = static_cast<std::uint64_t>(address);
    entry.time = integer_or(fields, Time, 0);
    entry.stream = stream_of(fields);
    entry.stack = stack_of(fields);
    dict = {Entry, static_cast<std::uint32_t>(entries_.size())};
    entries_.push_back(entry);
}

void SnapshotBuilder::make_block(PickleCell& dict, const Fields& fields) {
    dict.kind = Other;
    SnapshotBlock block;
    if (!integer(fields, Size, block.size) || block.size == 0 || !is_size(block.size))
        return leave_out("(blocks) of a size that no memory has");
    block.address = static_cast<std::uint64_t>(integer_or(fields, Address, 0));
    block.requested = std::clamp<std::int64_t>(integer_or(fields, RequestedSize, 0), 0, kMostBytes);
    block.stack = stack_of(fields);
    // Before 2.1 a block had its stacks in its history.
    if (const auto history = list_of(fields.values[History]); block.stack == 0 && !history.empty()) {
        const PickleWord last = history.front();
        if (last.type() == PickleType::Dict && pickle_.cell(last).kind == HistoryItem)
            block.stack = history_stacks_[pickle_.cell(last).number];
    }
    const PickleWord state = fields.values[State];
    const std::uint64_t number = state.payload() - kFirstState;
    if (state.type() == PickleType::Text && state.payload() >= kFirstState && number < kStates)
        block.state = static_cast<BlockState>(std::min<std::uint64_t>(number, 2));
    dict = {Block, static_cast<std::uint32_t>(blocks_.size())};
    blocks_.push_back(block);
}

void SnapshotBuilder::make_segment(PickleCell& dict, const Fields& fields) {
    dict.kind = Other;
    SnapshotSegment segment;
    if (!integer(fields, TotalSize, segment.size) || segment.size == 0 || !is_size(segment.size))
        return leave_out("(segments) of a size that no memory has");
    segment.address = static_cast<std::uint64_t>(integer_or(fields, Address, 0));
    segment.device = static_cast<std::int32_t>(std::clamp<std::int64_t>(integer_or(fields, Device, 0), 0, 1023));
    segment.stream = stream_of(fields);
    const PickleWord type = fields.values[SegmentType];
    segment.is_large = type.type() == PickleType::Text && type.payload() == kLarge;
    const PickleWord expandable = fields.values[IsExpandable];
    segment.is_expandable = expandable.type() == PickleType::Bool && expandable.payload() != 0;
    std::uint64_t next = segment.address;
    for (const PickleWord word : list_of(fields.values[Blocks])) {
        if (word.type() != PickleType::Dict || pickle_.cell(word).kind != Block) continue;
        SnapshotBlock block = blocks_[pickle_.cell(word).number];
        if (block.address == 0) block.address = next;  // blocks had none before 2.1
        next = block.address + static_cast<std::uint64_t>(block.size);
        segment.blocks.push_back(block);
    }
    dict = {Segment, static_cast<std::uint32_t>(segments_.size())};
    segments_.push_back(std::move(segment));
}

// --- lists

bool SnapshotBuilder::is_stack(std::span<const PickleWord> elements) const {
    return std::ranges::all_of(
        elements, [&](PickleWord word) { return word.type() == PickleType::Dict && pickle_.cell(word).kind == Frame; });
}

void SnapshotBuilder::fill_list(PickleCell& list, std::span<const PickleWord> elements) {
    if (elements.empty()) return;
    if (list.kind != List && is_stack(elements)) {
        frame_scratch_.clear();
        if (list.kind == Stack) {
            const auto before = snapshot_.frames_of(list.number);
            frame_scratch_.assign(before.begin(), before.end());
        }
        for (const PickleWord word : elements) frame_scratch_.push_back(pickle_.cell(word).number);
        list = {Stack, intern_stack(frame_scratch_)};
        return;
    }
    if (list.kind != List) {
        list = {List, static_cast<std::uint32_t>(lists_.size())};
        lists_.emplace_back();
    }
    std::vector<PickleWord>& all = lists_[list.number];
    all.insert(all.end(), elements.begin(), elements.end());
}

std::uint64_t SnapshotBuilder::hash_of(std::span<const std::uint32_t> frames) const {
    std::uint64_t hash = seed_;
    for (const std::uint32_t frame : frames) {
        hash = (hash ^ frame) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29;
    }
    return hash;
}

std::uint32_t SnapshotBuilder::intern_stack(std::span<const std::uint32_t> frames) {
    if (2 * snapshot_.stacks.size() > stack_table_.size()) grow_stack_table();
    const std::size_t mask = stack_table_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash_of(frames)) & mask;
    for (; stack_table_[slot] != 0; slot = (slot + 1) & mask) {
        if (std::ranges::equal(snapshot_.frames_of(stack_table_[slot]), frames)) return stack_table_[slot];
    }
    const auto number = static_cast<std::uint32_t>(snapshot_.stacks.size());
    snapshot_.stacks.push_back({snapshot_.stack_frames.size(), static_cast<std::uint32_t>(frames.size())});
    snapshot_.stack_frames.insert(snapshot_.stack_frames.end(), frames.begin(), frames.end());
    return stack_table_[slot] = number;
}

void SnapshotBuilder::grow_stack_table() {
    stack_table_.assign(stack_table_.size() * 4, 0);
    const std::size_t mask = stack_table_.size() - 1;
    for (std::uint32_t number = 1; number < snapshot_.stacks.size(); ++number) {
        std::size_t slot = static_cast<std::size_t>(hash_of(snapshot_.frames_of(number))) & mask;
        while (stack_table_[slot] != 0) slot = (slot + 1) & mask;
        stack_table_[slot] = number;
    }
}

// --- the root

void SnapshotBuilder::take_root(PickleWord root) {
    if (root.type() == PickleType::List) {
        // Before 2.0 a snapshot was the list of its segments.
        take_segments(list_of(root));
        if (snapshot_.segments.empty()) throw_file_error("a pickle that holds no memory snapshot");
        return;
    }
    if (root.type() != PickleType::Dict || pickle_.cell(root).kind != Root)
        throw_file_error("a pickle that holds no memory snapshot: neither segments nor device_traces");
    take_segments(list_of(root_.values[Segments]));
    take_devices(list_of(root_.values[DeviceTraces]));
}

void SnapshotBuilder::take_devices(std::span<const PickleWord> devices) {
    for (const PickleWord device : devices) {
        if (device.type() == PickleType::List)
            take_device(list_of(device));
        else
            leave_out("(traces of a device) that are no lists");
    }
}

void SnapshotBuilder::take_device(std::span<const PickleWord> entries) {
    DeviceTrace& trace = snapshot_.devices.emplace_back();
    trace.entries.reserve(entries.size());
    for (const PickleWord word : entries) {
        if (word.type() == PickleType::Dict && pickle_.cell(word).kind == Entry)
            trace.entries.push_back(entries_[pickle_.cell(word).number]);
        else if (word.type() != PickleType::Dict || pickle_.cell(word).kind == Fresh)
            leave_out("that are no dicts");
    }
}

void SnapshotBuilder::take_segments(std::span<const PickleWord> segments) {
    for (const PickleWord word : segments) {
        if (word.type() == PickleType::Dict && pickle_.cell(word).kind == Segment)
            snapshot_.segments.push_back(segments_[pickle_.cell(word).number]);
    }
    std::ranges::stable_sort(snapshot_.segments, {}, &SnapshotSegment::address);
}

// Of a pickle that was cut off: whole segments, and the entries of every device up to there. Lists stand on the stack
// in the file's order, what is not yet in its list behind it.
void SnapshotBuilder::take_part() {
    snapshot_.segments = segments_;
    std::ranges::stable_sort(snapshot_.segments, {}, &SnapshotSegment::address);
    const auto is_entry = [&](PickleWord word) {
        return word.type() == PickleType::Dict && pickle_.cell(word).kind == Entry;
    };
    for (const PickleWord word : pickle_.stack()) {
        if (const auto list = list_of(word); !list.empty() && is_entry(list.front()))
            take_device(list);
        else if (!list.empty() && list.front().type() == PickleType::List)
            take_devices(list);
        else if (is_entry(word)) {
            if (snapshot_.devices.empty()) snapshot_.devices.emplace_back();
            snapshot_.devices.back().entries.push_back(entries_[pickle_.cell(word).number]);
        }
    }
}

void SnapshotBuilder::note_left_out() {
    if (left_out_.empty()) return;
    std::uint64_t all = 0;
    std::vector<std::string> parts;
    for (const auto& [why, count] : left_out_) {
        all += count;
        parts.push_back(concat(count, " ", why));
    }
    snapshot_.notes.push_back(concat(counted(all, "entry", "entries"), " left out: ", join(parts, ", ")));
}

}  // namespace loupe
