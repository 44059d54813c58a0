// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands of an elementwise loop, and the kernel that it calls.
#include <cstddef>
#include <cstdint>

#include "core/tensor/tensor.h"

namespace loupe {

// arrays: outputs first, then inputs, n elements each, of the operands' types `as`. An output may be the
// same array as an input, never a shifted one. params: numbers of the operator, by convention a struct of it.
using ElementwiseKernel = void (*)(const void* params, void* const* arrays, std::int64_t n);

inline constexpr std::size_t kMaxOperands = 8;

struct LoopOperand {
    const TensorImpl* tensor = nullptr;   // null: a number
    const void* number = nullptr;         // of type `as`
    ScalarType as = ScalarType::Float32;  // the kernel's type

    LoopOperand() = default;
    LoopOperand(const Tensor& t, ScalarType seen_as) : tensor(t.impl()), as(seen_as) {}
    LoopOperand(const TensorImpl& t, ScalarType seen_as) : tensor(&t), as(seen_as) {}
    LoopOperand(const void* value, ScalarType seen_as) : number(value), as(seen_as) {}
};

}  // namespace loupe
