// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of the host whose pages are locked: copies to and from it need no help of the host.

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/tensor/allocator.h"
#include "core/tensor/device_interface.h"

namespace loupe::cuda {

// Freed blocks are kept, since locking pages waits for the device; one is given again when the copies that were given
// with it are done.
class PinnedMemory final : public Allocator {
  public:
    void* allocate(std::size_t bytes, Device device) override;
    void release(void* block, std::size_t bytes, Device device) noexcept override;
    void trim() override;

    // Inside a block that is in use?
    bool has(const void* address) const;
    // The calling thread's stream of the device works with it.
    void note_use(const void* address, Device device);
    // A graph works with it, each time that it is launched. Counted.
    void hold(const void* address);
    // The graph is gone; `streams` may still run it.
    void let_go(const void* address, Device device, const std::vector<StreamId>& streams) noexcept;

  private:
    struct Use {
        Device device;
        StreamId stream = 0;
    };
    struct Block {
        std::size_t bytes = 0;
        std::vector<Use> uses;
        int holds = 0;
        bool is_released = false;
    };
    struct Waiting {
        char* address = nullptr;
        std::size_t bytes = 0;
        std::vector<std::unique_ptr<DeviceEvent>> events;
    };

    std::map<char*, Block>::const_iterator block_with(const void* address) const;
    void take_what_is_done();
    void put(std::map<char*, Block>::iterator block);

    mutable std::mutex mutex_;
    std::map<char*, Block> used_;
    std::deque<Waiting> waiting_;
    std::multimap<std::size_t, char*> free_;
};

}  // namespace loupe::cuda
