// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of any square matrix, and factors of symmetric ones that need not be positive definite.
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
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

cudaDataType data_type_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
            return CUDA_R_64F;
        case ScalarType::Complex64:
            return CUDA_C_32F;
        case ScalarType::Complex128:
            return CUDA_C_64F;
        default:
            return CUDA_R_32F;
    }
}
ScalarType complex_of(ScalarType dtype) {
    return dtype == ScalarType::Float64 || dtype == ScalarType::Complex128 ? ScalarType::Complex128
                                                                           : ScalarType::Complex64;
}

class SolverParameters {
  public:
    SolverParameters() { check_solver(cusolverDnCreateParams(&own_), "eig"); }
    SolverParameters(const SolverParameters&) = delete;
    SolverParameters& operator=(const SolverParameters&) = delete;
    ~SolverParameters() { cusolverDnDestroyParams(own_); }
    operator cusolverDnParams_t() const { return own_; }

  private:
    cusolverDnParams_t own_ = nullptr;
};

// A conjugate pair of eigenvectors of a real matrix comes as real and imaginary part, in two columns: joined on the
// host, where it is known which values are pairs.
template <typename Real>
void join_pairs(const Tensor& values, const Tensor& columns, const Tensor& vectors) {
    const std::int64_t n = columns.size(-1), count = columns.numel() / (n * n);
    const auto* const l = values.data<std::complex<Real>>();
    const auto* const from = columns.data<Real>();
    auto* const to = vectors.data<std::complex<Real>>();
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            const std::int64_t at = (i * n + j) * n;
            const bool is_pair = l[i * n + j].imag() != 0 && j + 1 < n;
            for (std::int64_t r = 0; r < n; ++r) {
                const Real im = is_pair ? from[at + n + r] : Real(0);
                to[at + r] = {from[at + r], im};
                if (is_pair) to[at + n + r] = {from[at + r], -im};
            }
            if (is_pair) ++j;
        }
    }
}

// Values [batch, n], vectors by columns or undefined.
void decompose(const Tensor& values, const Tensor& vectors, const Tensor& A, const char* function) {
    if (!has_finite_numbers(A))
        throw Error(ErrorKind::Run, concat(function, ": input tensor should not contain infs or NaNs."));
    const Tensor work = column_copy(A), numbers = row_room(values), codes = codes_for(A);
    const Tensor columns = vectors.defined() ? empty_columns(A, A.size(-2), A.size(-1)) : Tensor();
    const std::int64_t n = A.size(-1), element = static_cast<std::int64_t>(A.element_size());
    const cudaDataType type = data_type_of(A.dtype()), wide = data_type_of(complex_of(A.dtype()));
    const cusolverEigMode_t mode = vectors.defined() ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const cusolverDnHandle_t handle = solver_of(A.device());
    const SolverParameters parameters;
    const auto place = [](const Tensor& t, std::int64_t bytes) {
        return t.defined() ? static_cast<void*>(static_cast<char*>(t.address()) + bytes) : nullptr;
    };
    std::size_t room = 0, host_room = 0;
    check_solver(cusolverDnXgeev_bufferSize(handle, parameters, CUSOLVER_EIG_MODE_NOVECTOR, mode, n, type,
                                            work.address(), n, wide, numbers.address(), type, nullptr, n, type,
                                            place(columns, 0), n, type, &room, &host_room),
                 "eig");
    std::vector<char> host(host_room + 1);
    for (std::int64_t i = 0; i < batch_of(A); ++i) {
        check_solver(
            cusolverDnXgeev(handle, parameters, CUSOLVER_EIG_MODE_NOVECTOR, mode, n, type,
                            place(work, i * n * n * element), n, wide,
                            place(numbers, i * n * static_cast<std::int64_t>(numbers.element_size())), type, nullptr, n,
                            type, place(columns, i * n * n * element), n, type, scratch_of(A.device(), room + 1), room,
                            host.data(), host_room, at<int>(codes, i, 1)),
            "eig");
    }
    linalg::check_errors(fn::reshape(on_host(codes), linalg::batch_sizes(A)), function, A.dim() == 2);
    copy_into(values, numbers);
    if (!vectors.defined()) return;
    if (is_complex(A.dtype())) return copy_into(vectors, columns);
    const Tensor there = on_host(columns), l = on_host(numbers);
    const Tensor joined = empty_strided(there.sizes(), there.strides(), complex_of(A.dtype()), Device{});
    if (A.dtype() == ScalarType::Float64)
        join_pairs<double>(l, there, joined);
    else
        join_pairs<float>(l, there, joined);
    copy_into(vectors, on_device(joined, A.device()));
}
void eig(const Tensor& values, const Tensor& vectors, const Tensor& A) {
    decompose(values, vectors, A, "torch.linalg.eig");
}
void eigenvalues(const Tensor& values, const Tensor& A) { decompose(values, Tensor(), A, "torch.linalg.eigvals"); }

void ldl_factor(const Tensor& LD, const Tensor& pivots, const Tensor& info, const Tensor& A, bool, bool) {
    const Tensor work = column_copy(triangle_of(A, false)), rows = row_room(pivots), codes = row_room(info);
    const int n = whole(A.size(-1));
    const cusolverDnHandle_t handle = solver_of(A.device());
    with_type(A.dtype(), [&]<typename T>(T) {
        int room = 0;
        check_solver(Solver<T>::sytrf_size(handle, n, at<T>(work, 0, 0), n, &room), "ldl_factor");
        for (std::int64_t i = 0; i < batch_of(A); ++i) {
            auto* const scratch = static_cast<T*>(scratch_of(A.device(), static_cast<std::size_t>(room) * sizeof(T)));
            check_solver(Solver<T>::sytrf(handle, CUBLAS_FILL_MODE_LOWER, n, at<T>(work, i, std::int64_t{n} * n), n,
                                          at<int>(rows, i, n), scratch, room, at<int>(codes, i, 1)),
                         "ldl_factor");
        }
    });
    copy_into(LD, work);
    copy_into(pivots, rows);
    copy_into(info, codes);
}

bool accepts_square(Arguments a, std::string* why) { return takes_matrices({a[0].to_tensor()}, why); }
bool accepts_ldl(Arguments a, std::string* why) {
    const Tensor A = a[0].to_tensor();
    if (!takes_matrices({A}, why)) return false;
    const auto decline = [&](const char* reason) {
        if (why != nullptr) *why = reason;
        return false;
    };
    if (a[1].to_bool() && is_complex(A.dtype())) return decline("Hermitian: cuSOLVER has symmetric factors alone");
    return !a[2].to_bool() || decline("errors are to be named");
}

}  // namespace

void register_general(const PluginRegistries& registries) {
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accepts) {
        registries.add_kernel(name, DeviceType::Cuda, {"cusolver", kernel, accepts});
    };
    add("aten::linalg_eig", filling<eig, 2>, accepts_square);
    add("aten::linalg_eigvals", filling<eigenvalues>, accepts_square);
    add("aten::linalg_ldl_factor_ex", filling<ldl_factor, 3>, accepts_ldl);
}

}  // namespace loupe::cuda
