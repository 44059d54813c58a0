// SPDX-License-Identifier: Apache-2.0
// QR and its reflectors, and singular values.
#include <algorithm>
#include <array>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/linalg/linalg.h"
#include "plugins/cuda/linalg/solver_library.h"

namespace loupe::cuda {
namespace {

// Of each matrix in place: R above, reflectors below; tau [batch, min(m, n)].
void reflect(const Tensor& work, const Tensor& tau) {
    const std::int64_t m = work.size(-2), n = work.size(-1), k = std::min(m, n);
    const Tensor codes = codes_for(work);
    const cusolverDnHandle_t handle = solver_of(work.device());
    with_type(work.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::geqrf_size(handle, whole(m), whole(n), at<T>(work, 0, 0), whole(m), &room), "qr");
        for (std::int64_t i = 0; i < batch_of(work); ++i) {
            auto* const scratch =
                static_cast<T*>(scratch_of(work.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::geqrf(handle, whole(m), whole(n), at<T>(work, i, m * n), whole(m), at<T>(tau, i, k),
                                          scratch, room, at<int>(codes, i, 1)),
                         "qr");
        }
    });
}

// The columns of the product of k reflectors, in place of them.
void multiply_out(const Tensor& work, const Tensor& tau, std::int64_t k) {
    const std::int64_t m = work.size(-2), n = work.size(-1);
    const Tensor codes = codes_for(work);
    const cusolverDnHandle_t handle = solver_of(work.device());
    with_type(work.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::orgqr_size(handle, whole(m), whole(n), whole(k), at<T>(work, 0, 0), whole(m),
                                           at<T>(tau, 0, 0), &room),
                     "qr");
        for (std::int64_t i = 0; i < batch_of(work); ++i) {
            auto* const scratch =
                static_cast<T*>(scratch_of(work.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::orgqr(handle, whole(m), whole(n), whole(k), at<T>(work, i, m * n), whole(m),
                                          at<T>(tau, i, k), scratch, room, at<int>(codes, i, 1)),
                         "qr");
        }
    });
}

Tensor columns_of(const Tensor& t, std::int64_t count) {
    return fn::narrow(t, std::int64_t{-1}, std::int64_t{0}, count);
}

void qr(const Tensor& Q, const Tensor& R, const Tensor& A, std::string_view mode) {
    const std::int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n), batch = batch_of(A);
    const Tensor factors = column_copy(A), tau = empty(std::array{batch, k}, A.dtype(), A.device());
    reflect(factors, tau);
    copy_into(R, triangle_of(fn::narrow(factors, std::int64_t{-2}, std::int64_t{0}, R.size(-2)), true));
    if (mode == "r") return;
    const Tensor work = empty_columns(A, m, Q.size(-1));
    copy_into(columns_of(work, k), columns_of(factors, k));
    multiply_out(work, tau, k);
    copy_into(Q, work);
}

void geqrf(const Tensor& a, const Tensor& tau, const Tensor& A) {
    const Tensor work = column_copy(A), scales = row_room(tau);
    reflect(work, scales);
    copy_into(a, work);
    copy_into(tau, scales);
}

void householder_product(const Tensor& out, const Tensor& input, const Tensor& tau) {
    const Tensor work = column_copy(input), scales = row_room(tau);
    copy_into(scales, tau);
    multiply_out(work, scales, tau.size(-1));
    copy_into(out, work);
}

void ormqr(const Tensor& out, const Tensor& input, const Tensor& tau, const Tensor& other, bool left, bool transpose) {
    const Tensor reflectors = column_copy(input), work = column_copy(other), scales = row_room(tau);
    copy_into(scales, tau);
    const Tensor codes = codes_for(work);
    const std::int64_t m = other.size(-2), n = other.size(-1), k = tau.size(-1), rows = input.size(-2);
    const bool complex = is_complex(out.dtype());
    const cublasOperation_t turn = !transpose ? CUBLAS_OP_N : complex ? CUBLAS_OP_C : CUBLAS_OP_T;
    const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    const cusolverDnHandle_t handle = solver_of(out.device());
    with_type(out.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::ormqr_size(handle, side, turn, whole(m), whole(n), whole(k), at<T>(reflectors, 0, 0),
                                           whole(rows), at<T>(scales, 0, 0), at<T>(work, 0, 0), whole(m), &room),
                     "ormqr");
        for (std::int64_t i = 0; i < batch_of(work); ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(out.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::ormqr(handle, side, turn, whole(m), whole(n), whole(k),
                                          at<T>(reflectors, i, rows * input.size(-1)), whole(rows), at<T>(scales, i, k),
                                          at<T>(work, i, m * n), whole(m), scratch, room, at<int>(codes, i, 1)),
                         "ormqr");
        }
    });
    copy_into(out, work);
}

