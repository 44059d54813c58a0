// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cholesky, LU and QR factorisations of batches of matrices, column by column, a few launches each: for what NVIDIA's
// libraries decline or are not there for. Includes nothing of the engine.

#include "plugins/cuda/loops/products.h"

namespace loupe::cuda {

// In place; strides in elements; Float32, Float64, Complex64 and Complex128.
struct FactorShape {
    Factor factor = Factor::Float32;
    std::int64_t batch = 1, rows = 0, columns = 0;
    Matrices a;
};
// The lower triangle becomes L of L L^H; the upper one is left. roots: room for a number of the real dtype a matrix.
// info: 0, or the column, counted from 1, that is not positive.
void run_cholesky(const Queue& queue, const FactorShape& shape, void* roots, std::int32_t* info);
// P L U with the greatest of each column as pivot, by |re| + |im| as LAPACK has it. pivots [batch, min(rows, columns)],
// counted from 1. info: 0, or the first pivot that is 0, counted from 1.
void run_lu(const Queue& queue, const FactorShape& shape, std::int32_t* pivots, std::int32_t* info);
// R, and below it the vectors of reflectors H = I - tau v v^H, as LAPACK keeps them. tau [batch, min(rows, columns)].
void run_qr(const Queue& queue, const FactorShape& shape, void* tau);

// Zeros above the diagonal, or below it.
void run_clear_triangle(const Queue& queue, const FactorShape& shape, bool above);

// Vectors x = H x of reflectors one after another: those of a, its columns' parts below the diagonal with 1 on it.
struct ReflectorShape {
    Factor factor = Factor::Float32;
    std::int64_t batch = 1, rows = 0, count = 0;  // of the vectors, and how many reflectors
    Matrices a;
    const void* tau = nullptr;  // [batch, count]
    std::int64_t vectors = 0;   // each a column of x
    Matrices x;
    bool last_first = false;  // the order of reflectors
    bool conjugates_tau = false;
    bool conjugates_vectors = false;
};
void run_reflectors(const Queue& queue, const ReflectorShape& shape);

}  // namespace loupe::cuda
