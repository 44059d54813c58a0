// SPDX-License-Identifier: Apache-2.0
// cuSOLVER's functions, and cuBLAS's of triangular matrices, by the host's LAPACK: both have matrices by columns.

#include <cblas.h>
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <complex>
#include <type_traits>
#include <vector>

#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "tests/plugins/cuda/stub/blas_handle.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

struct cusolverDnContext {
    cudaStream_t stream = nullptr;
};

namespace {

constexpr int kColumns = LAPACK_COL_MAJOR;

char half_of(cublasFillMode_t side) { return side == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
char turn_of(cublasOperation_t turn) { return turn == CUBLAS_OP_N ? 'N' : turn == CUBLAS_OP_T ? 'T' : 'C'; }

template <typename T>
struct HostType {
    using Type = T;
};
template <>
struct HostType<cuComplex> {
    using Type = std::complex<float>;
};
template <>
struct HostType<cuDoubleComplex> {
    using Type = std::complex<double>;
};
template <typename T>
auto* host(T* p) {
    return reinterpret_cast<typename HostType<T>::Type*>(p);
}
template <typename T>
const auto* host(const T* p) {
    return reinterpret_cast<const typename HostType<T>::Type*>(p);
}

template <typename Work>
cusolverStatus_t run(cusolverDnHandle_t handle, const char* name, Work&& work) {
    if (const int status = stub_gpu::called(name)) return static_cast<cusolverStatus_t>(status);
    stub_gpu::launch(handle->stream, std::forward<Work>(work));
    return CUSOLVER_STATUS_SUCCESS;
}

template <typename T>
void triangle(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t turn, cublasDiagType_t diag, int m, int n,
              T alpha, const T* a, int lda, T* b, int ldb) {
    const CBLAS_SIDE s = side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
    const CBLAS_UPLO u = uplo == CUBLAS_FILL_MODE_UPPER ? CblasUpper : CblasLower;
    const CBLAS_TRANSPOSE t = turn == CUBLAS_OP_N ? CblasNoTrans : turn == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
    const CBLAS_DIAG d = diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
    if constexpr (std::is_same_v<T, float>)
        cblas_strsm(CblasColMajor, s, u, t, d, m, n, alpha, a, lda, b, ldb);
    else if constexpr (std::is_same_v<T, double>)
        cblas_dtrsm(CblasColMajor, s, u, t, d, m, n, alpha, a, lda, b, ldb);
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        cblas_ctrsm(CblasColMajor, s, u, t, d, m, n, &alpha, a, lda, b, ldb);
    else
        cblas_ztrsm(CblasColMajor, s, u, t, d, m, n, &alpha, a, lda, b, ldb);
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
    *handle = new cusolverDnContext;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

#define STUB_SIZE(...)                  \
    (__VA_ARGS__, int* room) {          \
        *room = 32;                     \
        return CUSOLVER_STATUS_SUCCESS; \
    }
// T, its real type, the library's letter, LAPACK's, and the names that differ between real and complex types.
#define STUB_SOLVER(T, real, X, x, org, orm, eig, Org, Orm, Eig)                                                       \
    cusolverStatus_t cusolverDn##X##potrf_bufferSize STUB_SIZE(cusolverDnHandle_t, cublasFillMode_t, int, T*, int)     \
        cusolverStatus_t cusolverDn##X##potri_bufferSize                                                               \
        STUB_SIZE(cusolverDnHandle_t, cublasFillMode_t, int, T*, int) cusolverStatus_t cusolverDn##X##getrf_bufferSize \
        STUB_SIZE(cusolverDnHandle_t, int, int, T*, int) cusolverStatus_t cusolverDn##X##geqrf_bufferSize              \
        STUB_SIZE(cusolverDnHandle_t, int, int, T*, int) cusolverStatus_t cusolverDn##X##Org##_bufferSize              \
        STUB_SIZE(cusolverDnHandle_t, int, int, int, const T*, int, const T*)                                          \
            cusolverStatus_t cusolverDn##X##Orm##_bufferSize                                                           \
            STUB_SIZE(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int, int, int, const T*, int, const T*, \
                      const T*, int) cusolverStatus_t cusolverDn##X##Eig##_bufferSize                                  \
            STUB_SIZE(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, int, const real*)        \
                cusolverStatus_t cusolverDn##X##gesvd_bufferSize                                                       \
                STUB_SIZE(cusolverDnHandle_t, int, int) cusolverStatus_t cusolverDn##X##potrf(                         \
                    cusolverDnHandle_t handle, cublasFillMode_t side, int n, T* a, int lda, T*, int, int* info) {      \
        return run(handle, "potrf", [=] { *info = LAPACKE_##x##potrf(kColumns, half_of(side), n, host(a), lda); });    \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##potri(cusolverDnHandle_t handle, cublasFillMode_t side, int n, T* a, int lda, T*,  \
                                          int, int* info) {                                                            \
        return run(handle, "potri", [=] { *info = LAPACKE_##x##potri(kColumns, half_of(side), n, host(a), lda); });    \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t side, int n, int sides,          \
                                          const T* a, int lda, T* b, int ldb, int* info) {                             \
        return run(handle, "potrs", [=] {                                                                              \
            *info = LAPACKE_##x##potrs(kColumns, half_of(side), n, sides, host(a), lda, host(b), ldb);                 \
        });                                                                                                            \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T*, int* rows,       \
                                          int* info) {                                                                 \
        return run(handle, "getrf", [=] { *info = LAPACKE_##x##getrf(kColumns, m, n, host(a), lda, rows); });          \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t turn, int n, int sides,         \
                                          const T* a, int lda, const int* rows, T* b, int ldb, int* info) {            \
        return run(handle, "getrs", [=] {                                                                              \
            *info = LAPACKE_##x##getrs(kColumns, turn_of(turn), n, sides, host(a), lda, rows, host(b), ldb);           \
        });                                                                                                            \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* tau, T*, int,     \
                                          int* info) {                                                                 \
        return run(handle, "geqrf", [=] { *info = LAPACKE_##x##geqrf(kColumns, m, n, host(a), lda, host(tau)); });     \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##Org(cusolverDnHandle_t handle, int m, int n, int k, T* a, int lda, const T* tau,   \
                                        T*, int, int* info) {                                                          \
        return run(handle, "orgqr", [=] { *info = LAPACKE_##x##org(kColumns, m, n, k, host(a), lda, host(tau)); });    \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##Orm(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t turn,      \
                                        int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc, T*,     \
                                        int, int* info) {                                                              \
        return run(handle, "ormqr", [=] {                                                                              \
            *info = LAPACKE_##x##orm(kColumns, side == CUBLAS_SIDE_LEFT ? 'L' : 'R', turn_of(turn), m, n, k, host(a),  \
                                     lda, host(tau), host(c), ldc);                                                    \
        });                                                                                                            \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##Eig(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t side,      \
                                        int n, T* a, int lda, real* values, T*, int, int* info) {                      \
        return run(handle, "syevd", [=] {                                                                              \
            *info = LAPACKE_##x##eig(kColumns, mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N', half_of(side), n,         \
                                     host(a), lda, values);                                                            \
        });                                                                                                            \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t handle, signed char left, signed char right, int m,       \
                                          int n, T* a, int lda, real* values, T* u, int ldu, T* vt, int ldvt, T*, int, \
                                          real*, int* info) {                                                          \
        if (m < n) return CUSOLVER_STATUS_INVALID_VALUE;                                                               \
        return run(handle, "gesvd", [=] {                                                                              \
            std::vector<real> kept(static_cast<std::size_t>(n));                                                       \
            *info = LAPACKE_##x##gesvd(kColumns, static_cast<char>(left), static_cast<char>(right), m, n, host(a),     \
                                       lda, values, host(u), ldu, host(vt), ldvt, kept.data());                        \
        });                                                                                                            \
    }                                                                                                                  \
    cublasStatus_t cublas##X##trsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,             \
                                      cublasOperation_t turn, cublasDiagType_t diag, int m, int n, const T* alpha,     \
                                      const T* a, int lda, T* b, int ldb) {                                            \
        if (const int status = stub_gpu::called("trsm")) return static_cast<cublasStatus_t>(status);                   \
        const auto factor = *host(alpha);                                                                              \
        stub_gpu::launch(handle->stream,                                                                               \
                         [=] { triangle(side, uplo, turn, diag, m, n, factor, host(a), lda, host(b), ldb); });         \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    cublasStatus_t cublas##X##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,         \
                                          cublasOperation_t turn, cublasDiagType_t diag, int m, int n, const T* alpha, \
                                          const T* const a[], int lda, T* const b[], int ldb, int batch) {             \
        if (const int status = stub_gpu::called("trsmBatched")) return static_cast<cublasStatus_t>(status);            \
        const auto factor = *host(alpha);                                                                              \
        stub_gpu::launch(handle->stream, [=] {                                                                         \
            for (int i = 0; i < batch; ++i)                                                                            \
                triangle(side, uplo, turn, diag, m, n, factor, host(a[i]), lda, host(b[i]), ldb);                      \
        });                                                                                                            \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }

STUB_SOLVER(float, float, S, s, orgqr, ormqr, syevd, orgqr, ormqr, syevd)
STUB_SOLVER(double, double, D, d, orgqr, ormqr, syevd, orgqr, ormqr, syevd)
STUB_SOLVER(cuComplex, float, C, c, ungqr, unmqr, heevd, ungqr, unmqr, heevd)
STUB_SOLVER(cuDoubleComplex, double, Z, z, ungqr, unmqr, heevd, ungqr, unmqr, heevd)

}  // extern "C"
