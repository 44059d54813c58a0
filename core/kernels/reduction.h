// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a reduction does with elements; the loop over them is in reduce.h.
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/tensor/tensor.h"

namespace loupe {

// Rows of elements, each at a distance in bytes from the one before.
struct Rows {
    const void* first;
    std::int64_t stride;
    std::int64_t count;

    template <typename T>
    const T* row(std::int64_t i) const {
        return reinterpret_cast<const T*>(static_cast<const std::byte*>(first) + i * stride);
    }
};

// A reduction over elements of one type. A state takes in elements; states are plain memory.
struct Reduction {
    ScalarType as = ScalarType::Float32;  // elements as the kernel sees them
    std::size_t outputs = 1;
    std::array<ScalarType, 2> output_as{};
    std::size_t state_size = 0;

    void (*begin)(void* states, std::int64_t n) = nullptr;
    // n elements into one state; index: the first one's place among those reduced.
    void (*fold)(void* state, const void* elements, std::int64_t n, std::int64_t index, const void* params) = nullptr;
    // Rows of n elements, one into each of n states; the first row has this index.
    void (*fold_rows)(void* states, const Rows& rows, std::int64_t n, std::int64_t index, const void* params) = nullptr;
    // states[i] takes in others[i], which saw later elements.
    void (*merge)(void* states, const void* others, std::int64_t n) = nullptr;
    // count: how many elements each state took in.
    void (*finish)(const void* states, std::int64_t n, std::int64_t count, const void* params, void* const* outputs) = nullptr;
    // Indices matter (argmax): elements are visited in row-major order.
    bool is_ordered = false;
};

}  // namespace loupe
