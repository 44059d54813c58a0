// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops of another device. An operator's kernel says which elementwise kernel or reduction it wants, and over what;
// the device that holds the tensors runs its own form of it. So one kernel serves every device, with its promotion,
// checks and numbers written once.

#include <chrono>
#include <span>

#include "core/kernels/loop_operand.h"
#include "core/kernels/reduction.h"

namespace loupe {

class DeviceLoops {
  public:
    virtual ~DeviceLoops() = default;
    // As run_elementwise and run_reduction; false when the device has no form of the kernel. A 0-dimensional tensor of
    // the host may stand among the inputs.
    virtual bool elementwise(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                             std::size_t outputs) = 0;
    virtual bool reduce(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced,
                        std::span<const Tensor> outputs, const void* params) = 0;
    // As copy_into and fill_with, all tensors on one device; false likewise.
    virtual bool copy(const Tensor& to, const Tensor& from) = 0;
    virtual bool fill(const Tensor& to, const Scalar& value) = 0;
};

// Those of a device's type; null when it has none.
DeviceLoops* device_loops(Device device);

// Copies to the host and back, for a loop that the device has not: told to the observer of what runs on the host.
class HostCopies {
  public:
    Tensor of(const Tensor& t);
    void put_back(const Tensor& to, const Tensor& host);
    void tell(Device device) const;

  private:
    using Clock = std::chrono::steady_clock;
    void count(const Tensor& t, Clock::time_point began);

    std::size_t bytes_ = 0;
    double seconds_ = 0;
};

}  // namespace loupe
