// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stable sorting and running sums of whole numbers, of which indexing, sorting and selection are made. Includes nothing
// of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Keys of 32 or 64 bits, and where they stood.
template <typename Key>
struct Sorted {
    Key* keys;
    std::int64_t* places;
};
// Sorts by the lowest `bits` bits of the keys. keys and places are written over; ``room` holds as many again; the
// result is in either. With `given` the places are those there are, else 0, 1, 2, ...
template <typename Key>
Sorted<Key> run_sort(const Queue& queue, Sorted<Key> from, std::int64_t count, int bits, Sorted<Key> room,
                     bool given = false);
extern template Sorted<std::uint32_t> run_sort(const Queue&, Sorted<std::uint32_t>, std::int64_t, int,
                                               Sorted<std::uint32_t>, bool);
extern template Sorted<std::uint64_t> run_sort(const Queue&, Sorted<std::uint64_t>, std::int64_t, int,
                                               Sorted<std::uint64_t>, bool);
// sums[i]: of numbers 0 to i - 1; may be the numbers themselves.
void run_sums_before(const Queue& queue, const std::int64_t* numbers, std::int64_t* sums, std::int64_t count);

// Order that PyTorch sorts elements in, NaN last, as numbers without sign; with `descending` turned around. The row of
// the element stands above the 32 bits of an element of up to four bytes; elements of eight bytes take all. Of one row
// and narrow elements 32 bits are enough.
void run_order_keys(const Queue& queue, Element element, const void* x, std::int64_t rows, std::int64_t length,
                    bool descending, std::uint64_t* keys);
void run_order_keys(const Queue& queue, Element element, const void* x, std::int64_t length, bool descending,
                    std::uint32_t* keys);
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
