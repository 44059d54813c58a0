// SPDX-License-Identifier: Apache-2.0
// Linear systems: of triangular matrices by cuBLAS, of Cholesky and LU factors by cuSOLVER.
#include <cublas_v2.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/linalg/linalg.h"
#include "plugins/cuda/linalg/solver_library.h"

namespace loupe::cuda {
namespace {

using linalg::batch_sizes;
using linalg::in_batch;

template <typename T>
T one_of() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
        return T(1);
    else
        return T{1, 0};
}

// Addresses of the matrices, in memory of the device.
Tensor addresses_of(const Tensor& matrices) {
    const std::int64_t count = batch_of(matrices), step = matrices.size(-1) * matrices.size(-2) *
                                                          static_cast<std::int64_t>(matrices.element_size());
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < count; ++i)
        places.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(matrices.address())) + i * step);
    return on_device(tensor_of(std::span<const std::int64_t>(places), std::span(&count, 1)), matrices.device());
}

struct Triangle {
    bool upper, left, transpose, unit;
};
// out of the broadcast shape: op(A) X = B, or X op(A) = B.
void solve_triangles(const Tensor& out, const Tensor& A, const Tensor& B, Triangle system) {
    const Dims batch = batch_sizes(out);
    const Tensor matrices = column_copy(in_batch(A, span_of(batch))), work = column_copy(in_batch(B, span_of(batch)));
    const int m = whole(out.size(-2)), n = whole(out.size(-1)), order = whole(A.size(-1));
    const cublasSideMode_t side = system.left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    const cublasFillMode_t half = system.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t turn = system.transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasDiagType_t diagonal = system.unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    const cublasHandle_t handle = blas_of(out.device());
    const std::int64_t count = batch_of(out);
    with_type(out.dtype(), [&]<typename T>(T) {
        const T one = one_of<T>();
        if (count == 1) {
            check_blas(Solver<T>::trsm(handle, side, half, turn, diagonal, m, n, &one, at<T>(matrices, 0, 0), order,
                                       at<T>(work, 0, 0), m),
                       "solve_triangular");
            return;
        }
        const Tensor left = addresses_of(matrices), right = addresses_of(work);
        check_blas(Solver<T>::trsm_batched(handle, side, half, turn, diagonal, m, n, &one,
                                           static_cast<const T* const*>(left.address()), order,
                                           static_cast<T* const*>(right.address()), m, whole(count)),
                   "solve_triangular");
    });
    copy_into(out, work);
}
void solve_triangular(const Tensor& out, const Tensor& A, const Tensor& B, bool upper, bool left, bool unit) {
    solve_triangles(out, A, B, {upper, left, false, unit});
}
void triangular_solve(const Tensor& X, const Tensor& M, const Tensor& B, const Tensor& A, bool upper, bool transpose,
                      bool unit) {
    solve_triangles(X, A, B, {upper, true, transpose, unit});
    copy_into(M, in_batch(A, span_of(batch_sizes(X))));
}

void cholesky_solve(const Tensor& out, const Tensor& B, const Tensor& L, bool upper) {
    const Dims batch = batch_sizes(out);
    const Tensor factors = column_copy(in_batch(L, span_of(batch))), work = column_copy(in_batch(B, span_of(batch)));
    const Tensor codes = codes_for(out);
    const int n = whole(L.size(-1)), sides = whole(out.size(-1));
    const cublasFillMode_t half = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const cusolverDnHandle_t handle = solver_of(out.device());
    with_type(out.dtype(), [&]<typename T>(T) {
        for (std::int64_t i = 0; i < batch_of(out); ++i)
            check_solver(Solver<T>::potrs(handle, half, n, sides, at<T>(factors, i, std::int64_t{n} * n), n,
                                          at<T>(work, i, std::int64_t{n} * sides), n, at<int>(codes, i, 1)),
                         "cholesky_solve");
    });
    copy_into(out, work);
}

void cholesky_inverse(const Tensor& out, const Tensor& L, bool upper) {
    const Tensor work = column_copy(L), codes = codes_for(L);
    const int n = whole(L.size(-1));
    const cublasFillMode_t half = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const cusolverDnHandle_t handle = solver_of(out.device());
    with_type(out.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::potri_size(handle, half, n, at<T>(work, 0, 0), n, &room), "cholesky_inverse");
        for (std::int64_t i = 0; i < batch_of(L); ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(L.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::potri(handle, half, n, at<T>(work, i, std::int64_t{n} * n), n, scratch, room,
                                          at<int>(codes, i, 1)),
                         "cholesky_inverse");
        }
    });
    linalg::check_errors(on_host(codes), "cholesky_inverse", L.dim() == 2);
    // potri fills one triangle.
    copy_into(out, joined_triangles(work, adjoint_of(work), upper));
}

