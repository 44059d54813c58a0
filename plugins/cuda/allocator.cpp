// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/allocator.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/current_device.h"
#include "plugins/cuda/events.h"
#include "plugins/cuda/graphs/captures.h"
#include "plugins/cuda/streams.h"

namespace loupe::cuda {
namespace {

// PyTorch's sizes, so that the figures can be compared with its own.
constexpr std::size_t kUnit = 512;
constexpr std::size_t kSmall = std::size_t{1} << 20;  // up to here from small segments
constexpr std::size_t kSmallSegment = std::size_t{2} << 20;
constexpr std::size_t kLarge = std::size_t{10} << 20;  // up to here from shared segments
constexpr std::size_t kLargeSegment = std::size_t{20} << 20;
constexpr std::size_t kSegmentUnit = std::size_t{2} << 20;

std::size_t segment_size(std::size_t bytes) {
    if (bytes <= kSmall) return kSmallSegment;
    if (bytes < kLarge) return kLargeSegment;
    return (bytes + kSegmentUnit - 1) / kSegmentUnit * kSegmentUnit;
}
std::size_t rounded(std::size_t bytes) { return bytes == 0 ? kUnit : (bytes + kUnit - 1) / kUnit * kUnit; }

// In all, and in the pool of small blocks or that of large ones.
void change(PoolFigures& figures, bool is_small, std::int64_t amount) {
    for (MemoryFigure* const each : {&figures[0], &figures[is_small ? 1 : 2]}) {
        if (amount >= 0)
            each->add(amount);
        else
            each->take(-amount);
    }
}
void change(PoolFigures& figures, bool is_small, std::size_t amount, bool is_more) {
    change(figures, is_small, is_more ? static_cast<std::int64_t>(amount) : -static_cast<std::int64_t>(amount));
}

// As PyTorch writes sizes.
std::string size_text(std::int64_t bytes) {
    const auto scaled = [&](double unit, const char* name) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.2f %s", static_cast<double>(bytes) / unit, name);
        return std::string(text.data());
    };
    if (bytes <= 1024) return concat(bytes, " bytes");
    if (bytes <= (1 << 20)) return scaled(1024.0, "KiB");
    if (bytes <= (1 << 30)) return scaled(1048576.0, "MiB");
    return scaled(1073741824.0, "GiB");
}

[[noreturn]] void out_of_memory(std::size_t bytes, Device device, const DeviceMemoryStatistics& figures) {
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    const std::int64_t used = figures.allocated_bytes[0].current;
    throw Error(
        ErrorKind::Run,
        concat("CUDA out of memory. Tried to allocate ", size_text(static_cast<std::int64_t>(bytes)), ". GPU ",
               static_cast<int>(device.index), " has a total capacity of ", size_text(static_cast<std::int64_t>(total)),
               " of which ", size_text(static_cast<std::int64_t>(free)), " is free. Tensors hold ", size_text(used),
               ", and ", size_text(figures.reserved_bytes[0].current - used), " is reserved but unallocated."));
}

}  // namespace

void CachingAllocator::take_out(FreeList& list, const Block* block) {
    for (auto [at, end] = list.equal_range(block->bytes); at != end; ++at) {
        if (at->second == block) {
            list.erase(at);
            return;
        }
    }
}

CachingAllocator::Block* CachingAllocator::take(FreeLists& lists, std::size_t bytes) {
    FreeList& list = lists.of(bytes <= kSmall);
    const auto found = list.lower_bound(bytes);
    if (found == list.end()) return nullptr;
    // A large block is not cut for one that is much smaller: its rest would hardly ever be joined again.
    if (bytes > kSmall && found->first >= bytes + kLargeSegment && found->first > 2 * bytes) return nullptr;
    Block* const block = found->second;
    list.erase(found);
    return block;
}

CachingAllocator::Block* CachingAllocator::new_segment(Pool& pool, std::size_t bytes, Device device,
                                                       const Owner& owner) {
    const RelaxedCapture relaxed;
    void* memory = nullptr;
    const std::size_t size = segment_size(bytes);
    cudaError_t status = cudaMalloc(&memory, size);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        // Freeing waits for the device, which a capture forbids.
        if (!captures_any(device.index)) {
            ++pool.figures.retries;
            trim(pool, device);
            status = cudaMalloc(&memory, size);
        }
    }
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        ++pool.figures.out_of_memory;
        out_of_memory(bytes, device, pool.figures);
    }
    check(status, "allocating memory");
    ++pool.figures.device_allocations;
    auto* const block = new Block{static_cast<char*>(memory), size, owner.second, bytes <= kSmall};
    block->pool = owner.first;
    pool.segments.emplace(block->address, block);
    change(pool.figures.segment, block->is_small, 1);
    change(pool.figures.reserved_bytes, block->is_small, size, true);
    return block;
}

