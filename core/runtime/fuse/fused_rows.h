// SPDX-License-Identifier: Apache-2.0
#pragma once
// Walks the rows of a fused kernel's arrays: passes runs of rows to the kernel, gathers rows that are not contiguous,
// splits the rows over threads.

#include <span>
#include <vector>

#include "core/runtime/fuse/fused_loop.h"
#include "core/runtime/fuse/fused_parts.h"

namespace loupe::runtime {

class FusedRows {
  public:
    FusedRows() = default;
    // arrays: outputs first, in the part's order.
    FusedRows(const FusedPart& part, std::span<const FusedArray> arrays);

    std::int64_t row_count() const { return rows_; }
    std::int64_t row_length() const { return n_; }
    // For a device's kernel.
    FusedSpace space() const;
    // bases: first elements. cost: of an element, relative to an addition.
    void run(const FusedKernel& kernel, std::span<std::byte* const> bases, int cost) const;

  private:
    struct Dim {
        std::int64_t size;
        std::vector<std::int64_t> strides;  // bytes, one per array
    };
    struct Array {
        RowShape shape = RowShape::Elements;
        std::int64_t element = 4;  // bytes
        ScalarType dtype = ScalarType::Float32;
        bool is_plain = true;                     // a row's elements are contiguous
        ScalarType sum_as = ScalarType::Float32;  // of sums over the rows: the accumulator's type
    };
    class Walk;

    std::int64_t row_bytes(std::size_t array) const {
        return arrays_[array].element * (arrays_[array].shape == RowShape::PerRow ? 1 : n_);
    }
    bool is_direct(std::size_t array, bool packed) const;
    void copy_row(std::size_t array, std::byte* strided, std::byte* plain, bool gathers) const;
    bool is_sum(std::size_t array) const { return array < outputs_ && arrays_[array].shape == RowShape::Columns; }
    void run_with_sums(const FusedKernel& kernel, std::span<std::byte* const> bases) const;

    std::vector<Array> arrays_;
    std::vector<Dim> outer_;  // innermost first
    std::vector<Dim> inner_;
    std::size_t outputs_ = 0;
    bool has_sums_ = false;
    std::int64_t rows_ = 1;
    std::int64_t n_ = 1;
};

}  // namespace loupe::runtime
