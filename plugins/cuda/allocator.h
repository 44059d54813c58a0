// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of CUDA devices. Freed blocks are kept: asking the driver for memory waits for all work of the device.

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/tensor/allocator.h"
#include "core/tensor/device_interface.h"

namespace loupe::cuda {

// Work of a device runs on one stream, in the order in which it is given: a freed block can be given again at once.
class CachingAllocator final : public Allocator {
  public:
    explicit CachingAllocator(int devices) : pools_(static_cast<std::size_t>(devices)) {}

    void* allocate(std::size_t bytes, Device device) override;
    void release(void* block, std::size_t bytes, Device device) noexcept override;
    void trim() override;

    DeviceMemoryUse memory_use(Device device) const;
    void reset_peak(Device device);

  private:
    // A part of a segment, or all of it: neighbours that are free are joined.
    struct Block {
        char* address;
        std::size_t bytes;
        bool is_free;
        Block* before;
        Block* after;
    };
    struct Pool {
        std::multimap<std::size_t, Block*> free_small, free_large;
        std::unordered_map<void*, Block*> given;
        DeviceMemoryUse figures;

        void note_peak() {
            figures.most_used = std::max(figures.most_used, figures.used);
            figures.most_reserved = std::max(figures.most_reserved, figures.reserved);
        }
    };

    static std::size_t rounded(std::size_t bytes);
    std::multimap<std::size_t, Block*>& list_of(Pool& pool, std::size_t bytes);
    Block* take(Pool& pool, std::size_t bytes);
    Block* new_segment(Pool& pool, std::size_t bytes, Device device);
    void put(Pool& pool, Block* block);
    static void take_out(std::multimap<std::size_t, Block*>& list, Block* block);
    void trim(Pool& pool, Device device);

    mutable std::mutex mutex_;
    std::vector<Pool> pools_;
};

}  // namespace loupe::cuda
