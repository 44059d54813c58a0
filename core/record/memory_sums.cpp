// SPDX-License-Identifier: Apache-2.0
#include "core/record/memory_sums.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

bool is_made_by_forward(Category category) {
    return category == Category::Activation || category == Category::SavedForBackward || category == Category::Other;
}

std::string_view parent_path(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

// Rows of modules, made when they are first asked for.
class Rows {
  public:
    Rows() { rows_.emplace_back(); }
    ModuleMemory& of(std::string_view module) { return rows_[static_cast<std::size_t>(index_of(module))]; }
    // Of the module and of all around it.
    template <typename Change>
    void change(std::string_view module, Change&& change) {
        for (int row = index_of(module); row >= 0; row = rows_[static_cast<std::size_t>(row)].parent)
            change(rows_[static_cast<std::size_t>(row)]);
    }
    std::vector<ModuleMemory> take() { return std::move(rows_); }

  private:
    int index_of(std::string_view module) {
        if (module.empty()) return 0;
        if (const auto known = known_.find(std::string(module)); known != known_.end()) return known->second;
        const int parent = index_of(parent_path(module));
        const int index = static_cast<int>(rows_.size());
        rows_.emplace_back();
        rows_.back().module = std::string(module);
        rows_.back().parent = parent;
        known_.emplace(std::string(module), index);
        return index;
    }

    std::vector<ModuleMemory> rows_;
    std::unordered_map<std::string, int> known_;
};

}  // namespace

std::int64_t total_bytes(const CategoryBytes& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}) -
           bytes[static_cast<std::size_t>(Category::KernelCache)];
}

void MemoryBook::update() {
    peak_event_ = recording_.peak_event();
    take_events();
    take_blocks();
    take_savings();
    spans_.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i) add_spans(i);
}

void MemoryBook::take_events() {
    const auto first = static_cast<EventId>(std::max<std::size_t>(backward_.size(), 1));
    const auto last = static_cast<EventId>(recording_.event_count());
    backward_.resize(std::size_t{last} + 1, 0);
    for (EventId id = first; id <= last; ++id) {
        const Event& event = recording_.event(id);
        if (event.phase == RunPhase::Backward && event.peer < backward_.size()) backward_[event.peer] = id;
    }
}

void MemoryBook::take_blocks() {
    // Once more when it is freed: it may have been saved between the two reads.
    std::erase_if(unsettled_, [this](std::size_t i) {
        const bool was_freed = blocks_[i].freed != 0;
        blocks_[i] = recording_.allocation(i);
        return was_freed;
    });
    const std::size_t count = recording_.allocation_count();
    for (std::size_t i = blocks_.size(); i < count; ++i) {
        blocks_.push_back(recording_.allocation(i));
        unsettled_.push_back(i);
    }
    savers_.resize(count);
}

void MemoryBook::take_savings() {
    const std::vector<Saving> more = recording_.savings(savings_read_);
    savings_read_ += more.size();
    waiting_.insert(waiting_.end(), more.begin(), more.end());
    std::erase_if(waiting_, [this](const Saving& saving) {
        if (saving.allocation >= blocks_.size() || saving.by >= backward_.size()) return false;
        auto& savers = savers_[saving.allocation];
        const bool is_known = !savers.empty() && savers.back().by == saving.by && savers.back().node == saving.node;
        if (!is_known) savers.push_back({saving.by, saving.node, 0});
        return true;
    });
}

// The block in one category, or in those that it has before, while and after it is saved.
void MemoryBook::add_spans(std::size_t index) {
    const Allocation& block = blocks_[index];
    auto& savers = savers_[index];
    for (BlockSaver& saver : savers) saver.until = backward_[saver.by];
    if (savers.empty() || !is_made_by_forward(block.category)) {
        spans_.push_back({index, block.category, block.allocated, block.freed});
        return;
    }
    const Category before = block.category == Category::SavedForBackward ? Category::Activation : block.category;
    const EventId from = std::max(block.allocated, savers.front().by);
    EventId until = 0;
    bool is_released = true;
    for (const BlockSaver& saver : savers) {
        is_released = is_released && saver.until != 0;
        until = std::max(until, saver.until);
    }
    if (!is_released || (block.freed != 0 && until > block.freed)) until = block.freed;
    if (from > block.allocated) spans_.push_back({index, before, block.allocated, from - 1});
    spans_.push_back({index, Category::SavedForBackward, from, until});
    if (until != block.freed) spans_.push_back({index, before, until + 1, block.freed});
}

