// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA graphs: what streams are given is captured, instantiated once and launched as a whole.

#include "core/tensor/device_graphs.h"
#include "plugins/cuda/allocator.h"
#include "plugins/cuda/pinned_memory.h"

namespace loupe::cuda {

class CudaGraphs final : public DeviceGraphs {
  public:
    CudaGraphs(CachingAllocator& allocator, PinnedMemory& pinned) : allocator_(allocator), pinned_(pinned) {}

    void begin_capture(Device device, CaptureMode mode, MemoryPoolId pool) override;
    std::unique_ptr<DeviceGraph> end_capture(Device device) override;
    bool is_capturing(Device device) const override;
    void hold_pool(Device device, MemoryPoolId pool) override { allocator_.hold_pool(device, pool); }
    void release_pool(Device device, MemoryPoolId pool) noexcept override { allocator_.release_pool(device, pool); }

  private:
    CachingAllocator& allocator_;
    PinnedMemory& pinned_;
};

}  // namespace loupe::cuda