// left: A X = B. Else (X A = B) the transposed equation, whose columns are the rows of X.
void lu_solve(const Tensor& out, const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
    const Dims batch = batch_sizes(out);
    const Tensor wide = in_batch(B, span_of(batch));
    const auto turned = [](const Tensor& t) { return fn::transpose(t, std::int64_t{-2}, std::int64_t{-1}); };
    const bool conjugates = !left && adjoint && is_complex(out.dtype());
    // X A^H = B: A conj(X)^T = conj(B)^T.
    const Tensor work = column_copy(left ? wide : conjugates ? adjoint_of(wide) : turned(wide));
    const Tensor factors = column_copy(in_batch(LU, span_of(batch)));
    const Tensor given =
        fn::squeeze(in_batch(fn::unsqueeze(pivots, std::int64_t{-2}), span_of(batch)), std::int64_t{-2});
    const std::int64_t n = LU.size(-1);
    const Tensor rows = empty(given.sizes(), ScalarType::Int32, out.device());
    copy_into(rows, given);
    linalg::check_exchanges(on_host(rows), n, "linalg.lu_solve");
    const Tensor codes = codes_for(out);
    const bool complex = is_complex(out.dtype());
    const cublasOperation_t plain =
        left ? (adjoint ? (complex ? CUBLAS_OP_C : CUBLAS_OP_T) : CUBLAS_OP_N) : (adjoint ? CUBLAS_OP_N : CUBLAS_OP_T);
    const int sides = whole(work.size(-1));
    const cusolverDnHandle_t handle = solver_of(out.device());
    with_type(out.dtype(), [&]<typename T>(T) {
        for (std::int64_t i = 0; i < batch_of(out); ++i)
            check_solver(
                Solver<T>::getrs(handle, plain, whole(n), sides, at<T>(factors, i, n * n), whole(n),
                                 at<int>(rows, i, n), at<T>(work, i, n * sides), whole(n), at<int>(codes, i, 1)),
                "lu_solve");
    });
    copy_into(out, left ? work : conjugates ? adjoint_of(work) : turned(work));
}

// Real matrices that lie by rows are factored as they lie, transposed: the gradient reads the factors so.
void solve_ex(const Tensor& result, const Tensor& LU, const Tensor& pivots, const Tensor& info, const Tensor& A,
              const Tensor& B, bool left, bool) {
    const bool transposed = A.is_contiguous() && !is_complex(A.dtype());
    const auto [factors, rows, codes] = linalg::call::lu_factor_ex(transposed ? linalg::mT(A) : A, true, false);
    copy_into(LU, factors);
    copy_into(pivots, rows);
    copy_into(info, codes);
    const bool is_vector = linalg::is_vector_batch(A, B);
    const Tensor X =
        linalg::call::lu_solve(factors, rows, is_vector ? fn::unsqueeze(B, std::int64_t{-1}) : B, left, transposed);
    copy_into(result, is_vector ? fn::squeeze(X, std::int64_t{-1}) : X);
}

template <std::size_t kFirst, std::size_t kSecond>
bool accepts_both(Arguments a, std::string* why) {
    return takes_matrices({a[kFirst].to_tensor(), a[kSecond].to_tensor()}, why);
}
bool accepts_one(Arguments a, std::string* why) { return takes_matrices({a[0].to_tensor()}, why); }
bool accepts_solve(Arguments a, std::string* why) {
    const Tensor A = a[0].to_tensor(), B = a[1].to_tensor();
    if (!takes_matrices({A}, why)) return false;
    const auto decline = [&](const char* reason) {
        if (why != nullptr) *why = reason;
        return false;
    };
    if (A.dtype() != B.dtype()) return decline("mixed dtypes");
    if (B.numel() == 0) return decline("no elements");
    return !a[3].to_bool() || decline("errors are to be named");
}

}  // namespace

void register_systems(const PluginRegistries& registries) {
    const auto add = [&](std::string_view name, const char* library, KernelFunction kernel, AcceptFunction accepts) {
        registries.add_kernel(name, DeviceType::Cuda, {library, kernel, accepts});
    };
    add("aten::linalg_solve_triangular", "cublas", filling<solve_triangular>, accepts_both<0, 1>);
    add("aten::triangular_solve", "cublas", filling<triangular_solve, 2>, accepts_both<1, 0>);
    add("aten::cholesky_solve", "cusolver", filling<cholesky_solve>, accepts_both<1, 0>);
    add("aten::_cholesky_solve_helper", "cusolver", filling<cholesky_solve>, accepts_both<1, 0>);
    add("aten::cholesky_inverse", "cusolver", filling<cholesky_inverse>, accepts_one);
    add("aten::linalg_lu_solve", "cusolver", filling<lu_solve>, accepts_both<0, 2>);
    add("aten::_linalg_solve_ex", "cusolver", filling<solve_ex, 4>, accepts_solve);
}

}  // namespace loupe::cuda
