// SPDX-License-Identifier: Apache-2.0
// cuBLAS's functions: products as they are defined.

#include <cublas_v2.h>

#include "tests/plugins/cuda/stub/blas_handle.h"
#include "tests/plugins/cuda/stub/elements.h"
#include "tests/plugins/cuda/stub/gpu_state.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

namespace {

using stub_gpu::Element;

Element element_of(cudaDataType type) {
    switch (type) {
        case CUDA_R_64F:
            return Element::Float64;
        case CUDA_R_16F:
            return Element::Float16;
        case CUDA_R_16BF:
            return Element::BFloat16;
        default:
            return Element::Float32;
    }
}
double number(const void* value, bool is_double) {
    return is_double ? *static_cast<const double*>(value) : static_cast<double>(*static_cast<const float*>(value));
}

// By columns, from `leading` on elements apart.
struct Matrix {
    const void* data;
    Element element;
    bool is_turned;
    std::int64_t leading, step;
    bool is_rounded;

    double at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
        const std::int64_t place = is_turned ? column + row * leading : row + column * leading;
        const double value = stub_gpu::read(data, element, batch * step + place);
        return is_rounded ? stub_gpu::in_tf32(value) : value;
    }
};

}  // namespace

extern "C" {

// It takes memory from the driver.
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (stub_gpu::unsafe_call() != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    handle->has_workspace = false;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* memory, size_t) {
    handle->has_workspace = memory != nullptr;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    handle->math = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType, int* value) {
    *value = stub_gpu::machine().cublas;
    return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t) { return "CUBLAS_STATUS_EXECUTION_FAILED"; }

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t turn_a, cublasOperation_t turn_b,
                                             int64_t m, int64_t n, int64_t k, const void* alpha, const void* a,
                                             cudaDataType a_type, int64_t lda, long long int a_step, const void* b,
                                             cudaDataType b_type, int64_t ldb, long long int b_step, const void* beta,
                                             void* c, cudaDataType c_type, int64_t ldc, long long int c_step,
                                             int64_t batch, cublasComputeType_t compute, cublasGemmAlgo_t) {
    const auto& work = stub_gpu::work_of(handle->stream->device);
    if (work.capture_of(handle->stream->index) != nullptr && !handle->has_workspace) return CUBLAS_STATUS_ALLOC_FAILED;
    const bool is_rounded = a_type == CUDA_R_32F && handle->math == CUBLAS_TF32_TENSOR_OP_MATH;
    const Matrix left{a, element_of(a_type), turn_a != CUBLAS_OP_N, lda, a_step, is_rounded};
    const Matrix right{b, element_of(b_type), turn_b != CUBLAS_OP_N, ldb, b_step, is_rounded};
    const bool is_double = compute == CUBLAS_COMPUTE_64F;
    const double factor = number(alpha, is_double), kept = number(beta, is_double);
    const Element element = element_of(c_type);
    const bool is_given = stub_gpu::launch(handle->stream, [=] {
        for (std::int64_t each = 0; each < batch; ++each) {
            for (std::int64_t row = 0; row < m; ++row) {
                for (std::int64_t column = 0; column < n; ++column) {
                    double sum = 0;
                    for (std::int64_t i = 0; i < k; ++i) sum += left.at(each, row, i) * right.at(each, i, column);
                    const std::int64_t place = each * c_step + row + column * ldc;
                    const double before = kept == 0 ? 0 : kept * stub_gpu::read(c, element, place);
                    stub_gpu::write(c, element, place, factor * sum + before);
                }
            }
        }
    });
    return is_given ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
