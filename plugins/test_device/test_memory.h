// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory at addresses that the host can neither read nor write. The same memory is seen at a second address, which the
// device's own copies and kernels use.

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "core/tensor/allocator.h"
#include "core/tensor/device_interface.h"
#include "plugins/test_device/test_streams.h"

namespace loupe::test_device {

// Each stream has blocks of its own, which it is given again at once when they are free.
class TestMemory final : public Allocator {
  public:
    // Throws Error (Plugin) where the kernel gives no such memory.
    TestMemory();

    void* allocate(std::size_t bytes, Device device) override;
    void release(void* block, std::size_t bytes, Device device) noexcept override;

    // Where the device itself reads and writes an address that allocate() gave, or one inside the block.
    std::byte* own_view(const void* address) const;
    // Blocks given and not released.
    std::size_t live_blocks() const;
    void note_use(const void* block, StreamId stream);
    DeviceMemoryStatistics statistics(Device device) const;
    void reset_peak(Device device);

    // Work of captures is given memory of this pool; none: their ends. Memory of a pool that nobody holds is for all.
    void use_pool(Device device, MemoryPoolId pool);
    void hold_pool(MemoryPoolId pool);
    void release_pool(MemoryPoolId pool);
    std::vector<DeviceSegment> segments(Device device) const;

  private:
    static constexpr std::size_t kBytes = std::size_t{32} << 30;  // addresses; untouched pages cost nothing

    struct Block {
        Device device;
        StreamId stream = 0;
        std::size_t size = 0;
        std::vector<StreamId> uses;
        MemoryPoolId pool = {};
    };
    struct Waiting {
        Block block;
        std::size_t offset = 0;
        std::vector<LateWork::Mark> marks;
        std::vector<StreamId> unmarked;  // they captured then
    };
    using Key = std::array<std::int64_t, 5>;  // pool, device, stream, size
    static Key key_of(const Block& block);
    void take_what_is_done();
    static void mark(Waiting& waiting);

    std::byte* locked_ = nullptr;
    std::byte* open_ = nullptr;
    mutable std::mutex mutex_;
    std::map<Key, std::vector<std::size_t>> free_;  // offsets
    std::map<std::size_t, Block> given_;            // by offset
    std::vector<Waiting> waiting_;
    std::size_t used_ = 0;
    std::array<DeviceMemoryStatistics, kDevices> figures_;
    std::array<MemoryPoolId, kDevices> capture_pools_;
    std::map<MemoryPoolId, int> held_pools_;
};

}  // namespace loupe::test_device
