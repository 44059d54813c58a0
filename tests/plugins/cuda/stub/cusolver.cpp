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

// Eigenvalues of any real matrix are complex; vectors of a pair are two columns.
template <typename T, typename Geev>
int general(int n, T* a, std::complex<T>* values, T* vectors, Geev geev) {
    std::vector<T> re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n));
    const int info =
        geev(kColumns, 'N', vectors == nullptr ? 'N' : 'V', n, a, n, re.data(), im.data(), nullptr, 1, vectors, n);
    for (std::size_t i = 0; i < re.size(); ++i) values[i] = {re[i], im[i]};
    return info;
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

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* made) {
    *made = nullptr;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t,
                                            cusolverEigMode_t, int64_t, cudaDataType, const void*, int64_t,
                                            cudaDataType, const void*, cudaDataType, const void*, int64_t, cudaDataType,
                                            const void*, int64_t, cudaDataType, size_t* room, size_t* host_room) {
    *room = 64;
    *host_room = 16;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t left,
                                 cusolverEigMode_t right, int64_t n, cudaDataType type, void* a, int64_t lda,
                                 cudaDataType value_type, void* values, cudaDataType, void*, int64_t,
                                 cudaDataType vector_type, void* vectors, int64_t ldv, cudaDataType, void*, size_t,
                                 void*, size_t, int* info) {
    const bool is_wide = type == CUDA_R_64F || type == CUDA_C_64F;
    const bool fits = left == CUSOLVER_EIG_MODE_NOVECTOR && lda == n && ldv == n && vector_type == type &&
                      value_type == (is_wide ? CUDA_C_64F : CUDA_C_32F);
    if (!fits) return CUSOLVER_STATUS_INVALID_VALUE;
    return run(handle, "geev", [=] {
        void* const columns = right == CUSOLVER_EIG_MODE_VECTOR ? vectors : nullptr;
        const int order = static_cast<int>(n);
        const char job = columns == nullptr ? 'N' : 'V';
        if (type == CUDA_R_32F)
            *info = general(order, static_cast<float*>(a), static_cast<std::complex<float>*>(values),
                            static_cast<float*>(columns), LAPACKE_sgeev);
        else if (type == CUDA_R_64F)
            *info = general(order, static_cast<double*>(a), static_cast<std::complex<double>*>(values),
                            static_cast<double*>(columns), LAPACKE_dgeev);
        else if (type == CUDA_C_32F)
            *info = LAPACKE_cgeev(kColumns, 'N', job, order, static_cast<std::complex<float>*>(a), order,
                                  static_cast<std::complex<float>*>(values), nullptr, 1,
                                  static_cast<std::complex<float>*>(columns), order);
        else
            *info = LAPACKE_zgeev(kColumns, 'N', job, order, static_cast<std::complex<double>*>(a), order,
                                  static_cast<std::complex<double>*>(values), nullptr, 1,
                                  static_cast<std::complex<double>*>(columns), order);
    });
}

// A question for room: no more than that it is asked.
#define STUB_SIZE(name, ...)                        \
    cusolverStatus_t name(__VA_ARGS__, int* room) { \
        *room = 32;                                 \
        return CUSOLVER_STATUS_SUCCESS;             \
    }
// T, its real type, the library's letter, LAPACK's, and the names that differ between real and complex types.
#define STUB_SOLVER(T, real, X, x, org, orm, eig, Org, Orm, Eig)                                                       \
    STUB_SIZE(cusolverDn##X##potrf_bufferSize, cusolverDnHandle_t, cublasFillMode_t, int, T*, int)                     \
    STUB_SIZE(cusolverDn##X##potri_bufferSize, cusolverDnHandle_t, cublasFillMode_t, int, T*, int)                     \
    STUB_SIZE(cusolverDn##X##getrf_bufferSize, cusolverDnHandle_t, int, int, T*, int)                                  \
    STUB_SIZE(cusolverDn##X##geqrf_bufferSize, cusolverDnHandle_t, int, int, T*, int)                                  \
    STUB_SIZE(cusolverDn##X##Org##_bufferSize, cusolverDnHandle_t, int, int, int, const T*, int, const T*)             \
    STUB_SIZE(cusolverDn##X##Orm##_bufferSize, cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int, int, int, \
              const T*, int, const T*, const T*, int)                                                                  \
    STUB_SIZE(cusolverDn##X##Eig##_bufferSize, cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T*, \
              int, const real*)                                                                                        \
    STUB_SIZE(cusolverDn##X##sytrf_bufferSize, cusolverDnHandle_t, int, T*, int)                                       \
    STUB_SIZE(cusolverDn##X##gesvd_bufferSize, cusolverDnHandle_t, int, int)                                           \
    cusolverStatus_t cusolverDn##X##sytrf(cusolverDnHandle_t handle, cublasFillMode_t side, int n, T* a, int lda,      \
                                          int* rows, T*, int, int* info) {                                             \
        return run(handle, "sytrf",                                                                                    \
                   [=] { *info = LAPACKE_##x##sytrf(kColumns, half_of(side), n, host(a), lda, rows); });               \
    }                                                                                                                  \
    cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t side, int n, T* a, int lda, T*,  \
                                          int, int* info) {                                                            \
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