void CachingAllocator::split(Pool& pool, Block* block, std::size_t bytes) {
    const bool was_part = block->is_part();
    const std::size_t rest = block->bytes - bytes;
    DeviceMemoryStatistics& figures = pool.figures;
    if (rest < (block->is_small ? kUnit : kSmall + kUnit)) {
        if (!was_part) return;
        change(figures.inactive_split, block->is_small, -1);
        change(figures.inactive_split_bytes, block->is_small, block->bytes, false);
        return;
    }
    auto* const tail = new Block{block->address + bytes, rest, block->stream, block->is_small};
    tail->pool = block->pool;
    tail->before = block;
    tail->after = block->after;
    if (block->after != nullptr) block->after->before = tail;
    block->after = tail;
    block->bytes = bytes;
    free_lists(pool, *block).of(block->is_small).emplace(rest, tail);
    if (was_part) {
        change(figures.inactive_split_bytes, block->is_small, bytes, false);
    } else {
        change(figures.inactive_split, block->is_small, 1);
        change(figures.inactive_split_bytes, block->is_small, rest, true);
    }
}

void* CachingAllocator::allocate(std::size_t bytes, Device device) {
    const std::size_t size = rounded(bytes);
    const StreamId stream = current_stream(device);
    use(device);
    const std::lock_guard lock(mutex_);
    Pool& pool = pool_of(device);
    const Owner owner{pool_for(native_stream(device, stream)), stream};
    put_what_is_done(pool, device);
    Block* block = take(pool.free[owner], size);
    if (block == nullptr) block = new_segment(pool, size, device, owner);
    block->is_free = false;
    block->requested = bytes;
    split(pool, block, size);
    pool.given.emplace(block->address, block);
    DeviceMemoryStatistics& figures = pool.figures;
    change(figures.allocation, block->is_small, 1);
    change(figures.allocated_bytes, block->is_small, block->bytes, true);
    change(figures.active, block->is_small, 1);
    change(figures.active_bytes, block->is_small, block->bytes, true);
    change(figures.requested_bytes, block->is_small, bytes, true);
    return block->address;
}

void CachingAllocator::absorb(Block* first, const Block* second) {
    first->bytes += second->bytes;
    first->after = second->after;
    if (second->after != nullptr) second->after->before = first;
    delete second;
}

void CachingAllocator::put(Pool& pool, Block* block) {
    DeviceMemoryStatistics& figures = pool.figures;
    const bool is_small = block->is_small;
    FreeList& list = free_lists(pool, *block).of(is_small);
    change(figures.active, is_small, -1);
    change(figures.active_bytes, is_small, block->bytes, false);
    change(figures.requested_bytes, is_small, block->requested, false);
    std::int64_t parts = 0, part_bytes = 0;
    const auto leave = [&](const Block* neighbour) {
        take_out(list, neighbour);
        --parts;
        part_bytes -= static_cast<std::int64_t>(neighbour->bytes);
    };
    if (Block* const next = block->after; next != nullptr && next->is_free) {
        leave(next);
        absorb(block, next);
    }
    if (Block* const previous = block->before; previous != nullptr && previous->is_free) {
        leave(previous);
        absorb(previous, block);
        block = previous;
    }
    block->is_free = true;
    if (block->is_part()) {
        ++parts;
        part_bytes += static_cast<std::int64_t>(block->bytes);
    }
    change(figures.inactive_split, is_small, parts);
    change(figures.inactive_split_bytes, is_small, part_bytes);
    list.emplace(block->bytes, block);
}

void CachingAllocator::release(void* address, std::size_t, Device device) noexcept {
    const std::lock_guard lock(mutex_);
    Pool& pool = pools_[static_cast<std::size_t>(device.index)];
    const auto found = pool.given.find(address);
    if (found == pool.given.end()) return;
    Block* const block = found->second;
    pool.given.erase(found);
    change(pool.figures.allocation, block->is_small, -1);
    change(pool.figures.allocated_bytes, block->is_small, block->bytes, false);
    Waiting waiting{block, {}, std::move(block->uses)};
    block->uses.clear();
    mark(waiting, device);
    if (waiting.events.empty() && waiting.unmarked.empty())
        put(pool, block);
    else
        pool.waiting.push_back(std::move(waiting));
}

void CachingAllocator::mark(Waiting& waiting, Device device) {
    if (waiting.unmarked.empty() || captures_any(device.index)) return;
    try {
        for (const StreamId stream : waiting.unmarked) waiting.events.push_back(mark_stream(device, stream));
    } catch (const Error&) {  // of a device that is lost: its streams do nothing any more
        waiting.events.clear();
    }
    waiting.unmarked.clear();
}

