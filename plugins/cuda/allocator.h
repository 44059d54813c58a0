// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of CUDA devices. Freed blocks are kept: asking the driver for memory waits for all work of the device.

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/tensor/allocator.h"
#include "core/tensor/device_interface.h"

namespace loupe::cuda {

// Each stream has blocks of its own. Its work runs in the order in which it is given: a freed block can be given again
// at once, to that stream. One that other streams work with waits until they are done.
class CachingAllocator final : public Allocator {
  public:
    explicit CachingAllocator(int devices) : pools_(static_cast<std::size_t>(devices)) {}

    // For the calling thread's stream of the device.
    void* allocate(std::size_t bytes, Device device) override;
    void release(void* block, std::size_t bytes, Device device) noexcept override;
    void trim() override;

    void note_use(const void* block, Device device, StreamId stream);
    DeviceMemoryUse memory_use(Device device) const;
    DeviceMemoryStatistics statistics(Device device) const;
    std::vector<DeviceSegment> segments(Device device) const;
    void reset_peak(Device device);
    // Memory of a pool that is held is for its captures alone, and not given back to the driver. Counted.
    void hold_pool(Device device, MemoryPoolId pool);
    void release_pool(Device device, MemoryPoolId pool) noexcept;

  private:
    // A part of a segment, or all of it: neighbours that are free are joined.
    struct Block {
        char* address;
        std::size_t bytes;
        StreamId stream;
        bool is_small;  // of a segment for small blocks
        bool is_free = true;
        Block* before = nullptr;
        Block* after = nullptr;
        std::size_t requested = 0;
        std::vector<StreamId> uses = {};  // other streams'
        MemoryPoolId pool = {};

        bool is_part() const { return before != nullptr || after != nullptr; }
    };
    using FreeList = std::multimap<std::size_t, Block*>;
    struct FreeLists {
        FreeList small, large;
        FreeList& of(bool is_small) { return is_small ? small : large; }
    };
    // Released while other streams work with it.
    struct Waiting {
        Block* block;
        std::vector<std::unique_ptr<DeviceEvent>> events;
        std::vector<StreamId> unmarked;  // events are not recorded while streams capture
    };
    using Owner = std::pair<MemoryPoolId, StreamId>;
    struct Pool {
        std::map<Owner, FreeLists> free;
        std::map<MemoryPoolId, int> held;  // by graphs
        std::unordered_map<void*, Block*> given;
        std::deque<Waiting> waiting;
        std::map<char*, Block*> segments;  // their first blocks
        DeviceMemoryStatistics figures;
    };

    Pool& pool_of(Device device) { return pools_.at(static_cast<std::size_t>(device.index)); }
    static Block* take(FreeLists& lists, std::size_t bytes);
    static void take_out(FreeList& list, const Block* block);
    static Block* new_segment(Pool& pool, std::size_t bytes, Device device, const Owner& owner);
    static FreeLists& free_lists(Pool& pool, const Block& block) { return pool.free[{block.pool, block.stream}]; }
    // The first part of a block; the rest is free.
    static void split(Pool& pool, Block* block, std::size_t bytes);
    static void absorb(Block* first, const Block* second);
    static void put(Pool& pool, Block* block);
    static void mark(Waiting& waiting, Device device);
    static void put_what_is_done(Pool& pool, Device device);
    static void put_all(Pool& pool, Device device);
    static void trim(Pool& pool, Device device);

    mutable std::mutex mutex_;
    std::vector<Pool> pools_;
};

}  // namespace loupe::cuda
