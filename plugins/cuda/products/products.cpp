// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/products/products.h"

#include <cublas_v2.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/kernels/elementwise.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"
#include "plugins/cuda/products/epilogues.h"
#include "plugins/cuda/products/lt_library.h"

namespace loupe::cuda {
namespace {

void check(cublasStatus_t status, const char* doing) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw Error(ErrorKind::Run, concat("CUDA error: ", cublasGetStatusString(status), " (", doing, ")"));
}

// A stream's own: the memory that cuBLAS works in is a handle's.
struct Handle {
    cublasHandle_t own = nullptr;
    CaptureId capture = 0;  // whose memory it works in; 0: its own
};

// Captured work needs memory that stays where it is: cuBLAS's own is taken by the handle, and given otherwise later.
void choose_workspace(Handle& handle, Device device) {
    const CaptureId capture = capture_of(device);
    if (handle.capture == capture) return;
    if (capture == 0) {
        check(cublasSetStream(handle.own, stream_of(device)), "choosing cuBLAS's memory");  // its own again
    } else {
        constexpr std::size_t kBytes = std::size_t{32} << 20;  // as PyTorch on Hopper
        check(cublasSetWorkspace(handle.own, keep_for_capture(device, stream_of(device), kBytes), kBytes),
              "choosing cuBLAS's memory");
    }
    handle.capture = capture;
}

cublasHandle_t handle_for(Device device) {
    static std::mutex mutex;
    static auto* const handles = new std::map<std::pair<int, StreamId>, Handle>;
    const std::lock_guard lock(mutex);
    Handle& known = (*handles)[{device.index, current_stream(device)}];
    cublasHandle_t& handle = known.own;
    if (handle == nullptr) {
        use(device);
        const RelaxedCapture relaxed;
        check(cublasCreate(&handle), "starting cuBLAS");
        check(cublasSetStream(handle, stream_of(device)), "starting cuBLAS");
    }
    choose_workspace(known, device);
    // Float32 as it is, not TF32: PyTorch's default.
    check(
        cublasSetMathMode(handle, math_settings().products_in_tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH),
        "choosing how exact cuBLAS is");
    return handle;
}

std::optional<cudaDataType> type_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float32:
            return CUDA_R_32F;
        case ScalarType::Float64:
            return CUDA_R_64F;
        case ScalarType::Float16:
            return CUDA_R_16F;
        case ScalarType::BFloat16:
            return CUDA_R_16BF;
        default:
            return std::nullopt;
    }
}

// A batch of matrices as cuBLAS reads it: rows at `leading` elements from each other, or columns when `is_turned`.
struct Operand {
    Tensor tensor;
    bool is_turned = false;
    std::int64_t leading = 0;
    std::int64_t step = 0;  // from matrix to matrix
};

Operand operand_of(const Tensor& t) {
    const std::size_t rank = t.sizes().size();
    const std::int64_t rows = t.sizes()[rank - 2], columns = t.sizes()[rank - 1];
    const std::int64_t by_row = t.strides()[rank - 2], by_column = t.strides()[rank - 1];
    Operand operand{t};
    operand.step = rank == 3 ? t.strides()[0] : 0;
    if ((by_column == 1 || columns == 1) && (by_row >= columns || rows == 1)) {
        operand.leading = std::max(by_row, columns);
    } else if ((by_row == 1 || rows == 1) && (by_column >= rows || columns == 1)) {
        operand.is_turned = true;
        operand.leading = std::max(by_column, rows);
    } else {
        operand.tensor = empty(t.sizes(), t.dtype(), t.device());
        copy_into(operand.tensor, t);
        operand.leading = columns;
        operand.step = rank == 3 ? rows * columns : 0;
    }
    return operand;
}

