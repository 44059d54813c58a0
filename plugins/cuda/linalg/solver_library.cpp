// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/linalg/solver_library.h"

#include <cublas_v2.h>

#include <array>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {

void check_solver(cusolverStatus_t status, const char* doing) {
    if (status == CUSOLVER_STATUS_ALLOC_FAILED)
        throw Error(ErrorKind::Run, concat("CUDA error: cuSOLVER found no memory (", doing, ")"));
    if (status != CUSOLVER_STATUS_SUCCESS)
        throw Error(ErrorKind::Run, concat("CUDA error: cuSOLVER status ", static_cast<int>(status), " (", doing, ")"));
}
void check_blas(cublasStatus_t status, const char* doing) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw Error(ErrorKind::Run, concat("CUDA error: ", cublasGetStatusString(status), " (", doing, ")"));
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
cublasHandle_t blas_of(Device device) {
    static std::mutex mutex;
    static auto* const handles = new std::map<int, cublasHandle_t>;
    const std::lock_guard lock(mutex);
    cublasHandle_t& handle = (*handles)[device.index];
    use(device);
    if (handle == nullptr) {
        const RelaxedCapture relaxed;
        check_blas(cublasCreate(&handle), "starting cuBLAS");
    }
    check_blas(cublasSetStream(handle, stream_of(device)), "starting cuBLAS");
    return handle;
}

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
Tensor row_room(const Tensor& out) { return empty(out.sizes(), out.dtype(), out.device()); }
Tensor codes_for(const Tensor& matrices) {
    return empty(std::array{batch_of(matrices)}, ScalarType::Int32, matrices.device());
}

namespace {

// [rows, columns] of true and false.
Tensor triangle_mask(const Tensor& t, bool upper) {
    const Tensor ones = empty(std::array{t.size(-2), t.size(-1)}, ScalarType::Float32, t.device());
    fill_with(ones, 1);
    const Tensor part = upper ? fn::triu(ones, std::int64_t{0}) : fn::tril(ones, std::int64_t{0});
    return fn::gt_scalar(part, Scalar(0));
}
Tensor number_like(const Tensor& t, double value) {
    const Tensor number = empty(std::array<std::int64_t, 1>{1}, t.dtype(), t.device());
    fill_with(number, value);
    return number;
}

}  // namespace

Tensor triangle_of(const Tensor& t, bool upper) {
    if (!is_complex(t.dtype())) return upper ? fn::triu(t, std::int64_t{0}) : fn::tril(t, std::int64_t{0});
    const Tensor parts = fn::view_as_real(t);
    return fn::view_as_complex(fn::contiguous(
        fn::where(fn::unsqueeze(triangle_mask(t, upper), std::int64_t{-1}), parts, number_like(parts, 0)), 0));
}
Tensor joined_triangles(const Tensor& inside, const Tensor& outside, bool upper) {
    const Tensor mask = triangle_mask(inside, upper);
    if (!is_complex(inside.dtype())) return fn::where(mask, inside, outside);
    return fn::view_as_complex(fn::contiguous(
        fn::where(fn::unsqueeze(mask, std::int64_t{-1}), fn::view_as_real(inside), fn::view_as_real(outside)), 0));
}
Tensor adjoint_of(const Tensor& t) {
    const Tensor turned = fn::transpose(t, std::int64_t{-2}, std::int64_t{-1});
    if (!is_complex(t.dtype())) return turned;
    const Tensor parts = fn::view_as_real(turned);
    const Tensor signs = empty(std::array<std::int64_t, 1>{2}, parts.dtype(), parts.device());
    fill_with(fn::narrow(signs, std::int64_t{0}, std::int64_t{0}, std::int64_t{1}), 1);
    fill_with(fn::narrow(signs, std::int64_t{0}, std::int64_t{1}, std::int64_t{1}), -1);
    return fn::view_as_complex(fn::contiguous(fn::mul(parts, signs), 0));
}

bool has_finite_numbers(const Tensor& A) {
    const Tensor parts = is_complex(A.dtype()) ? fn::view_as_real(A) : A;
    // A number that is not finite is not itself when it is taken from itself.
    const Tensor differences = fn::sub(parts, parts, Scalar(1));
    return item(fn::sum(fn::ne_scalar(differences, Scalar(0)))).to<std::int64_t>() == 0;
}

bool takes_matrices(std::initializer_list<Tensor> matrices, std::string* why) {
    const auto decline = [&](const std::string& reason) {
        if (why != nullptr) *why = reason;
        return false;
    };
    const ScalarType dtype = matrices.begin()->dtype();
    const bool is_taken = dtype == ScalarType::Float32 || dtype == ScalarType::Float64 ||
                          dtype == ScalarType::Complex64 || dtype == ScalarType::Complex128;
    if (!is_taken) return decline(std::string(dtype_name(dtype)) + " input");
    for (const Tensor& t : matrices) {
        if (t.dtype() != dtype) return decline("mixed dtypes");
        if (t.dim() < 2) return decline("vectors");
        if (t.numel() == 0) return decline("no elements");
        if (t.size(-1) >= (1 << 30) || t.size(-2) >= (1 << 30)) return decline("a matrix of 2^30 rows or columns");
    }
    return true;
}

}  // namespace loupe::cuda
