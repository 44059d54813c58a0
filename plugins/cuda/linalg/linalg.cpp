// SPDX-License-Identifier: Apache-2.0
// Cholesky, LU, inverses and eigenvalues of Hermitian matrices.
#include "plugins/cuda/linalg/linalg.h"

#include <array>

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/linalg/solver_library.h"

namespace loupe::cuda {
namespace {

void cholesky(const Tensor& L, const Tensor& info, const Tensor& A, bool upper, bool) {
    if (A.numel() == 0) return fill_with(info, 0);
    const Tensor work = column_copy(triangle_of(A, upper));
    const Tensor codes = row_room(info);
    const cusolverDnHandle_t handle = solver_of(A.device());
    const int n = whole(A.size(-1));
    const cublasFillMode_t side = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    with_type(A.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::potrf_size(handle, side, n, at<T>(work, 0, 0), n, &room), "cholesky");
        for (std::int64_t i = 0; i < batch_of(A); ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(A.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::potrf(handle, side, n, at<T>(work, i, std::int64_t{n} * n), n, scratch, room,
                                          at<int>(codes, i, 1)),
                         "cholesky");
        }
    });
    copy_into(L, work);
    copy_into(info, codes);
}

// Factors `work` in place.
void factor_lu(const Tensor& work, const Tensor& pivots, const Tensor& codes) {
    const cusolverDnHandle_t handle = solver_of(work.device());
    const int m = whole(work.size(-2)), n = whole(work.size(-1));
    with_type(work.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::getrf_size(handle, m, n, at<T>(work, 0, 0), m, &room), "lu_factor");
        for (std::int64_t i = 0; i < batch_of(work); ++i) {
            auto* const scratch =
                static_cast<T*>(scratch_of(work.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::getrf(handle, m, n, at<T>(work, i, std::int64_t{m} * n), m, scratch,
                                          at<int>(pivots, i, std::min(m, n)), at<int>(codes, i, 1)),
                         "lu_factor");
        }
    });
}
void lu_factor(const Tensor& LU, const Tensor& pivots, const Tensor& info, const Tensor& A, bool, bool) {
    if (A.numel() == 0) return fill_with(info, 0);
    const Tensor work = column_copy(A), rows = row_room(pivots), codes = row_room(info);
    factor_lu(work, rows, codes);
    copy_into(LU, work);
    copy_into(pivots, rows);
    copy_into(info, codes);
}

void inverse(const Tensor& result, const Tensor& info, const Tensor& A, bool) {
    if (A.numel() == 0) return fill_with(info, 0);
    const Tensor work = column_copy(A), codes = row_room(info);
    const std::int64_t n = A.size(-1), batch = batch_of(A);
    const Tensor rows = empty(std::array{batch, n}, ScalarType::Int32, A.device());
    factor_lu(work, rows, codes);
    const Tensor out = empty_columns(A, n, n);
    fill_with(out, 0);
    fill_with(fn::diagonal(out, std::int64_t{0}, std::int64_t{-2}, std::int64_t{-1}), 1);
    const cusolverDnHandle_t handle = solver_of(A.device());
    const Tensor solved = row_room(info);
    with_type(A.dtype(), [&]<typename T>(T) {
        for (std::int64_t i = 0; i < batch; ++i)
            check_solver(Solver<T>::getrs(handle, CUBLAS_OP_N, whole(n), whole(n), at<T>(work, i, n * n), whole(n),
                                          at<int>(rows, i, n), at<T>(out, i, n * n), whole(n), at<int>(solved, i, 1)),
                         "inv");
    });
    copy_into(result, out);
    copy_into(info, codes);
}

void eigh(const Tensor& values, const Tensor& vectors, const Tensor& A, std::string_view uplo, bool with_vectors) {
    const Tensor work = column_copy(A), sorted = row_room(values);
    const std::int64_t n = A.size(-1), batch = batch_of(A);
    const Tensor codes = empty(std::array{batch}, ScalarType::Int32, A.device());
    const cusolverDnHandle_t handle = solver_of(A.device());
    const cusolverEigMode_t mode = with_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const bool is_upper = uplo == "U" || uplo == "u";
    const cublasFillMode_t side = is_upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    with_type(A.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::syevd_size(handle, mode, side, whole(n), at<T>(work, 0, 0), whole(n),
                                           at<typename Solver<T>::Real>(sorted, 0, 0), &room),
                     "eigh");
        for (std::int64_t i = 0; i < batch; ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(A.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(
                Solver<T>::syevd(handle, mode, side, whole(n), at<T>(work, i, n * n), whole(n),
                                 at<typename Solver<T>::Real>(sorted, i, n), scratch, room, at<int>(codes, i, 1)),
                "eigh");
        }
    });
    if (item(fn::sum(fn::ne_scalar(codes, Scalar(0)))).to<std::int64_t>() != 0)
        throw Error(ErrorKind::Run, "linalg.eigh: The algorithm failed to converge.");
    copy_into(values, sorted);
    if (with_vectors) copy_into(vectors, work);
}

bool accepts_matrix(Arguments a, std::string* why) {
    const Tensor A = a[0].to_tensor();
    return takes_matrices({A}, why);
}
// Codes are read on the host then, and named with the matrix.
template <std::size_t kCheck>
bool accepts_unchecked(Arguments a, std::string* why) {
    if (!accepts_matrix(a, why)) return false;
    const bool is_checked = a[kCheck].to_bool();
    if (is_checked && why != nullptr) *why = "errors are to be named";
    return !is_checked;
}
bool accepts_pivots(Arguments a, std::string* why) {
    if (!accepts_unchecked<2>(a, why)) return false;
    if (!a[1].to_bool() && why != nullptr) *why = "without pivots";
    return a[1].to_bool();
}

}  // namespace

void register_factors(const PluginRegistries& registries) {
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accepts) {
        registries.add_kernel(name, DeviceType::Cuda, {"cusolver", kernel, accepts});
    };
    add("aten::linalg_cholesky_ex", filling<cholesky, 2>, accepts_unchecked<2>);
    add("aten::linalg_lu_factor_ex", filling<lu_factor, 3>, accepts_pivots);
    add("aten::linalg_inv_ex", filling<inverse, 2>, accepts_unchecked<1>);
    add("aten::_linalg_eigh", filling<eigh, 2>, accepts_matrix);
}

void register_linalg(const PluginRegistries& registries) {
    register_factors(registries);
    register_systems(registries);
    register_orthogonal(registries);
    register_general(registries);
    register_least_squares(registries);
}

}  // namespace loupe::cuda
