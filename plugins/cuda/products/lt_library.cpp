// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/products/lt_library.h"

#include <cublasLt.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {
namespace {

static_assert(static_cast<int>(Epilogue::None) == CUBLASLT_EPILOGUE_DEFAULT &&
              static_cast<int>(Epilogue::Relu) == CUBLASLT_EPILOGUE_RELU &&
              static_cast<int>(Epilogue::ReluAux) == CUBLASLT_EPILOGUE_RELU_AUX &&
              static_cast<int>(Epilogue::Bias) == CUBLASLT_EPILOGUE_BIAS &&
              static_cast<int>(Epilogue::ReluBias) == CUBLASLT_EPILOGUE_RELU_BIAS &&
              static_cast<int>(Epilogue::ReluAuxBias) == CUBLASLT_EPILOGUE_RELU_AUX_BIAS &&
              static_cast<int>(Epilogue::DRelu) == CUBLASLT_EPILOGUE_DRELU &&
              static_cast<int>(Epilogue::DReluBiasGradient) == CUBLASLT_EPILOGUE_DRELU_BGRAD &&
              static_cast<int>(Epilogue::Gelu) == CUBLASLT_EPILOGUE_GELU &&
              static_cast<int>(Epilogue::GeluAux) == CUBLASLT_EPILOGUE_GELU_AUX &&
              static_cast<int>(Epilogue::GeluBias) == CUBLASLT_EPILOGUE_GELU_BIAS &&
              static_cast<int>(Epilogue::GeluAuxBias) == CUBLASLT_EPILOGUE_GELU_AUX_BIAS &&
              static_cast<int>(Epilogue::DGelu) == CUBLASLT_EPILOGUE_DGELU &&
              static_cast<int>(Epilogue::DGeluBiasGradient) == CUBLASLT_EPILOGUE_DGELU_BGRAD &&
              static_cast<int>(Epilogue::BiasGradientOfA) == CUBLASLT_EPILOGUE_BGRADA &&
              static_cast<int>(Epilogue::BiasGradientOfB) == CUBLASLT_EPILOGUE_BGRADB);

constexpr std::size_t kWorkspace = std::size_t{32} << 20;

void check_lt(cublasStatus_t status, const char* doing) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw Error(ErrorKind::Run, concat("CUDA error: ", cublasLtGetStatusString(status), " (", doing, ")"));
}

cudaDataType lt_type_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
            return CUDA_R_64F;
        case ScalarType::Float16:
            return CUDA_R_16F;
        case ScalarType::BFloat16:
            return CUDA_R_16BF;
        default:
            return CUDA_R_32F;
    }
}

template <auto kDestroy>
struct Destroy {
    template <typename T>
    void operator()(T* object) const {
        kDestroy(object);
    }
};
using Description = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy<cublasLtMatmulDescDestroy>>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy<cublasLtMatrixLayoutDestroy>>;
using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroy<cublasLtMatmulPreferenceDestroy>>;

template <typename T>
void set(const Description& description, cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check_lt(cublasLtMatmulDescSetAttribute(description.get(), attribute, &value, sizeof value), "a matrix product");
}

Layout layout_of(const LtMatrix& matrix, cudaDataType type) {
    cublasLtMatrixLayout_t made = nullptr;
    check_lt(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(matrix.rows),
                                        static_cast<std::uint64_t>(matrix.columns), matrix.leading),
             "a matrix product");
    return Layout(made);
}

class CudaLt final : public LtLibrary {
  public:
    explicit CudaLt(Device device) : device_(device) {
        use(device);
        const RelaxedCapture relaxed;
        check_lt(cublasLtCreate(&handle_), "starting cublasLt");
    }

    bool multiply(const LtProduct& product) override {
        use(device_);
        const cudaDataType type = lt_type_of(product.dtype);
        const Description description = describe(product, type);
        const Layout a = layout_of(product.a, type), b = layout_of(product.b, type), d = layout_of(product.d, type);
        const std::optional<cublasLtMatmulAlgo_t> algorithm = algorithm_of(product, description, a, b, d);
        if (!algorithm) return false;
        const bool is_double = product.dtype == ScalarType::Float64;
        const float alpha = static_cast<float>(product.alpha), none = 0;
        const double none_wide = 0;
        const void* const factor = is_double ? static_cast<const void*>(&product.alpha) : &alpha;
        const void* const kept = is_double ? static_cast<const void*>(&none_wide) : &none;
        check_lt(cublasLtMatmul(handle_, description.get(), factor, product.a.data, a.get(), product.b.data, b.get(),
                                kept, product.d.data, d.get(), product.d.data, d.get(), &*algorithm,
                                scratch_of(device_, kWorkspace), kWorkspace, stream_of(device_)),
                 "a matrix product");
        return true;
    }

  private:
    static Description describe(const LtProduct& product, cudaDataType type) {
        // Float32 as it is, not TF32: PyTorch's default.
        const bool is_double = product.dtype == ScalarType::Float64;
        cublasLtMatmulDesc_t made = nullptr;
        check_lt(cublasLtMatmulDescCreate(&made, is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                          is_double ? CUDA_R_64F : CUDA_R_32F),
                 "a matrix product");
        Description description(made);
        const auto turn = [](const LtMatrix& m) { return m.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N; };
        set(description, CUBLASLT_MATMUL_DESC_TRANSA, turn(product.a));
        set(description, CUBLASLT_MATMUL_DESC_TRANSB, turn(product.b));
        set(description, CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<cublasLtEpilogue_t>(product.epilogue));
        if (product.bias != nullptr) {
            set(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias);
            set(description, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
        }
        if (product.aux != nullptr) {
            set(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, product.aux);
            set(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, product.aux_leading);
        }
        return description;
    }

    // The library's first choice for operands that lie as these do.
    std::optional<cublasLtMatmulAlgo_t> algorithm_of(const LtProduct& product, const Description& description,
                                                     const Layout& a, const Layout& b, const Layout& d) {
        cublasLtMatmulPreference_t made = nullptr;
        check_lt(cublasLtMatmulPreferenceCreate(&made), "a matrix product");
        const Preference preference(made);
        const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
            check_lt(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value),
                     "a matrix product");
        };
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspace);
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(product.a.data));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(product.b.data));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(product.d.data));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(product.d.data));
        cublasLtMatmulHeuristicResult_t found{};
        int count = 0;
        const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
            handle_, description.get(), a.get(), b.get(), d.get(), d.get(), preference.get(), 1, &found, &count);
        // Of epilogues that it has for some types alone it says that they are impossible.
        const bool is_rare = product.epilogue != Epilogue::None && product.epilogue != Epilogue::Bias;
        if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_INVALID_VALUE && is_rare) ||
            (status == CUBLAS_STATUS_SUCCESS && count == 0))
            return {};
        check_lt(status, "choosing a matrix product");
        return found.algo;
    }
    // Of an address, as far as the library asks.
    static std::uint32_t alignment_of(const void* data) {
        const auto address = reinterpret_cast<std::uintptr_t>(data) | 256;
        return static_cast<std::uint32_t>(address & (~address + 1));
    }

    Device device_;
    cublasLtHandle_t handle_ = nullptr;
};

}  // namespace

LtLibrary& lt_library(Device device) {
    static std::mutex mutex;
    static auto* const libraries = new std::map<int, std::unique_ptr<CudaLt>>;
    const std::lock_guard lock(mutex);
    std::unique_ptr<CudaLt>& library = (*libraries)[device.index];
    if (library == nullptr) library = std::make_unique<CudaLt>(device);
    return *library;
}

}  // namespace loupe::cuda