std::vector<AliveBlock> MemoryBook::alive_at(EventId event) const {
    std::vector<AliveBlock> alive;
    for (const MemorySpan& span : spans_) {
        if (!span.contains(event) || blocks_[span.allocation].bytes == 0) continue;
        AliveBlock block{blocks_[span.allocation], span.allocation, {}};
        block.allocation.category = span.category;
        for (const BlockSaver& saver : savers_[span.allocation]) {
            if (saver.by <= event && (saver.until == 0 || event <= saver.until)) block.savers.push_back(saver);
        }
        alive.push_back(std::move(block));
    }
    std::stable_sort(alive.begin(), alive.end(),
                     [](const AliveBlock& a, const AliveBlock& b) { return a.allocation.bytes > b.allocation.bytes; });
    return alive;
}

// Blocks that were there before the run are of the module that their name says.
std::string_view MemoryBook::module_of(const Allocation& block) const {
    if (block.allocated != 0) return block.scope;
    std::string_view owner = block.owner;
    if (block.category == Category::KernelCache) {
        const auto of = owner.rfind(" of ");
        owner = of == std::string_view::npos ? std::string_view() : owner.substr(of + 4);
    } else if (block.category != Category::Parameter && block.category != Category::Buffer) {
        return {};
    }
    return parent_path(owner);
}

std::vector<ModuleMemory> MemoryBook::by_module(EventId event) const {
    Rows rows;
    for (EventId id = 1; id <= recording_.event_count(); ++id) {
        const Event& each = recording_.event(id);
        const std::int64_t delta = each.memory_after - each.memory_before;
        rows.change(each.scope, [&](ModuleMemory& row) {
            if (each.phase == RunPhase::Forward)
                row.forward += delta;
            else if (each.phase == RunPhase::Backward)
                row.backward += delta;
        });
    }
    for (const MemorySpan& span : spans_) {
        const Allocation& block = blocks_[span.allocation];
        const bool is_now = span.contains(event);
        const bool is_at_peak = span.contains(peak_event_);
        if (block.bytes == 0 || (!is_now && !is_at_peak)) continue;
        rows.change(module_of(block), [&](ModuleMemory& row) {
            const auto category = static_cast<std::size_t>(span.category);
            if (is_now) {
                row.at_event[category] += block.bytes;
                ++row.blocks;
            }
            if (is_at_peak) row.at_peak[category] += block.bytes;
        });
    }
    return rows.take();
}

std::string DeviceMemory::text() const {
    return concat(device, " ", format_bytes(static_cast<double>(at_event)), ", at most ",
                  format_bytes(static_cast<double>(at_peak)));
}

std::vector<DeviceMemory> MemoryBook::by_device(EventId event) const {
    if (std::ranges::all_of(blocks_, [](const Allocation& block) { return block.device.empty(); })) return {};
    // By device: what each event changes.
    const std::size_t end = recording_.event_count() + 2;
    std::map<std::string_view, std::vector<std::int64_t>> changes{{std::string_view(), std::vector<std::int64_t>(end)}};
    for (const Allocation& block : blocks_) {
        if (block.category == Category::KernelCache) continue;
        auto& change = changes.try_emplace(block.device, end).first->second;
        if (block.allocated >= end) continue;
        change[block.allocated] += block.bytes;
        if (block.freed != 0 && block.freed + std::size_t{1} < end) change[block.freed + std::size_t{1}] -= block.bytes;
    }
    std::vector<DeviceMemory> out;
    for (const auto& [device, change] : changes) {
        DeviceMemory& row = out.emplace_back();
        row.device = device.empty() ? "cpu" : std::string(device);
        std::int64_t now = 0;
        for (std::size_t at = 0; at < end; ++at) {
            now += change[at];
            row.at_peak = std::max(row.at_peak, now);
            if (at == event) row.at_event = now;
        }
    }
    return out;
}

}  // namespace loupe::session
