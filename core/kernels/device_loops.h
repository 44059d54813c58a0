// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops of another device. An operator's kernel says which elementwise kernel or reduction it wants, and over what;
// the device that holds the tensors runs its own form of it. So one kernel serves every device, with its promotion,
// checks and numbers written once.

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "core/kernels/element_totals.h"
#include "core/kernels/loop_operand.h"
#include "core/kernels/reduction.h"

namespace loupe {

// Along one dimension place i reads the places index[k * places + i] of the source, -1: none, times weight[...];
// without weights times 1. places 0: each place reads its own.
struct DimTaps {
    std::int64_t places = 0;
    std::int64_t depth = 1;
    std::span<const std::int64_t> index = {};
    std::span<const double> weight = {};
};

// Totals that a device adds up beside the host.
class LateTotals {
  public:
    virtual ~LateTotals() = default;
    virtual bool is_there() const = 0;
    // Waits for them.
    virtual ElementTotals get() = 0;
};

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
    // Each element of `to` is a sum of elements of `from` times weights, dimension by dimension; dims has one entry for
    // each. Both on one device; neither overlaps itself.
    virtual bool apply_taps(const Tensor& to, const Tensor& from, std::span<const DimTaps> dims) = 0;
    // Of all elements as they are now; there is one at least. Null when the device has no form of it.
    virtual std::unique_ptr<LateTotals> add_up(const Tensor& t) = 0;
};

// copy_into for `to` on a device, through maps of indices: to[i0, i1, ...] = from[maps[0][i0], maps[1][i1], ...]; and
// the adjoint, to[maps[0][i0], ...] = sum of from[i0, ...]. False when the device has no form of it.
bool copy_by_taps(const Tensor& to, const Tensor& from, std::span<const std::vector<std::int64_t>> maps);
bool add_by_taps(const Tensor& to, const Tensor& from, std::span<const std::vector<std::int64_t>> maps);

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
