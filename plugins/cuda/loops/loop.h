// SPDX-License-Identifier: Apache-2.0
#pragma once
// A loop over tensors as kernels see it: addresses, strides in bytes, dtypes. Includes nothing of the engine.

#include <cstddef>

#include "plugins/cuda/loops/portable.h"

namespace loupe::cuda {

inline constexpr int kMaxDims = 12;  // after dimensions that lie together were joined
inline constexpr int kMaxOperands = 5;
inline constexpr int kMaxNumbers = 4;

// Where an operand's element is, or the number that stands for all of them.
struct Operand {
    char* data = nullptr;  // null: a number
    Element element = Element::Float32;
    std::int64_t strides[kMaxDims] = {};
    double real = 0, imag = 0;
    std::int64_t whole = 0;
};

// Parameters of an operator.
struct Numbers {
    double real[kMaxNumbers] = {};
    std::int64_t whole[kMaxNumbers] = {};
    double imag[kMaxNumbers] = {};

    template <typename T>
    LOUPE_HD T get(int i) const {
        if constexpr (kIsComplex<T>)
            return {static_cast<typename T::Real>(real[i]), static_cast<typename T::Real>(imag[i])};
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(whole[i]);
        else
            return static_cast<T>(real[i]);
    }
};

// The last dimension is the innermost. Outputs first.
struct LoopShape {
    int dims = 0;
    int operands = 0;
    std::int64_t count = 0;
    std::int64_t sizes[kMaxDims] = {};
    Operand operand[kMaxOperands];
    bool is_plain = false;  // every operand is a number or lies densely, in one order
};

// What launches need of a device: nothing on the host.
struct Queue {
    void* stream = nullptr;
    void* owner = nullptr;
    // Memory for the work that is given next; valid until the next call.
    void* (*scratch)(const Queue& queue, std::size_t bytes) = nullptr;
};

}  // namespace loupe::cuda
