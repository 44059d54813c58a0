// SPDX-License-Identifier: Apache-2.0
#pragma once
// Walks the elements of a fused kernel's arrays: broadcasts, merges dimensions, passes contiguous rows to the kernel,
// gathers strided ones into buffers that stay in the first-level cache, splits the work over threads.

#include <span>
#include <vector>

#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::runtime {

struct FusedArray {
    Dims sizes;
    Dims strides;  // in elements
    ScalarType dtype = ScalarType::Float32;
};

class FusedLoop {
  public:
    FusedLoop() = default;
    // Outputs first; they have the same number of elements, inputs broadcast to them.
    FusedLoop(std::span<const FusedArray> arrays, std::size_t outputs);

    // For each input, whether it is one number for the whole of every kernel row.
    std::vector<bool> numbers() const;
    // "512 runs of 256 elements", and the arrays that are gathered into buffers.
    std::string text() const;
    // For a device's kernel.
    FusedSpace space() const;
    // bases: first elements. cost: relative to an addition.
    void run(const FusedKernel& kernel, std::span<std::byte* const> bases, int cost) const;

  private:
    struct Dim {
        std::int64_t size;
        std::vector<std::int64_t> strides;  // bytes, one per array
    };
    enum class Mode { Rows, Packed };

    void order_and_join();
    void run_rows(const FusedKernel& kernel, std::span<std::byte* const> bases, std::int64_t begin,
                  std::int64_t end) const;
    void run_packed(const FusedKernel& kernel, std::span<std::byte* const> bases, std::int64_t begin,
                    std::int64_t end) const;
    template <typename Visit>
    void for_rows(std::size_t array, std::byte* base, std::int64_t begin, std::int64_t end, Visit&& visit) const;
    bool is_constant(std::size_t array) const;
    bool is_linear(std::size_t array) const;

    std::vector<Dim> dims_;            // innermost first
    std::vector<std::int64_t> sizes_;  // of elements
    std::vector<ScalarType> dtypes_;
    std::size_t outputs_ = 0;
    std::int64_t numel_ = 0;
    Mode mode_ = Mode::Rows;
};

}  // namespace loupe::runtime
