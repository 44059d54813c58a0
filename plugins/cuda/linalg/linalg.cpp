// SPDX-License-Identifier: Apache-2.0
// Real matrices, one of a batch after the other, as LAPACK has them: by columns.
#include "plugins/cuda/linalg/linalg.h"

#include <cusolverDn.h>

#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {
namespace {

void check_solver(cusolverStatus_t status, const char* doing) {
    if (status != CUSOLVER_STATUS_SUCCESS)
        throw Error(ErrorKind::Run, concat("CUDA error: cuSOLVER status ", static_cast<int>(status), " (", doing, ")"));
}

cusolverDnHandle_t solver_of(Device device) {
    static std::mutex mutex;
    static auto* const handles = new std::map<int, cusolverDnHandle_t>;
    const std::lock_guard lock(mutex);
    cusolverDnHandle_t& handle = (*handles)[device.index];
    use(device);
    if (handle == nullptr) {
        const RelaxedCapture relaxed;
        check_solver(cusolverDnCreate(&handle), "starting cuSOLVER");
    }
    check_solver(cusolverDnSetStream(handle, stream_of(device)), "starting cuSOLVER");
    return handle;
}

// The library's functions of one type under one name.
template <typename T>
struct Solver;
#define LOUPE_SOLVER(T, letter)                                                  \
    template <>                                                                  \
    struct Solver<T> {                                                           \
        static constexpr auto potrf_size = cusolverDn##letter##potrf_bufferSize; \
        static constexpr auto potrf = cusolverDn##letter##potrf;                 \
        static constexpr auto getrf_size = cusolverDn##letter##getrf_bufferSize; \
        static constexpr auto getrf = cusolverDn##letter##getrf;                 \
        static constexpr auto getrs = cusolverDn##letter##getrs;                 \
        static constexpr auto geqrf_size = cusolverDn##letter##geqrf_bufferSize; \
        static constexpr auto geqrf = cusolverDn##letter##geqrf;                 \
        static constexpr auto orgqr_size = cusolverDn##letter##orgqr_bufferSize; \
        static constexpr auto orgqr = cusolverDn##letter##orgqr;                 \
        static constexpr auto syevd_size = cusolverDn##letter##syevd_bufferSize; \
        static constexpr auto syevd = cusolverDn##letter##syevd;                 \
    };
LOUPE_SOLVER(float, S)
LOUPE_SOLVER(double, D)
#undef LOUPE_SOLVER

template <typename Visit>
void with_type(ScalarType dtype, const Visit& visit) {
    if (dtype == ScalarType::Float64)
        visit(double());
    else
        visit(float());
}

// A batch of matrices by columns, one behind the other.
Tensor empty_columns(const Tensor& like, std::int64_t rows, std::int64_t columns) {
    Dims sizes(like.sizes().begin(), like.sizes().end() - 2), strides(sizes.size(), 0);
    std::int64_t step = rows * columns;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        strides[d] = step;
        step *= sizes[d];
    }
    sizes.push_back(rows);
    sizes.push_back(columns);
    strides.push_back(1);
    strides.push_back(rows);
    return empty_strided(span_of(sizes), span_of(strides), like.dtype(), like.device());
}
Tensor column_copy(const Tensor& t) {
    const Tensor copy = empty_columns(t, t.size(-2), t.size(-1));
    copy_into(copy, t);
    return copy;
}
std::int64_t batch_of(const Tensor& t) { return t.numel() / (t.size(-2) * t.size(-1)); }
template <typename T>
T* at(const Tensor& t, std::int64_t i, std::int64_t step) {
    return static_cast<T*>(t.address()) + i * step;
}
int whole(std::int64_t n) { return static_cast<int>(n); }

// Dense room for what the library writes in a row for each matrix: pivots, codes.
Tensor row_room(const Tensor& out) { return empty(out.sizes(), out.dtype(), out.device()); }

