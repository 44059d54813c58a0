// SPDX-License-Identifier: Apache-2.0
#pragma once
// Distances between rows, and their gradients. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Dense arrays of float or double: x [batch, rows, width], y [batch, columns, width], distances [batch, rows, columns].
struct PairShape {
    Element element = Element::Float32;
    double p = 2;
    std::int64_t batch = 1, rows = 0, columns = 0, width = 0;
};
void run_distances(const Queue& queue, const PairShape& shape, const void* x, const void* y, void* out);
// The gradient of x.
void run_distance_slopes(const Queue& queue, const PairShape& shape, const void* grad, const void* x, const void* y,
                         const void* distances, void* out);

// Of one set of rows, shape.rows of them: the pairs i < j in order, and the gradient of x. batch and columns are not
// read.
void run_own_distances(const Queue& queue, const PairShape& shape, const void* x, void* out);
void run_own_distance_slopes(const Queue& queue, const PairShape& shape, const void* grad, const void* x,
                             const void* distances, void* out);

}  // namespace loupe::cuda
