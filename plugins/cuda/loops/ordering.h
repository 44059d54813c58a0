// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stable sorting and running sums of whole numbers, of which indexing, sorting and selection are made. Includes nothing
// of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Sorts by the lowest `bits` bits of the keys; places[i] is where the i-th key stood. keys and places are written in
// place; `room`: 2 count numbers.
void run_sort(const Queue& queue, std::uint64_t* keys, std::int64_t* places, std::int64_t count, int bits,
              std::uint64_t* room);
// The same with places that are given.
void run_sort_pairs(const Queue& queue, std::uint64_t* keys, std::int64_t* places, std::int64_t count, int bits,
                    std::uint64_t* room);
// sums[i]: of numbers 0 to i - 1; may be the numbers themselves.
void run_sums_before(const Queue& queue, const std::int64_t* numbers, std::int64_t* sums, std::int64_t count);

// Order that PyTorch sorts elements in, NaN last, as numbers without sign; with `descending` turned around. The row of
// the element stands above the lowest `bits` bits of an element of up to four bytes; elements of eight bytes take all.
int order_bits(Element element);
void run_order_keys(const Queue& queue, Element element, const void* x, std::int64_t rows, std::int64_t length,
                    bool descending, std::uint64_t* keys);
// keys[i] = row of places[i]
void run_row_keys(const Queue& queue, const std::int64_t* places, std::int64_t count, std::int64_t length,
                  std::uint64_t* keys);
// Elements of rows in the order of places, and which of its row each was.
void run_ordered(const Queue& queue, int element_size, const void* x, const std::int64_t* places, std::int64_t rows,
                 std::int64_t length, std::int64_t kept, void* values, std::int64_t* indices);

// marks[i] = 1 where x is not zero, else 0.
void run_marks(const Queue& queue, Element element, const void* x, std::int64_t count, std::int64_t* marks);
// The places of the marked elements in order: before[i] of them come before i; `marked` says which are.
void run_marked_places(const Queue& queue, Element element, const void* x, const std::int64_t* before,
                       std::int64_t count, std::int64_t* places);
// coordinates[i][d] of flat places in arrays of these sizes.
void run_coordinates(const Queue& queue, const std::int64_t* places, std::int64_t count, int dims,
                     const std::int64_t* sizes, std::int64_t* coordinates);

}  // namespace loupe::cuda