void CachingAllocator::put_what_is_done(Pool& pool, Device device) {
    if (pool.waiting.empty() || captures_any(device.index)) return;
    std::erase_if(pool.waiting, [&](Waiting& waiting) {
        mark(waiting, device);
        if (!std::ranges::all_of(waiting.events, [](const auto& event) { return event->is_reached(); })) return false;
        put(pool, waiting.block);
        return true;
    });
}
void CachingAllocator::put_all(Pool& pool, Device device) {
    if (!pool.waiting.empty()) ++pool.figures.waits_for_streams;
    for (Waiting& waiting : pool.waiting) {
        mark(waiting, device);
        for (const auto& event : waiting.events) event->wait();
        put(pool, waiting.block);
    }
    pool.waiting.clear();
}

void CachingAllocator::trim(Pool& pool, Device device) {
    use(device);
    if (captures_any(device.index))
        check(cudaDeviceSynchronize(), "freeing cached memory");  // which says that it is forbidden
    put_all(pool, device);
    check(cudaDeviceSynchronize(), "freeing cached memory");
    for (auto& [owner, lists] : pool.free) {
        if (pool.held.contains(owner.first)) continue;
        for (FreeList* const list : {&lists.small, &lists.large}) {
            std::erase_if(*list, [&](const auto& entry) {
                const Block* const block = entry.second;
                if (block->is_part()) return false;
                cudaFree(block->address);
                ++pool.figures.device_frees;
                pool.segments.erase(block->address);
                change(pool.figures.segment, block->is_small, -1);
                change(pool.figures.reserved_bytes, block->is_small, block->bytes, false);
                delete block;
                return true;
            });
        }
    }
}

void CachingAllocator::trim() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < pools_.size(); ++i)
        trim(pools_[i], Device{DeviceType::Cuda, static_cast<std::int8_t>(i)});
}

void CachingAllocator::hold_pool(Device device, MemoryPoolId pool) {
    const std::lock_guard lock(mutex_);
    ++pool_of(device).held[pool];
}
void CachingAllocator::release_pool(Device device, MemoryPoolId pool) noexcept {
    const std::lock_guard lock(mutex_);
    std::map<MemoryPoolId, int>& held = pools_[static_cast<std::size_t>(device.index)].held;
    if (const auto found = held.find(pool); found != held.end() && --found->second == 0) held.erase(found);
}

void CachingAllocator::note_use(const void* address, Device device, StreamId stream) {
    const std::lock_guard lock(mutex_);
    Pool& pool = pool_of(device);
    const auto found = pool.given.find(const_cast<void*>(address));
    if (found == pool.given.end() || found->second->stream == stream) return;
    std::vector<StreamId>& uses = found->second->uses;
    if (std::ranges::find(uses, stream) == uses.end()) uses.push_back(stream);
}

DeviceMemoryStatistics CachingAllocator::statistics(Device device) const {
    const std::lock_guard lock(mutex_);
    return pools_.at(static_cast<std::size_t>(device.index)).figures;
}

DeviceMemoryUse CachingAllocator::memory_use(Device device) const {
    const DeviceMemoryStatistics figures = statistics(device);
    const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    return {bytes(figures.allocated_bytes[0].current), bytes(figures.reserved_bytes[0].current),
            bytes(figures.allocated_bytes[0].peak), bytes(figures.reserved_bytes[0].peak)};
}

std::vector<DeviceSegment> CachingAllocator::segments(Device device) const {
    const std::lock_guard lock(mutex_);
    std::vector<DeviceSegment> all;
    for (const auto& [address, first] : pools_.at(static_cast<std::size_t>(device.index)).segments) {
        DeviceSegment segment{
            reinterpret_cast<std::uintptr_t>(address), 0, first->stream, first->is_small, {}, first->pool};
        for (const Block* block = first; block != nullptr; block = block->after) {
            segment.bytes += block->bytes;
            segment.blocks.push_back({block->bytes, block->is_free});
        }
        all.push_back(std::move(segment));
    }
    return all;
}

void CachingAllocator::reset_peak(Device device) {
    const std::lock_guard lock(mutex_);
    DeviceMemoryStatistics& figures = pool_of(device).figures;
    for (PoolFigures* const each :
         {&figures.allocation, &figures.segment, &figures.active, &figures.inactive_split, &figures.allocated_bytes,
          &figures.reserved_bytes, &figures.active_bytes, &figures.inactive_split_bytes, &figures.requested_bytes}) {
        for (MemoryFigure& figure : *each) figure.peak = figure.current;
    }
}

}  // namespace loupe::cuda
