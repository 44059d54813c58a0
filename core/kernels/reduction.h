// SPDX-License-Identifier: Apache-2.0
#pragma once
// A reduction's kernel; the loop over elements is in reduce.h.
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/tensor/tensor.h"

namespace loupe {

// Rows of elements at a stride in bytes.
struct Rows {
    const void* first;
    std::int64_t stride;
    std::int64_t count;

    template <typename T>
    const T* row(std::int64_t i) const {
        return reinterpret_cast<const T*>(static_cast<const std::byte*>(first) + i * stride);
    }
};

// A reduction over elements of one type. Elements are accumulated into states, which are plain memory.
struct Reduction {
    ScalarType as = ScalarType::Float32;  // the kernel's element type
    std::size_t outputs = 1;
    std::array<ScalarType, 2> output_as{};
    std::size_t state_size = 0;

    void (*begin)(void* states, std::int64_t n) = nullptr;
    // n elements into one state; index: the first one's index among the reduced elements.
    void (*fold)(void* state, const void* elements, std::int64_t n, std::int64_t index, const void* params) = nullptr;
    // Rows of n elements, one into each of n states; the first row has this index.
    void (*fold_rows)(void* states, const Rows& rows, std::int64_t n, std::int64_t index, const void* params) = nullptr;
    // Merges others[i], of later elements, into states[i].
    void (*merge)(void* states, const void* others, std::int64_t n) = nullptr;
    // count: how many elements each state took in.
    void (*finish)(const void* states, std::int64_t n, std::int64_t count, const void* params,
                   void* const* outputs) = nullptr;
    // Indices matter (argmax): elements are visited in row-major order.
    bool is_ordered = false;
};

}  // namespace loupe