// The library takes matrices of as many rows as columns at least: of others the adjoint, A^H = V S U^H.
void svd(const Tensor& U, const Tensor& S, const Tensor& Vh, const Tensor& A, bool full, bool with_vectors,
         const IValue&) {
    const bool is_tall = A.size(-2) >= A.size(-1);
    const Tensor work = column_copy(is_tall ? A : adjoint_of(A));
    const std::int64_t m = work.size(-2), n = work.size(-1), columns = full ? m : n;
    const Tensor left = empty_columns(work, m, with_vectors ? columns : 1), right = empty_columns(work, n, n);
    const Tensor values = row_room(S), codes = codes_for(work);
    if (has_finite_numbers(A)) {
        const signed char job = !with_vectors ? 'N' : full ? 'A' : 'S';
        const cusolverDnHandle_t handle = solver_of(A.device());
        with_type(A.dtype(), [&]<typename T>(T) {
            int room = 0;
            check_solver(Solver<T>::gesvd_size(handle, whole(m), whole(n), &room), "svd");
            for (std::int64_t i = 0; i < batch_of(work); ++i) {
                auto* const scratch =
                    static_cast<T*>(scratch_of(A.device(), static_cast<std::size_t>(room) * sizeof(T)));
                check_solver(Solver<T>::gesvd(handle, job, job, whole(m), whole(n), at<T>(work, i, m * n), whole(m),
                                              at<typename Solver<T>::Real>(values, i, n),
                                              at<T>(left, i, m * left.size(-1)), whole(m), at<T>(right, i, n * n),
                                              whole(n), scratch, room, nullptr, at<int>(codes, i, 1)),
                             "svd");
            }
        });
    } else {
        fill_with(codes, -4);  // LAPACK's code for NaN
    }
    linalg::check_errors(fn::reshape(on_host(codes), linalg::batch_sizes(A)), "linalg.svd", A.dim() == 2);
    copy_into(S, values);
    if (!with_vectors) return;
    copy_into(U, is_tall ? left : adjoint_of(right));
    copy_into(Vh, is_tall ? right : adjoint_of(left));
}

bool accepts_matrix(Arguments a, std::string* why) { return takes_matrices({a[0].to_tensor()}, why); }
template <std::size_t kTau>
bool accepts_reflectors(Arguments a, std::string* why) {
    const Tensor input = a[0].to_tensor(), tau = a[kTau].to_tensor();
    if (!takes_matrices({input}, why)) return false;
    const auto decline = [&](const char* reason) {
        if (why != nullptr) *why = reason;
        return false;
    };
    if (tau.numel() == 0) return decline("no reflectors");
    return tau.dtype() == input.dtype() || decline("mixed dtypes");
}
bool accepts_ormqr(Arguments a, std::string* why) {
    return accepts_reflectors<1>(a, why) && takes_matrices({a[0].to_tensor(), a[2].to_tensor()}, why);
}
bool accepts_svd(Arguments a, std::string* why) {
    if (!accepts_matrix(a, why)) return false;
    const bool is_taken = a[3].is_none() || a[3].to_string() == "gesvd";
    if (!is_taken && why != nullptr) *why = "a driver other than gesvd";
    return is_taken;
}

}  // namespace

void register_orthogonal(const PluginRegistries& registries) {
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accepts) {
        registries.add_kernel(name, DeviceType::Cuda, {"cusolver", kernel, accepts});
    };
    add("aten::linalg_qr", filling<qr, 2>, accepts_matrix);
    add("aten::geqrf", filling<geqrf, 2>, accepts_matrix);
    add("aten::linalg_householder_product", filling<householder_product>, accepts_reflectors<1>);
    add("aten::ormqr", filling<ormqr>, accepts_ormqr);
    add("aten::_linalg_svd", filling<svd, 3>, accepts_svd);
}

}  // namespace loupe::cuda
