// SPDX-License-Identifier: Apache-2.0
#pragma once
// Capture on the test device: what streams other than its own are given is kept and given again, as on CUDA.

#include "core/tensor/device_graphs.h"
#include "plugins/test_device/test_memory.h"

namespace loupe::test_device {

class TestGraphs final : public DeviceGraphs {
  public:
    explicit TestGraphs(TestMemory& memory) : memory_(memory) {}

    void begin_capture(Device device, CaptureMode mode, MemoryPoolId pool) override;
    std::unique_ptr<DeviceGraph> end_capture(Device device) override;
    bool is_capturing(Device device) const override;
    void hold_pool(Device device, MemoryPoolId pool) override;
    void release_pool(Device device, MemoryPoolId pool) noexcept override;

  private:
    TestMemory& memory_;
};

}  // namespace loupe::test_device