// out = alpha a b + beta out; matrices, or batches of them.
void multiply(const Tensor& out, const Tensor& a, const Tensor& b, double beta, double alpha) {
    if (out.numel() == 0) return;
    const std::size_t rank = out.sizes().size();
    const std::int64_t batch = rank == 3 ? out.sizes()[0] : 1;
    const std::int64_t m = out.sizes()[rank - 2], n = out.sizes()[rank - 1], k = a.sizes()[rank - 1];
    Operand c = operand_of(out);
    const bool is_copied = c.is_turned || !c.tensor.is_same(out);
    if (is_copied) {
        c = {empty(out.sizes(), out.dtype(), out.device()), false, n, m * n};
        if (beta != 0) copy_into(c.tensor, out);
    }
    const Operand left = operand_of(a), right = operand_of(b);
    const cudaDataType type = *type_of(out.dtype());
    const bool is_double = out.dtype() == ScalarType::Float64;
    const float alpha32 = static_cast<float>(alpha), beta32 = static_cast<float>(beta);
    const void* const factor = is_double ? static_cast<const void*>(&alpha) : &alpha32;
    const void* const kept = is_double ? static_cast<const void*>(&beta) : &beta32;
    const auto turn = [](const Operand& o) { return o.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N; };
    use(out.device());
    // cuBLAS counts in columns: what it computes is the transposed product, b' a'.
    check(cublasGemmStridedBatchedEx_64(
              handle_for(out.device()), turn(right), turn(left), n, m, k, factor, right.tensor.address(), type,
              right.leading, right.step, left.tensor.address(), type, left.leading, left.step, kept, c.tensor.address(),
              type, c.leading, c.step, batch, is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "a matrix product");
    if (is_copied) copy_into(out, c.tensor);
}

void spread(const Tensor& out, const Tensor& self, const Scalar& beta) {
    if (!beta.equals(0) && !self.is_same(out)) copy_into(out, self);
}

void mm(const Tensor& out, const Tensor& self, const Tensor& mat2) {
    if (self.sizes()[1] == 0) return fill_with(out, 0);
    multiply(out, self, mat2, 0, 1);
}
void bmm(const Tensor& out, const Tensor& self, const Tensor& mat2) {
    if (self.sizes()[2] == 0) return fill_with(out, 0);
    multiply(out, self, mat2, 0, 1);
}
void addmm(const Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
           const Scalar& alpha) {
    spread(out, self, beta);
    multiply(out, mat1, mat2, beta.to<double>(), alpha.to<double>());
}

// One kernel with the bias, where it is one.
void addmm_with_bias(const Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                     const Scalar& alpha) {
    if (out.numel() == 0) return;
    const Tensor room = out.is_contiguous() ? out : empty(out.sizes(), out.dtype(), out.device());
    const LtProduct product = plan_product(room, mat1, mat2, self, alpha.to<double>(), Activation::None, nullptr);
    if (!lt_library(out.device()).multiply(product)) return addmm(out, self, mat1, mat2, beta, alpha);
    if (!room.is_same(out)) copy_into(out, room);
}

Tensor as_column(const Tensor& vector) {
    return vector.view_as_strided(
        std::array{vector.numel(), std::int64_t{1}},
        std::array{vector.dim() == 0 ? std::int64_t{1} : vector.strides()[0], std::int64_t{1}},
        vector.storage_offset());
}
void mv(const Tensor& out, const Tensor& self, const Tensor& vec) {
    if (self.sizes()[1] == 0) return fill_with(out, 0);
    multiply(as_column(out), self, as_column(vec), 0, 1);
}
void addmv(const Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
           const Scalar& alpha) {
    spread(out, self, beta);
    multiply(as_column(out), mat, as_column(vec), beta.to<double>(), alpha.to<double>());
}
void dot(const Tensor& out, const Tensor& self, const Tensor& other) {
    if (self.numel() == 0) return fill_with(out, 0);
    const Tensor column = as_column(self);
    const Tensor row = column.view_as_strided(std::array{std::int64_t{1}, self.numel()},
                                              std::array{std::int64_t{1}, column.strides()[0]}, self.storage_offset());
    multiply(as_column(out), row, as_column(other), 0, 1);
}

// Same dtypes, one that cuBLAS takes, and no number that it would lose.
template <std::size_t kTensors>
bool accepts(Arguments arguments, std::string* why) {
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    const bool is_taken = type_of(dtype).has_value();
    if (!is_taken && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    bool same = true;
    for (std::size_t i = 1; i < kTensors; ++i) same = same && arguments[i].tensor_impl()->dtype == dtype;
    if (!same && why != nullptr) *why = "mixed dtypes";
    return is_taken && same;
}

bool accepts_added(Arguments arguments, std::string* why) {
    if (!accepts<3>(arguments, why)) return false;
    const bool is_empty = arguments[1].to_tensor().sizes().back() == 0;
    if (is_empty && why != nullptr) *why = "nothing is added up";
    const bool is_on_device = !arguments[0].to_tensor().device().is_cpu();
    if (!is_on_device && why != nullptr) *why = "a number on the CPU";
    return !is_empty && is_on_device;
}

bool accepts_bias(Arguments arguments, std::string* why) {
    if (!accepts_added(arguments, why)) return false;
    const std::optional<std::string> reason = why_no_bias_epilogue(arguments[0].to_tensor(), arguments[1].to_tensor(),
                                                                   arguments[2].to_tensor(), arguments[3].to_scalar());
    if (reason && why != nullptr) *why = *reason;
    return !reason;
}

}  // namespace

void register_products(const PluginRegistries& registries) {
    add_preparation([](Device device) {
        handle_for(device);
        lt_library(device);
    });
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accept) {
        registries.add_kernel(name, DeviceType::Cuda, {"cublas", kernel, accept});
    };
    add("aten::mm", filling<mm>, accepts<2>);
    add("aten::bmm", filling<bmm>, accepts<2>);
    add("aten::addmm", filling<addmm>, accepts_added);
    registries.add_kernel("aten::addmm", DeviceType::Cuda, {"cublasLt", filling<addmm_with_bias>, accepts_bias});
    add("aten::mv", filling<mv>, accepts<2>);
    add("aten::addmv", filling<addmv>, accepts_added);
    add("aten::dot", filling<dot>, accepts<2>);
    add("aten::vdot", filling<dot>, accepts<2>);
    add("aten::baddbmm", filling<addmm>, accepts_added);
}

}  // namespace loupe::cuda
