// SPDX-License-Identifier: Apache-2.0
// Least squares of matrices of full rank (gels): QR of the matrix, or of its adjoint where there are more unknowns than
// equations. The other drivers find ranks and are LAPACK's.
#include <array>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/linalg/linalg.h"
#include "plugins/cuda/linalg/solver_library.h"

namespace loupe::cuda {
namespace {

const OperatorHandle<fn::TwoTensors> op_geqrf("aten::geqrf");
const OperatorHandle<> op_ormqr("aten::ormqr");
const OperatorHandle<> op_solve_triangular("aten::linalg_solve_triangular");

Tensor first_rows(const Tensor& t, std::int64_t count) {
    return fn::narrow(t, std::int64_t{-2}, std::int64_t{0}, count);
}
ScalarType real_of(ScalarType dtype) {
    return dtype == ScalarType::Complex64    ? ScalarType::Float32
           : dtype == ScalarType::Complex128 ? ScalarType::Float64
                                             : dtype;
}

// As LAPACK says that a matrix is not of full rank: the first number of R's diagonal that is 0.
void check_rank(const Tensor& R, bool is_matrix) {
    const Tensor diagonal = fn::ne_scalar(
        on_host(fn::contiguous(fn::diagonal(R, std::int64_t{0}, std::int64_t{-2}, std::int64_t{-1}), 0)), Scalar(0));
    const std::int64_t n = diagonal.size(-1), count = diagonal.numel() / n;
    const Tensor codes = empty(span_of(linalg::batch_sizes(R)), ScalarType::Int32);
    for (std::int64_t i = 0; i < count; ++i) {
        std::int32_t code = 0;
        for (std::int64_t j = n - 1; j >= 0; --j) code = diagonal.data<bool>()[i * n + j] ? code : whole(j + 1);
        codes.data<std::int32_t>()[i] = code;
    }
    linalg::check_errors(codes, "torch.linalg.lstsq", is_matrix);
}

// The sums of squares of each column of the rows behind the first n.
Tensor residuals_of(const Tensor& C, std::int64_t n) {
    const Tensor behind = fn::narrow(C, std::int64_t{-2}, n, C.size(-2) - n);
    if (!is_complex(C.dtype())) return fn::sum_dim(fn::square(behind), Dims{-2}, false);
    return fn::sum_dim(fn::square(fn::view_as_real(behind)), Dims{-3, -1}, false);
}

// (solution, residuals, rank, singular_values): of gels the last two have no elements.
void least_squares(Arguments a, IValue* results) {
    const Tensor A = a[0].to_tensor(), given = a[1].to_tensor();
    const bool is_vector = linalg::is_vector_batch(A, given);
    const Tensor B = is_vector ? fn::unsqueeze(given, std::int64_t{-1}) : given;
    const Dims batch = linalg::broadcast_batches(A, B);
    const Tensor matrices = column_copy(linalg::in_batch(A, span_of(batch))),
                 right = column_copy(linalg::in_batch(B, span_of(batch)));
    const std::int64_t m = A.size(-2), n = A.size(-1);
    Tensor solution, residuals = empty(std::array<std::int64_t, 1>{0}, real_of(A.dtype()), A.device());
    if (m >= n) {
        const auto [factors, tau] = op_geqrf(matrices);
        const Tensor C = op_ormqr(factors, tau, right, true, true), R = first_rows(factors, n);
        check_rank(R, A.dim() == 2);
        solution = op_solve_triangular(R, first_rows(C, n), true, true, false);
        if (m > n) residuals = residuals_of(C, n);
    } else {
        const auto [factors, tau] = op_geqrf(adjoint_of(matrices));
        const Tensor R = triangle_of(first_rows(factors, m), true);
        check_rank(R, A.dim() == 2);
        const Tensor wide = empty_columns(right, n, right.size(-1));
        fill_with(wide, 0);
        copy_into(first_rows(wide, m), op_solve_triangular(adjoint_of(R), right, false, true, false));
        solution = op_ormqr(factors, tau, wide, true, false);
    }
    results[0] = is_vector ? fn::squeeze(solution, std::int64_t{-1}) : solution;
    results[1] = residuals;
    results[2] = empty(std::array<std::int64_t, 1>{0}, ScalarType::Int64, A.device());
    results[3] = empty(std::array<std::int64_t, 1>{0}, real_of(A.dtype()), A.device());
}

bool accepts_gels(Arguments a, std::string* why) {
    const Tensor A = a[0].to_tensor(), B = a[1].to_tensor();
    const auto decline = [&](const char* reason) {
        if (why != nullptr) *why = reason;
        return false;
    };
    if (a[3].is_none() || a[3].to_string() != "gels") return decline("a driver other than gels");
    if (!takes_matrices({A}, why)) return false;
    if (B.dtype() != A.dtype()) return decline("mixed dtypes");
    if (B.numel() == 0) return decline("no elements");
    const std::int64_t fewer = A.dim() - B.dim();
    const bool is_vector = fewer == 1 && linalg::is_vector_batch(A, B);
    const bool fits = (fewer == 0 && B.size(-2) == A.size(-2)) || (is_vector && B.size(-1) == A.size(-2));
    return fits || decline("sizes that do not fit");
}

}  // namespace

void register_least_squares(const PluginRegistries& registries) {
    registries.add_kernel("aten::linalg_lstsq", DeviceType::Cuda, {"cusolver", least_squares, accepts_gels});
}

}  // namespace loupe::cuda
