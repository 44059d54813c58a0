// SPDX-License-Identifier: Apache-2.0
#pragma once
// Descriptors of the simulated cuDNN.

#include <cudnn.h>

#include <array>
#include <cstdint>

#include "tests/plugins/cuda/stub/elements.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

namespace stub_cudnn {

using Places = std::array<std::int64_t, 5>;

}  // namespace stub_cudnn
using stub_cudnn::Places;

struct cudnnContext {
    cudaStream_t stream = nullptr;
};
struct cudnnTensorStruct {
    stub_gpu::Element element = stub_gpu::Element::Float32;
    int dims = 0;
    Places sizes{}, strides{};
};
struct cudnnFilterStruct : cudnnTensorStruct {};
struct cudnnActivationStruct {
    cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
};
struct cudnnConvolutionStruct {
    int dims = 2;
    std::array<std::int64_t, 3> padding{}, stride{1, 1, 1}, dilation{1, 1, 1};
    std::int64_t groups = 1;
    cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace stub_cudnn {

using stub_gpu::Element;

inline Element element_of(cudnnDataType_t type) {
    switch (type) {
        case CUDNN_DATA_DOUBLE:
            return Element::Float64;
        case CUDNN_DATA_HALF:
            return Element::Float16;
        case CUDNN_DATA_BFLOAT16:
            return Element::BFloat16;
        default:
            return Element::Float32;
    }
}

inline void describe(cudnnTensorStruct& t, cudnnTensorFormat_t format, cudnnDataType_t type, int dims,
                     const int* sizes) {
    t.element = element_of(type);
    t.dims = dims;
    std::int64_t stride = 1;
    const auto put = [&](int d) {
        t.sizes[static_cast<std::size_t>(d)] = sizes[d];
        t.strides[static_cast<std::size_t>(d)] = stride;
        stride *= sizes[d];
    };
    if (format == CUDNN_TENSOR_NHWC) put(1);
    for (int d = dims - 1; d >= (format == CUDNN_TENSOR_NHWC ? 2 : 1); --d) put(d);
    put(0);
}

// visit(place) for every place in the sizes.
template <typename Visit>
void each_place(const Places& sizes, int dims, Visit&& visit) {
    Places at{};
    std::int64_t count = 1;
    for (int d = 0; d < dims; ++d) count *= sizes[static_cast<std::size_t>(d)];
    for (std::int64_t i = 0; i < count; ++i) {
        visit(at);
        for (int d = dims - 1; d >= 0; --d) {
            const auto index = static_cast<std::size_t>(d);
            if (++at[index] < sizes[index]) break;
            at[index] = 0;
        }
    }
}
inline std::int64_t offset(const cudnnTensorStruct& t, const Places& at) {
    std::int64_t sum = 0;
    for (int d = 0; d < t.dims; ++d) sum += at[static_cast<std::size_t>(d)] * t.strides[static_cast<std::size_t>(d)];
    return sum;
}
inline std::int64_t count_of(const cudnnTensorStruct& t) {
    std::int64_t count = 1;
    for (int d = 0; d < t.dims; ++d) count *= t.sizes[static_cast<std::size_t>(d)];
    return count;
}
// alpha and beta: doubles for doubles, floats for all others.
inline double factor(const void* value, Element element) {
    return element == Element::Float64 ? *static_cast<const double*>(value)
                                       : static_cast<double>(*static_cast<const float*>(value));
}

}  // namespace stub_cudnn
