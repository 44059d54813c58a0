// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loop behind every elementwise operator: broadcasts, coalesces dimensions, converts dtypes and gathers strided
// operands piece by piece into buffers that stay in the first-level cache, and splits the work over threads; the kernel
// sees plain arrays.

#include <array>
#include <span>

#include "core/kernels/promotion.h"
#include "core/tensor/tensor.h"

namespace loupe {

// arrays: outputs first, then inputs, n elements each, of the types that the operands ask for. An output may be the
// same array as an input, never a shifted one. params: numbers of the operator, by convention its own struct.
using ElementwiseKernel = void (*)(const void* params, void* const* arrays, std::int64_t n);

inline constexpr std::size_t kMaxOperands = 8;

struct LoopOperand {
    const TensorImpl* tensor = nullptr;  // null: a number
    const void* number = nullptr;        // of type `as`
    ScalarType as = ScalarType::Float32;  // what the kernel sees

    LoopOperand() = default;
    LoopOperand(const Tensor& t, ScalarType seen_as) : tensor(t.impl()), as(seen_as) {}
    LoopOperand(const TensorImpl& t, ScalarType seen_as) : tensor(&t), as(seen_as) {}
    LoopOperand(const void* value, ScalarType seen_as) : number(value), as(seen_as) {}
};

// Elements that one thread should at least have.
inline constexpr std::int64_t kElementwiseGrain = 32768;

// The first `outputs` operands are written; all outputs have one shape, inputs broadcast to it. cost: relative to an
// addition, to choose when threads are worth it.
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
