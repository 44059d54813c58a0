// SPDX-License-Identifier: Apache-2.0
#pragma once
// Systems with triangular matrices. Includes nothing of the engine.

#include "plugins/cuda/loops/products.h"

namespace loupe::cuda {

// X = A^-1 X, in place: A [batch, n, n], of which a triangle is read, X [batch, n, columns]. Strides in elements;
// Float32, Float64, Complex64 and Complex128.
struct TriangularShape {
    Factor factor = Factor::Float32;
    std::int64_t batch = 1, n = 0, columns = 0;
    bool upper = false;
    bool unit = false;        // ones on the diagonal, which is not read
    bool conjugates = false;  // A
    Matrices a, x;
};
void run_triangular(const Queue& queue, const TriangularShape& shape);

}  // namespace loupe::cuda
