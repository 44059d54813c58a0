// SPDX-License-Identifier: Apache-2.0
// cuDNN's functions: convolutions of two or three dimensions as they are defined.

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/plugins/cuda/stub/cudnn_types.h"
#include "tests/plugins/cuda/stub/elements.h"
#include "tests/plugins/cuda/stub/gpu_state.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

namespace {

using namespace stub_cudnn;
using stub_gpu::Element;

// visit(x, w, y) with the places of the three elements that are multiplied and added.
template <typename Visit>
void each_product(const cudnnTensorStruct& x, const cudnnTensorStruct& w, const cudnnConvolutionStruct& c,
                  const cudnnTensorStruct& y, Visit&& visit) {
    const std::int64_t outputs = w.sizes[0] / c.groups;
    each_place(y.sizes, y.dims, [&](const Places& out) {
        Places kernel = w.sizes;
        kernel[0] = 1;
        each_place(kernel, w.dims, [&](Places tap) {
            tap[0] = out[1];
            Places in{out[0], out[1] / outputs * w.sizes[1] + tap[1]};
            for (int d = 2; d < x.dims; ++d) {
                const auto at = static_cast<std::size_t>(d);
                in[at] = out[at] * c.stride[at - 2] - c.padding[at - 2] + tap[at] * c.dilation[at - 2];
                if (in[at] < 0 || in[at] >= x.sizes[at]) return;
            }
            visit(offset(x, in), offset(w, tap), offset(y, out));
        });
    });
}

bool rounds(const cudnnConvolutionStruct& c, Element element) {
    return element == Element::Float32 && c.math == CUDNN_DEFAULT_MATH;
}

// target = sum of left * right over the products that reach each of its elements.
template <typename Pick>
cudnnStatus_t add_up(cudnnHandle_t handle, const cudnnTensorStruct& x, const cudnnTensorStruct& w,
                     const cudnnConvolutionStruct& c, const cudnnTensorStruct& y, const void* left, const void* right,
                     const cudnnTensorStruct& made, void* target, Pick pick) {
    const bool is_rounded = rounds(c, x.element);
    const Element element = x.element;
    stub_gpu::launch(handle->stream, [=] {
        std::int64_t count = 1;
        for (int d = 0; d < made.dims; ++d) count *= made.sizes[static_cast<std::size_t>(d)];
        std::vector<double> sums(static_cast<std::size_t>(count));
        const auto value = [&](const void* data, std::int64_t at) {
            const double read = stub_gpu::read(data, element, at);
            return is_rounded ? stub_gpu::in_tf32(read) : read;
        };
        each_product(x, w, c, y, [&](std::int64_t of_x, std::int64_t of_w, std::int64_t of_y) {
            const auto [first, second, result] = pick(of_x, of_w, of_y);
            sums[static_cast<std::size_t>(result)] += value(left, first) * value(right, second);
        });
        for (std::int64_t i = 0; i < count; ++i) stub_gpu::write(target, element, i, sums[static_cast<std::size_t>(i)]);
    });
    return CUDNN_STATUS_SUCCESS;
}

template <typename Performance>
cudnnStatus_t propose(cudnnConvolutionDescriptor_t convolution, int* found, Performance* proposals) {
    *found = 1;
    proposals[0] = {};
    proposals[0].determinism = CUDNN_DETERMINISTIC;
    proposals[0].mathType = convolution->math;
    return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() { return static_cast<std::size_t>(stub_gpu::machine().cudnn); }
const char* cudnnGetErrorString(cudnnStatus_t status) {
    return status == CUDNN_STATUS_ALLOC_FAILED ? "CUDNN_STATUS_ALLOC_FAILED" : "CUDNN_STATUS_EXECUTION_FAILED";
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    if (stub_gpu::unsafe_call() != cudaSuccess) return CUDNN_STATUS_NOT_INITIALIZED;
    *handle = new cudnnContext;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
    *made = new cudnnTensorStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t own, cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int dims, const int* sizes) {
    describe(*own, format, type, dims, sizes);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t own, cudnnDataType_t type, int dims, const int* sizes,
                                         const int* strides) {
    own->element = element_of(type);
    own->dims = dims;
    for (int d = 0; d < dims; ++d) {
        own->sizes[static_cast<std::size_t>(d)] = sizes[d];
        own->strides[static_cast<std::size_t>(d)] = strides[d];
    }
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) {
    *made = new cudnnFilterStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t own, cudnnDataType_t type, cudnnTensorFormat_t format,
                                         int dims, const int* sizes) {
    describe(*own, format, type, dims, sizes);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made) {
    *made = new cudnnConvolutionStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t own, int dims, const int* padding,
                                              const int* stride, const int* dilation, cudnnConvolutionMode_t,
                                              cudnnDataType_t) {
    own->dims = dims;
    for (int d = 0; d < dims; ++d) {
        const auto at = static_cast<std::size_t>(d);
        own->padding[at] = padding[d];
        own->stride[at] = stride[d];
        own->dilation[at] = dilation[d];
    }
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t own, int groups) {
    own->groups = groups;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t own, cudnnMathType_t math) {
    own->math = math;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,
                                                     cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t, int,
                                                     int* found, cudnnConvolutionFwdAlgoPerf_t* proposals) {
    return propose(c, found, proposals);
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,
                                                   cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t, int,
                                                   int* found, cudnnConvolutionFwdAlgoPerf_t* proposals) {
    return propose(c, found, proposals);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, cudnnFilterDescriptor_t,
                                                          cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t c,
                                                          cudnnTensorDescriptor_t, int, int* found,
                                                          cudnnConvolutionBwdDataAlgoPerf_t* proposals) {
    return propose(c, found, proposals);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t,
                                                        cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t, int,
                                                        int* found, cudnnConvolutionBwdDataAlgoPerf_t* proposals) {
    return propose(c, found, proposals);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t,
                                                            cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t c,
                                                            cudnnFilterDescriptor_t, int, int* found,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t* proposals) {
    return propose(c, found, proposals);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(cudnnHandle_t, cudnnTensorDescriptor_t,
                                                          cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t c,
                                                          cudnnFilterDescriptor_t, int, int* found,
                                                          cudnnConvolutionBwdFilterAlgoPerf_t* proposals) {
    return propose(c, found, proposals);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t x, const void* x_data,
                                      cudnnFilterDescriptor_t w, const void* w_data, cudnnConvolutionDescriptor_t c,
                                      cudnnConvolutionFwdAlgo_t, void*, size_t, const void*, cudnnTensorDescriptor_t y,
                                      void* y_data) {
    if (const int status = stub_gpu::called("cudnnConvolutionForward")) return static_cast<cudnnStatus_t>(status);
    return add_up(handle, *x, *w, *c, *y, x_data, w_data, *y, y_data,
                  [](std::int64_t a, std::int64_t b, std::int64_t r) {
                      return std::array{a, b, r};
                  });
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void*, cudnnFilterDescriptor_t w,
                                           const void* w_data, cudnnTensorDescriptor_t y, const void* y_data,
                                           cudnnConvolutionDescriptor_t c, cudnnConvolutionBwdDataAlgo_t, void*, size_t,
                                           const void*, cudnnTensorDescriptor_t x, void* x_data) {
    return add_up(handle, *x, *w, *c, *y, w_data, y_data, *x, x_data,
                  [](std::int64_t r, std::int64_t a, std::int64_t b) {
                      return std::array{a, b, r};
                  });
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t x,
                                             const void* x_data, cudnnTensorDescriptor_t y, const void* y_data,
                                             cudnnConvolutionDescriptor_t c, cudnnConvolutionBwdFilterAlgo_t, void*,
                                             size_t, const void*, cudnnFilterDescriptor_t w, void* w_data) {
    return add_up(handle, *x, *w, *c, *y, x_data, y_data, *w, w_data,
                  [](std::int64_t a, std::int64_t r, std::int64_t b) {
                      return std::array{a, b, r};
                  });
}

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* made) {
    *made = new cudnnActivationStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t own, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t, double) {
    own->mode = mode;
    return CUDNN_STATUS_SUCCESS;
}
// y = act(alpha1 conv(x) + alpha2 z + bias), all in one kernel.
cudnnStatus_t cudnnConvolutionBiasActivationForward(cudnnHandle_t handle, const void* alpha1, cudnnTensorDescriptor_t x,
                                                    const void* x_data, cudnnFilterDescriptor_t w, const void* w_data,
                                                    cudnnConvolutionDescriptor_t c, cudnnConvolutionFwdAlgo_t, void*,
                                                    size_t, const void* alpha2, cudnnTensorDescriptor_t z,
                                                    const void* z_data, cudnnTensorDescriptor_t b, const void* b_data,
                                                    cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t y,
                                                    void* y_data) {
    const int status = stub_gpu::called("cudnnConvolutionBiasActivationForward");
    if (status != 0) return static_cast<cudnnStatus_t>(status);
    if (activation->mode != CUDNN_ACTIVATION_RELU) return CUDNN_STATUS_NOT_SUPPORTED;
    const double one = factor(alpha1, x->element), two = factor(alpha2, x->element);
    const auto own_x = *x, own_y = *y, own_z = *z, own_b = *b;
    const auto own_w = *w;
    const auto own_c = *c;
    stub_gpu::launch(handle->stream, [=] {
        std::vector<double> sums(static_cast<std::size_t>(count_of(own_y)));
        const bool is_rounded = rounds(own_c, own_x.element);
        const auto value = [&](const void* data, std::int64_t at) {
            const double read = stub_gpu::read(data, own_x.element, at);
            return is_rounded ? stub_gpu::in_tf32(read) : read;
        };
        each_product(own_x, own_w, own_c, own_y, [&](std::int64_t of_x, std::int64_t of_w, std::int64_t of_y) {
            sums[static_cast<std::size_t>(of_y)] += value(x_data, of_x) * value(w_data, of_w);
        });
        each_place(own_y.sizes, own_y.dims, [&](const Places& at) {
            const std::int64_t place = offset(own_y, at);
            double sum = one * sums[static_cast<std::size_t>(place)];
            if (two != 0) sum += two * stub_gpu::read(z_data, own_z.element, offset(own_z, at));
            sum += stub_gpu::read(b_data, own_b.element, at[1] * own_b.strides[1]);
            stub_gpu::write(y_data, own_y.element, place, sum > 0 ? sum : 0);
        });
    });
    return CUDNN_STATUS_SUCCESS;
}

// y += b, whose other dimensions are 1.
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t b, const void* b_data,
                             const void*, cudnnTensorDescriptor_t y, void* y_data) {
    stub_gpu::launch(handle->stream, [bias = *b, own = *y, b_data, y_data] {
        each_place(own.sizes, own.dims, [&](const Places& at) {
            const std::int64_t place = offset(own, at);
            const double sum = stub_gpu::read(y_data, own.element, place) +
                               stub_gpu::read(b_data, bias.element, at[1] * bias.strides[1]);
            stub_gpu::write(y_data, own.element, place, sum);
        });
    });
    return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
