// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kernels of cuSOLVER share: a handle, the library's functions of one type under one name, and batches of matrices
// as LAPACK has them, by columns, one behind the other.

#include <cusolverDn.h>

#include <string>

#include "core/dispatch/record.h"
#include "core/tensor/tensor.h"

namespace loupe::cuda {

void check_solver(cusolverStatus_t status, const char* doing);
void check_blas(cublasStatus_t status, const char* doing);
// On the device's current stream.
cusolverDnHandle_t solver_of(Device device);
cublasHandle_t blas_of(Device device);

template <typename T>
struct Solver;
// T, its real type, the library's letter, and the names that differ between real and complex types.
#define LOUPE_SOLVER(T, real, letter, org, orm, eig)                             \
    template <>                                                                  \
    struct Solver<T> {                                                           \
        using Real = real;                                                       \
        static constexpr auto potrf_size = cusolverDn##letter##potrf_bufferSize; \
        static constexpr auto potrf = cusolverDn##letter##potrf;                 \
        static constexpr auto potri_size = cusolverDn##letter##potri_bufferSize; \
        static constexpr auto potri = cusolverDn##letter##potri;                 \
        static constexpr auto potrs = cusolverDn##letter##potrs;                 \
        static constexpr auto getrf_size = cusolverDn##letter##getrf_bufferSize; \
        static constexpr auto getrf = cusolverDn##letter##getrf;                 \
        static constexpr auto getrs = cusolverDn##letter##getrs;                 \
        static constexpr auto geqrf_size = cusolverDn##letter##geqrf_bufferSize; \
        static constexpr auto geqrf = cusolverDn##letter##geqrf;                 \
        static constexpr auto orgqr_size = cusolverDn##letter##org##_bufferSize; \
        static constexpr auto orgqr = cusolverDn##letter##org;                   \
        static constexpr auto ormqr_size = cusolverDn##letter##orm##_bufferSize; \
        static constexpr auto ormqr = cusolverDn##letter##orm;                   \
        static constexpr auto syevd_size = cusolverDn##letter##eig##_bufferSize; \
        static constexpr auto syevd = cusolverDn##letter##eig;                   \
        static constexpr auto sytrf_size = cusolverDn##letter##sytrf_bufferSize; \
        static constexpr auto sytrf = cusolverDn##letter##sytrf;                 \
        static constexpr auto gesvd_size = cusolverDn##letter##gesvd_bufferSize; \
        static constexpr auto gesvd = cusolverDn##letter##gesvd;                 \
        static constexpr auto trsm = cublas##letter##trsm;                       \
        static constexpr auto trsm_batched = cublas##letter##trsmBatched;        \
    };
LOUPE_SOLVER(float, float, S, orgqr, ormqr, syevd)
LOUPE_SOLVER(double, double, D, orgqr, ormqr, syevd)
LOUPE_SOLVER(cuComplex, float, C, ungqr, unmqr, heevd)
LOUPE_SOLVER(cuDoubleComplex, double, Z, ungqr, unmqr, heevd)
#undef LOUPE_SOLVER

// visit(T()) with the library's type.
template <typename Visit>
void with_type(ScalarType dtype, const Visit& visit) {
    switch (dtype) {
        case ScalarType::Float64:
            return visit(double());
        case ScalarType::Complex64:
            return visit(cuComplex());
        case ScalarType::Complex128:
            return visit(cuDoubleComplex());
        default:
            return visit(float());
    }
}

// Of the batch dimensions of `like`, uninitialised.
Tensor empty_columns(const Tensor& like, std::int64_t rows, std::int64_t columns);
Tensor column_copy(const Tensor& t);
std::int64_t batch_of(const Tensor& t);
// Dense room for what the library writes in a row for each matrix: pivots, codes.
Tensor row_room(const Tensor& out);
// A number of int32 for each matrix.
Tensor codes_for(const Tensor& matrices);
template <typename T>
T* at(const Tensor& t, std::int64_t i, std::int64_t step) {
    return static_cast<T*>(t.address()) + i * step;
}
inline int whole(std::int64_t n) { return static_cast<int>(n); }

// Complex numbers too, of which a device has few loops: by their real and imaginary parts.
// The diagonal and what is above (or below) it, zeros elsewhere.
Tensor triangle_of(const Tensor& t, bool upper);
// Matrices transposed and conjugated.
Tensor adjoint_of(const Tensor& t);
// The diagonal and what is above (or below) it of one, the remaining elements of the other.
Tensor joined_triangles(const Tensor& inside, const Tensor& outside, bool upper);

// Reads elements: the host waits.
bool has_finite_numbers(const Tensor& A);

// Matrices of float32, float64 and complex numbers of either, of fewer than 2^30 rows and columns and some elements.
bool takes_matrices(std::initializer_list<Tensor> matrices, std::string* why);

}  // namespace loupe::cuda
