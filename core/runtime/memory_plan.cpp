// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

namespace loupe::runtime {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t rounded_up(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// A piece of memory that buffers use one after another.
struct Region {
    std::size_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t offset = 0;
};

bool meet(const Region& a, const Region& b) { return a.first <= b.last && b.first <= a.last; }

// Regions, and which one each buffer is in.
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
        const bool fits = life.takes_over < i && lives[life.takes_over].last == life.first && lives[life.takes_over].bytes >= life.bytes;
        if (!fits) throw Error(ErrorKind::Internal, "a buffer takes over memory that it does not fit into");
        const std::size_t region = regions.of_buffer[life.takes_over];
        regions.of_buffer.push_back(region);
        regions.all[region].last = std::max(regions.all[region].last, life.last);
    }
    return regions;
}

// The smallest gap between regions that are needed at the same time; above them when none is large enough.
std::size_t find_offset(const Region& region, const std::vector<Region>& placed) {
    std::size_t best = 0;
    std::size_t best_gap = static_cast<std::size_t>(-1);
    std::size_t end = 0;
    for (const Region& other : placed) {  // by offset
        if (!meet(region, other)) continue;
        if (other.offset > end && other.offset - end >= region.bytes && other.offset - end < best_gap) {
            best = end;
            best_gap = other.offset - end;
        }
        end = std::max(end, other.offset + other.bytes);
    }
    return best_gap == static_cast<std::size_t>(-1) ? end : best;
}

// Sets offsets in the order given; returns the size of the whole.
std::size_t place(std::vector<Region>& regions, const std::vector<std::size_t>& order) {
    std::vector<Region> placed;
    std::size_t size = 0;
    for (const std::size_t i : order) {
        regions[i].offset = find_offset(regions[i], placed);
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

}  // namespace

MemoryPlan plan_memory(std::span<const BufferLife> lives) {
    Regions regions = regions_of(lives);
    std::vector<std::size_t> by_size(regions.all.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::vector<std::size_t> by_time = by_size;
    std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) { return regions.all[a].bytes > regions.all[b].bytes; });
    std::stable_sort(by_time.begin(), by_time.end(), [&](std::size_t a, std::size_t b) { return regions.all[a].first < regions.all[b].first; });

    MemoryPlan plan;
    std::vector<Region> other = regions.all;
    plan.arena_bytes = place(regions.all, by_size);
    if (const std::size_t bytes = place(other, by_time); bytes < plan.arena_bytes) {
        plan.arena_bytes = bytes;
        regions.all = std::move(other);
    }
    for (std::size_t i = 0; i < lives.size(); ++i) {
        plan.offsets.push_back(regions.all[regions.of_buffer[i]].offset);
        plan.total_bytes += rounded_up(lives[i].bytes);
    }
    plan.live_bytes = live_bytes_of(regions.all);
    for (const std::size_t bytes : plan.live_bytes) plan.peak_bytes = std::max(plan.peak_bytes, bytes);
    return plan;
}

}  // namespace loupe::runtime
