// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that tensors of indices point to: read, written, or added up. Includes nothing of the engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

inline constexpr int kMaxIndices = 8;

// A loop in row-major order over two arrays at once; strides in bytes.
struct PairedWalk {
    int dims = 0;
    std::int64_t count = 1;
    std::int64_t sizes[kMaxDims] = {};
    std::int64_t own[kMaxDims] = {};
    std::int64_t other[kMaxDims] = {};

    void add_dim(std::int64_t size, std::int64_t own_stride, std::int64_t other_stride) {
        sizes[dims] = size;
        own[dims] = own_stride;
        other[dims] = other_stride;
        ++dims;
        count *= size;
    }
};

// Such a loop over the elements that are picked. The element of the indexed array lies at `own` plus,
// for each index tensor, its value times `step`; that of the other array at `other`. Strides in bytes, those of the
// index tensors in elements.
struct IndexLoop : PairedWalk {
    int indices = 0;
    struct Index {
        const std::int64_t* values = nullptr;
        std::int64_t strides[kMaxDims] = {};
        std::int64_t limit = 0;  // values of 0 to limit - 1; with `wraps` also of -limit to -1
        std::int64_t step = 0;
        int dim = 0;  // as errors name it
    } index[kMaxIndices];
    bool wraps = false;
    FaultKind kind = FaultKind::Index;
    Fault* fault = nullptr;     // null: says nothing
    std::int64_t skipped = -1;  // a value that picks nothing, where it is not negative
};

// Elements of `element_size` bytes: 1, 2, 4, 8 or 16. Where an index is out of bounds zeros are read and nothing is
// written.
void run_index_read(const Queue& queue, IndexLoop loop, int element_size, const void* indexed, void* other);
void run_index_write(const Queue& queue, IndexLoop loop, int element_size, void* indexed, const void* other);

enum class Gathering : std::int8_t { Sum, Product, Greatest, Least };

// Columns beside each picked row, walked alike in both arrays.
using RowColumns = PairedWalk;
// The byte offset that each row of the loop picks; `nothing` where an index is out of bounds or skipped.
void run_index_keys(const Queue& queue, const IndexLoop& rows, std::int64_t nothing, std::int64_t* keys);
// indexed[key] = indexed[key] (op) scale other[order], for rows in the order of sorted keys: those of one key in their
// own order, so that the result is the same each time. `rows` says where a row of `other` begins.
struct Gathered {
    Gathering op = Gathering::Sum;
    Element element = Element::Float32;
    double scale = 1;
    std::int64_t whole_scale = 1;
    bool by_count = false;     // each addend is divided by the number of rows of its key
    std::int64_t nothing = 0;  // the key of rows that pick nothing, the greatest
};
bool run_gather_rows(const Queue& queue, const IndexLoop& rows, const RowColumns& columns, const Gathered& how,
                     const std::int64_t* keys, const std::int64_t* order, void* indexed, const void* other);

}  // namespace loupe::cuda
