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

namespace loupe::test_device {

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

  private:
    static constexpr std::size_t kBytes = std::size_t{32} << 30;  // addresses; untouched pages cost nothing

    std::byte* locked_ = nullptr;
    std::byte* open_ = nullptr;
    mutable std::mutex mutex_;
    std::map<std::size_t, std::vector<std::size_t>> free_;  // by size: offsets
    std::size_t used_ = 0;
    std::size_t live_ = 0;
};

}  // namespace loupe::test_device
