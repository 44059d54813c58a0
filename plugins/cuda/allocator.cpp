// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/allocator.h"

#include <cuda_runtime_api.h>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/current_device.h"

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

std::string mebibytes(std::size_t bytes) { return concat((bytes + (1 << 20) - 1) >> 20, " MiB"); }

}  // namespace

std::size_t CachingAllocator::rounded(std::size_t bytes) {
    return bytes == 0 ? kUnit : (bytes + kUnit - 1) / kUnit * kUnit;
}

std::multimap<std::size_t, CachingAllocator::Block*>& CachingAllocator::list_of(Pool& pool, std::size_t bytes) {
    return bytes <= kSmall ? pool.free_small : pool.free_large;
}

void CachingAllocator::take_out(std::multimap<std::size_t, Block*>& list, Block* block) {
    for (auto [at, end] = list.equal_range(block->bytes); at != end; ++at) {
        if (at->second == block) {
            list.erase(at);
            return;
        }
    }
}

CachingAllocator::Block* CachingAllocator::take(Pool& pool, std::size_t bytes) {
    auto& list = list_of(pool, bytes);
    const auto found = list.lower_bound(bytes);
    if (found == list.end()) return nullptr;
    // A large block is not cut for one that is much smaller: its rest would hardly ever be joined again.
    if (bytes > kSmall && found->first >= bytes + kLargeSegment && found->first > 2 * bytes) return nullptr;
    Block* const block = found->second;
    list.erase(found);
    return block;
}

CachingAllocator::Block* CachingAllocator::new_segment(Pool& pool, std::size_t bytes, Device device) {
    void* memory = nullptr;
    const std::size_t size = segment_size(bytes);
    use(device);
    cudaError_t status = cudaMalloc(&memory, size);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        trim(pool, device);
        status = cudaMalloc(&memory, size);
    }
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        throw Error(ErrorKind::Run,
                    concat("out of memory: CUDA out of memory. Tried to allocate ", mebibytes(bytes), ". GPU ",
                           static_cast<int>(device.index), " has a total capacity of ", mebibytes(total), " of which ",
                           mebibytes(free), " is free. Tensors hold ", mebibytes(pool.figures.used), ", ",
                           mebibytes(pool.figures.reserved - pool.figures.used), " more are kept for reuse."));
    }
    check(status, "allocating memory");
    pool.figures.reserved += size;
    pool.note_peak();
    return new Block{static_cast<char*>(memory), size, true, nullptr, nullptr};
}

void* CachingAllocator::allocate(std::size_t bytes, Device device) {
    const std::size_t size = rounded(bytes);
    const std::lock_guard lock(mutex_);
    Pool& pool = pools_.at(static_cast<std::size_t>(device.index));
    Block* block = take(pool, size);
    if (block == nullptr) block = new_segment(pool, size, device);
    block->is_free = false;
    const std::size_t rest = block->bytes - size;
    if (rest >= (size <= kSmall ? kUnit : kSmall + kUnit)) {
        auto* const tail = new Block{block->address + size, rest, true, block, block->after};
        if (block->after != nullptr) block->after->before = tail;
        block->after = tail;
        block->bytes = size;
        // What is left of a small segment serves small blocks, whatever its size.
        (size <= kSmall ? pool.free_small : pool.free_large).emplace(rest, tail);
    }
    pool.given.emplace(block->address, block);
    pool.figures.used += block->bytes;
    pool.note_peak();
    return block->address;
}

void CachingAllocator::put(Pool& pool, Block* block) {
    const auto absorb = [&](Block* first, Block* second) {
        first->bytes += second->bytes;
        first->after = second->after;
        if (second->after != nullptr) second->after->before = first;
        delete second;
    };
    // Neighbours lie in the list of their segment: the small ones' or the large ones'.
    const auto forget = [&](Block* neighbour) {
        take_out(pool.free_small, neighbour);
        take_out(pool.free_large, neighbour);
    };
    if (Block* const next = block->after; next != nullptr && next->is_free) {
        forget(next);
        absorb(block, next);
    }
    if (Block* const previous = block->before; previous != nullptr && previous->is_free) {
        forget(previous);
        absorb(previous, block);
        block = previous;
    }
    block->is_free = true;
    const Block* first = block;
    while (first->before != nullptr) first = first->before;
    std::size_t segment = 0;
    for (; first != nullptr; first = first->after) segment += first->bytes;
    (segment == kSmallSegment ? pool.free_small : pool.free_large).emplace(block->bytes, block);
}

void CachingAllocator::release(void* address, std::size_t, Device device) noexcept {
    const std::lock_guard lock(mutex_);
    Pool& pool = pools_[static_cast<std::size_t>(device.index)];
    const auto found = pool.given.find(address);
    if (found == pool.given.end()) return;
    Block* const block = found->second;
    pool.given.erase(found);
    pool.figures.used -= block->bytes;
    put(pool, block);
}

void CachingAllocator::trim(Pool& pool, Device device) {
    use(device);
    cudaDeviceSynchronize();
    for (auto* const list : {&pool.free_small, &pool.free_large}) {
        for (auto at = list->begin(); at != list->end();) {
            Block* const block = at->second;
            if (block->before != nullptr || block->after != nullptr) {
                ++at;
                continue;
            }
            cudaFree(block->address);
            pool.figures.reserved -= block->bytes;
            delete block;
            at = list->erase(at);
        }
    }
}

void CachingAllocator::trim() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < pools_.size(); ++i)
        trim(pools_[i], Device{DeviceType::Cuda, static_cast<std::int8_t>(i)});
}

DeviceMemoryUse CachingAllocator::memory_use(Device device) const {
    const std::lock_guard lock(mutex_);
    return pools_.at(static_cast<std::size_t>(device.index)).figures;
}

void CachingAllocator::reset_peak(Device device) {
    const std::lock_guard lock(mutex_);
    DeviceMemoryUse& use = pools_.at(static_cast<std::size_t>(device.index)).figures;
    use.most_used = use.used;
    use.most_reserved = use.reserved;
}

}  // namespace loupe::cuda
