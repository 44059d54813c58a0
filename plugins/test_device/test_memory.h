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

  private:
    static constexpr std::size_t kBytes = std::size_t{32} << 30;  // addresses; untouched pages cost nothing

    struct Block {
        Device device;
        StreamId stream = 0;
        std::size_t size = 0;
        std::vector<StreamId> uses;
    };
    struct Waiting {
        Block block;
        std::size_t offset = 0;
        std::vector<LateWork::Mark> marks;
    };
    using Key = std::array<std::int64_t, 3>;  // device, stream, size
    static Key key_of(const Block& block);
    void take_what_is_done();

    std::byte* locked_ = nullptr;
    std::byte* open_ = nullptr;
    mutable std::mutex mutex_;
    std::map<Key, std::vector<std::size_t>> free_;  // offsets
    std::map<std::size_t, Block> given_;            // by offset
    std::vector<Waiting> waiting_;
    std::size_t used_ = 0;
    std::array<DeviceMemoryStatistics, kDevices> figures_;
};

}  // namespace loupe::test_device
