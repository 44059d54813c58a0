// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the memory account of a recording adds up to: by category over time, by module, and who keeps what for backward.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/recording.h"

namespace loupe::session {

// A block in one category, alive from event `from` to event `to`, both included. An activation is saved for backward
// from the event that keeps it to the last event of the backward that uses it.
struct MemorySpan {
    std::size_t allocation = 0;
    Category category = Category::Other;
    EventId from = 0;  // 0: before the run
    EventId to = 0;    // 0: to the end
    bool contains(EventId event) const { return from <= event && (to == 0 || event <= to); }
};

struct BlockSaver {
    EventId by = 0;         // the event whose node keeps the block
    std::string_view node;  // "ConvolutionBackward0"; empty in older files, and where a program's own function keeps it
    EventId until = 0;      // the last event of its backward; 0: it has not run
};

struct AliveBlock {
    Allocation allocation;           // its category as it is at the event
    std::size_t index = 0;           // in the recording
    std::vector<BlockSaver> savers;  // that keep it at the event, in order
};

// Bytes by category.
using CategoryBytes = std::array<std::int64_t, kCategories>;
// Without kernel caches, as Recording::peak_bytes counts.
std::int64_t total_bytes(const CategoryBytes& bytes);

struct ModuleMemory {
    std::string module;        // path; empty: the whole model
    int parent = -1;           // index; parents stand before their children
    CategoryBytes at_event{};  // alive at the event, made in the module or in modules inside it
    CategoryBytes at_peak{};
    std::size_t blocks = 0;    // at the event
    std::int64_t forward = 0;  // bytes that its forward events left alive, less those that they let go of
    std::int64_t backward = 0;
};

struct DeviceMemory {
    std::string device;         // "cpu", "cuda:0"
    std::int64_t at_event = 0;  // bytes, without kernel caches
    std::int64_t at_peak = 0;   // the most at any event; each device has its own
    // "cuda:0 12.3 MB, at most 40 MB".
    std::string text() const;
};

// The account of a recording as it was at the last update(). The recording must outlive it.
class MemoryBook {
  public:
    explicit MemoryBook(const Recording& recording) : recording_(recording) { update(); }

    // Takes what was recorded since: blocks that were freed before and savings that were read are not read again.
    void update();

    const std::vector<Allocation>& blocks() const { return blocks_; }
    const std::vector<MemorySpan>& spans() const { return spans_; }
    // Alive at the event, the greatest first.
    std::vector<AliveBlock> alive_at(EventId event) const;
    // The first row is the whole model; modules in the order of their first event, or parameter.
    std::vector<ModuleMemory> by_module(EventId event) const;
    // The CPU first; none while all blocks are the CPU's.
    std::vector<DeviceMemory> by_device(EventId event) const;
    // Where the peak is.
    EventId peak_event() const { return peak_event_; }

  private:
    std::string_view module_of(const Allocation& block) const;
    void take_events();
    void take_blocks();
    void take_savings();
    void add_spans(std::size_t index);

    const Recording& recording_;
    std::vector<EventId> backward_;  // by forward event: the last event of its backward
    std::vector<Allocation> blocks_;
    std::vector<std::size_t> unsettled_;  // blocks that were alive when they were read last
    std::size_t savings_read_ = 0;
    std::vector<Saving> waiting_;                  // read before the event or the block that they name
    std::vector<std::vector<BlockSaver>> savers_;  // by block
    std::vector<MemorySpan> spans_;
    EventId peak_event_ = 0;
};

}  // namespace loupe::session
