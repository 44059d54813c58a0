// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loop behind every elementwise operator: broadcasts, coalesces dimensions, converts dtypes and gathers strided
// operands piece by piece into buffers that stay in the first-level cache, and splits the work over threads; the kernel
// gets contiguous arrays.

#include <array>
#include <span>

#include "core/kernels/loop_operand.h"
#include "core/kernels/promotion.h"
#include "core/tensor/tensor.h"

namespace loupe {

// Minimum of elements per thread.
inline constexpr std::int64_t kElementwiseGrain = 32768;

// The first `outputs` operands are written; all outputs have one shape, inputs broadcast to it. cost: relative to an
// addition, to decide when threads pay off.
void run_elementwise(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                     std::size_t outputs = 1, int cost = 1);

// A number in the memory form of a dtype, to be a LoopOperand.
class LoopNumber {
  public:
    LoopNumber(const Scalar& value, ScalarType as);
    const void* data() const { return bytes_.data(); }

  private:
    alignas(16) std::array<std::byte, 16> bytes_;
};

// Copies with conversion and broadcast; from and to must not overlap.
void copy_into(const Tensor& to, const Tensor& from);
void fill_with(const Tensor& to, const Scalar& value);

}  // namespace loupe