void cholesky(const Tensor& L, const Tensor& info, const Tensor& A, bool upper, bool) {
    if (A.numel() == 0) return fill_with(info, 0);
    const Tensor work = column_copy(upper ? fn::triu(A, std::int64_t{0}) : fn::tril(A, std::int64_t{0}));
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

void qr(const Tensor& Q, const Tensor& R, const Tensor& A, std::string_view mode) {
    const std::int64_t m = A.size(-2), n = A.size(-1), k = std::min(m, n), batch = batch_of(A);
    const Tensor factors = column_copy(A);
    const Tensor tau = empty(std::array{batch, k}, A.dtype(), A.device());
    const Tensor codes = empty(std::array{batch}, ScalarType::Int32, A.device());
    const cusolverDnHandle_t handle = solver_of(A.device());
    with_type(A.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::geqrf_size(handle, whole(m), whole(n), at<T>(factors, 0, 0), whole(m), &room), "qr");
        for (std::int64_t i = 0; i < batch; ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(A.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::geqrf(handle, whole(m), whole(n), at<T>(factors, i, m * n), whole(m),
                                          at<T>(tau, i, k), scratch, room, at<int>(codes, i, 1)),
                         "qr");
        }
    });
    copy_into(R, fn::triu(fn::narrow(factors, std::int64_t{-2}, std::int64_t{0}, R.size(-2)), std::int64_t{0}));
    if (mode == "r") return;
    const std::int64_t columns = Q.size(-1);
    const Tensor work = empty_columns(A, m, columns);
    copy_into(fn::narrow(work, std::int64_t{-1}, std::int64_t{0}, k),
              fn::narrow(factors, std::int64_t{-1}, std::int64_t{0}, k));
    with_type(A.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::orgqr_size(handle, whole(m), whole(columns), whole(k), at<T>(work, 0, 0), whole(m),
                                           at<T>(tau, 0, 0), &room),
                     "qr");
        for (std::int64_t i = 0; i < batch; ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(A.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::orgqr(handle, whole(m), whole(columns), whole(k), at<T>(work, i, m * columns),
                                          whole(m), at<T>(tau, i, k), scratch, room, at<int>(codes, i, 1)),
                         "qr");
        }
    });
    copy_into(Q, work);
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
                                           at<T>(sorted, 0, 0), &room),
                     "eigh");
        for (std::int64_t i = 0; i < batch; ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(A.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::syevd(handle, mode, side, whole(n), at<T>(work, i, n * n), whole(n),
                                          at<T>(sorted, i, n), scratch, room, at<int>(codes, i, 1)),
                         "eigh");
        }
    });
    if (item(fn::sum(fn::ne_scalar(codes, Scalar(0)))).to<std::int64_t>() != 0)
        throw Error(ErrorKind::Run, "linalg.eigh: The algorithm failed to converge.");
    copy_into(values, sorted);
    if (with_vectors) copy_into(vectors, work);
}

bool accepts_real(Arguments a, std::string* why) {
    const Tensor A = a[0].to_tensor();
    const bool is_taken = A.dtype() == ScalarType::Float32 || A.dtype() == ScalarType::Float64;
    if (!is_taken && why != nullptr) *why = std::string(dtype_name(A.dtype())) + " input";
    const bool fits = A.dim() < 2 || (A.size(-1) < (1 << 30) && A.size(-2) < (1 << 30));
    if (is_taken && !fits && why != nullptr) *why = "a matrix of 2^30 rows or columns";
    return is_taken && fits;
}
// Codes are read on the host then, and named with the matrix.
template <std::size_t kCheck>
bool accepts_unchecked(Arguments a, std::string* why) {
    if (!accepts_real(a, why)) return false;
    const bool is_checked = a[kCheck].to_bool();
    if (is_checked && why != nullptr) *why = "errors are to be named";
    return !is_checked;
}
bool accepts_pivots(Arguments a, std::string* why) {
    if (!accepts_unchecked<2>(a, why)) return false;
    if (!a[1].to_bool() && why != nullptr) *why = "without pivots";
    return a[1].to_bool();
}
bool accepts_some(Arguments a, std::string* why) {
    if (!accepts_real(a, why)) return false;
    const bool some = a[0].to_tensor().numel() > 0;
    if (!some && why != nullptr) *why = "no elements";
    return some;
}

}  // namespace

void register_linalg(const PluginRegistries& registries) {
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accepts) {
        registries.add_kernel(name, DeviceType::Cuda, {"cusolver", kernel, accepts});
    };
    add("aten::linalg_cholesky_ex", filling<cholesky, 2>, accepts_unchecked<2>);
    add("aten::linalg_lu_factor_ex", filling<lu_factor, 3>, accepts_pivots);
    add("aten::linalg_inv_ex", filling<inverse, 2>, accepts_unchecked<1>);
    add("aten::linalg_qr", filling<qr, 2>, accepts_some);
    add("aten::_linalg_eigh", filling<eigh, 2>, accepts_some);
}

}  // namespace loupe::cuda
