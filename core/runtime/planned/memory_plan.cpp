// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/planned/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace loupe::runtime {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t rounded_up(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// A piece of memory that buffers use in turn.
struct Region {
    std::size_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t offset = 0;
};

bool meet(const Region& a, const Region& b) { return a.first <= b.last && b.first <= a.last; }

// Regions, and the region of each buffer.
struct Regions {
    std::vector<Region> all;
    std::vector<std::size_t> of_buffer;
};

Regions regions_of(std::span<const BufferLife> lives) {
    Regions regions;
    for (std::size_t i = 0; i < lives.size(); ++i) {
        const BufferLife& life = lives[i];
        if (life.last < life.first) throw Error(ErrorKind::Internal, "a buffer's life ends before it begins");
        if (life.takes_over == BufferLife::kNone) {
            regions.of_buffer.push_back(regions.all.size());
            regions.all.push_back({rounded_up(life.bytes), life.first, life.last, 0});
            continue;
        }
        const bool fits = life.takes_over < i && lives[life.takes_over].last == life.first &&
                          lives[life.takes_over].bytes >= life.bytes;
        if (!fits) throw Error(ErrorKind::Internal, "a buffer takes over memory that it does not fit into");
        const std::size_t region = regions.of_buffer[life.takes_over];
        regions.of_buffer.push_back(region);
        regions.all[region].last = std::max(regions.all[region].last, life.last);
    }
    return regions;
}

enum class Gap { Smallest, Lowest };

// A gap between regions that are needed at the same time; above them when none is large enough.
std::size_t find_offset(const Region& region, const std::vector<Region>& placed, Gap wanted) {
    std::size_t best = 0;
    std::size_t best_gap = static_cast<std::size_t>(-1);
    std::size_t end = 0;
    for (const Region& other : placed) {  // by offset
        if (!meet(region, other)) continue;
        if (other.offset > end && other.offset - end >= region.bytes && other.offset - end < best_gap) {
            best = end;
            best_gap = other.offset - end;
            if (wanted == Gap::Lowest) return best;
        }
        end = std::max(end, other.offset + other.bytes);
    }
    return best_gap == static_cast<std::size_t>(-1) ? end : best;
}

// Assigns offsets in the given order; returns the total size.
std::size_t place(std::vector<Region>& regions, const std::vector<std::size_t>& order, Gap wanted) {
    std::vector<Region> placed;
    std::size_t size = 0;
    for (const std::size_t i : order) {
        regions[i].offset = find_offset(regions[i], placed, wanted);
        size = std::max(size, regions[i].offset + regions[i].bytes);
        const auto at = std::upper_bound(placed.begin(), placed.end(), regions[i],
                                         [](const Region& a, const Region& b) { return a.offset < b.offset; });
        placed.insert(at, regions[i]);
    }
    return size;
}

std::vector<std::size_t> live_bytes_of(const std::vector<Region>& regions) {
    std::size_t steps = 0;
    for (const Region& region : regions) steps = std::max(steps, region.last + 1);
    std::vector<std::size_t> begins(steps + 1, 0);
    std::vector<std::size_t> ends(steps + 1, 0);
    for (const Region& region : regions) {
        begins[region.first] += region.bytes;
        ends[region.last + 1] += region.bytes;
    }
    std::vector<std::size_t> live(steps, 0);
    std::size_t now = 0;
    for (std::size_t step = 0; step < steps; ++step) live[step] = now += begins[step] - ends[step];
    return live;
}

// Orders of assigning offsets: the largest region first; the earliest; the greatest product of size and lifetime;
// regions of the steps with most live memory.
std::vector<std::vector<std::size_t>> orders_of(const std::vector<Region>& regions,
                                                const std::vector<std::size_t>& live_bytes) {
    std::vector<std::size_t> plain(regions.size());
    std::iota(plain.begin(), plain.end(), std::size_t{0});
    const auto sorted_by = [&](auto&& key) {
        std::vector<std::size_t> order = plain;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return key(regions[a]) > key(regions[b]); });
        return order;
    };
    const auto widest = [&](const Region& region) {
        return std::pair(*std::max_element(live_bytes.begin() + static_cast<std::ptrdiff_t>(region.first),
                                           live_bytes.begin() + static_cast<std::ptrdiff_t>(region.last) + 1),
                         region.bytes);
    };
    return {sorted_by([](const Region& region) { return region.bytes; }),
            sorted_by([&](const Region& region) { return live_bytes.size() - region.first; }),
            sorted_by([](const Region& region) { return region.bytes * (region.last - region.first + 1); }),
            sorted_by(widest)};
}

}  // namespace

MemoryPlan plan_memory(std::span<const BufferLife> lives) {
    Regions regions = regions_of(lives);
    MemoryPlan plan;
    plan.live_bytes = live_bytes_of(regions.all);
    for (const std::size_t bytes : plan.live_bytes) plan.peak_bytes = std::max(plan.peak_bytes, bytes);
    plan.arena_bytes = static_cast<std::size_t>(-1);
    const std::vector<Region> unplaced = regions.all;
    for (const std::vector<std::size_t>& order : orders_of(unplaced, plan.live_bytes)) {
        for (const Gap wanted : {Gap::Smallest, Gap::Lowest}) {
            std::vector<Region> tried = unplaced;
            const std::size_t bytes = place(tried, order, wanted);
            if (bytes >= plan.arena_bytes) continue;
            plan.arena_bytes = bytes;
            regions.all = std::move(tried);
            if (bytes <= plan.peak_bytes) break;
        }
        if (plan.arena_bytes <= plan.peak_bytes) break;  // there is none better
    }
    for (std::size_t i = 0; i < lives.size(); ++i) {
        plan.offsets.push_back(regions.all[regions.of_buffer[i]].offset);
        plan.total_bytes += rounded_up(lives[i].bytes);
    }
    return plan;
}

}  // namespace loupe::runtime
