// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kernels of cuDNN share: a stream's handle, descriptions of tensors, and what is done where it has no way.

#include <cudnn.h>

#include <array>
#include <optional>

#include "core/dispatch/registry.h"
#include "core/tensor/tensor.h"

namespace loupe::cuda {

// What cuDNN has no algorithm for; another kernel must do it.
struct CudnnNotSupported {};

// Throws CudnnNotSupported, and Error (Run) for what failed: "cuDNN error: ... (a convolution)".
void check_cudnn(cudnnStatus_t status, const char* doing);
// Of the device's current stream.
cudnnHandle_t cudnn_handle(Device device);
// float16, bfloat16, float32, float64.
std::optional<cudnnDataType_t> cudnn_type(ScalarType dtype);
// Of float32 TF32 only where it was asked for.
cudnnMathType_t cudnn_math(ScalarType dtype, bool rounds_float32);

// One spatial dimension counts as two, of which the first is 1; none as two of 1.
inline constexpr int kMostCudnnDims = 5;
struct CudnnSizes {
    int count = 0;
    std::array<int, kMostCudnnDims> values{};
};
CudnnSizes cudnn_sizes(IntSpan sizes);

class TensorDescriptor {
  public:
    // Dense, the channels last or not.
    TensorDescriptor(IntSpan sizes, cudnnDataType_t type, bool channels_last);
    // Dense, with as many dimensions as there are sizes.
    TensorDescriptor(IntSpan sizes, cudnnDataType_t type);
    TensorDescriptor(const TensorDescriptor&) = delete;
    TensorDescriptor& operator=(const TensorDescriptor&) = delete;
    ~TensorDescriptor() { cudnnDestroyTensorDescriptor(own_); }
    operator cudnnTensorDescriptor_t() const { return own_; }

  private:
    cudnnTensorDescriptor_t own_ = nullptr;
};

// Dense in one of the two orders; a copy where it is neither.
Tensor in_order(const Tensor& t, bool channels_last);
// The tensor itself where it is that, else room that is to be copied to it.
Tensor room_for(const Tensor& out, bool channels_last);

// The factors of a result: 1 and 0 in the type that it is computed in.
struct Factors {
    explicit Factors(ScalarType dtype) : is_double(dtype == ScalarType::Float64) {}
    const void* one() const { return is_double ? static_cast<const void*>(&one64) : &one32; }
    const void* zero() const { return is_double ? static_cast<const void*>(&zero64) : &zero32; }
    bool is_double;
    double one64 = 1, zero64 = 0;
    float one32 = 1, zero32 = 0;
};

// Memory of a kernel's own, of at least a byte.
Tensor cudnn_workspace(std::size_t bytes, Device device);

// The call by the first kernel that is not cuDNN's and accepts it; on copies on the host where there is none.
void run_by_others(const Operator& op, Arguments arguments, IValue* results);

// kRun, which may throw CudnnNotSupported, as the kernel of an operator.
template <auto kRun, const char* kName>
void cudnn_kernel(Arguments arguments, IValue* results) {
    static const Operator& own = *find_operator(kName);
    try {
        kRun(arguments, results);
    } catch (const CudnnNotSupported&) {
        run_by_others(own, arguments, results);
    }
}

}  // namespace loupe::cuda
