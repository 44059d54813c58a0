// SPDX-License-Identifier: Apache-2.0
// cuDNN's batch norms and pooling as they are defined, over the strides of the descriptors.

#include <cmath>
#include <limits>
#include <vector>

#include "tests/plugins/cuda/stub/cudnn_types.h"

struct cudnnPoolingStruct {
    cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
    int dims = 2;
    std::array<std::int64_t, 3> window{}, padding{}, stride{};
};

namespace {

using namespace stub_cudnn;
using stub_gpu::Element;
using stub_gpu::read;
using stub_gpu::write;

// The library refuses other modes, and numbers a channel of another type than it computes in.
bool fits(cudnnBatchNormMode_t mode, const cudnnTensorStruct& x, const cudnnTensorStruct& numbers) {
    const Element wanted = x.element == Element::Float64 ? Element::Float64 : Element::Float32;
    return mode != CUDNN_BATCHNORM_PER_ACTIVATION && numbers.element == wanted && numbers.sizes[1] == x.sizes[1] &&
           count_of(numbers) == x.sizes[1];
}

struct Moments {
    std::vector<double> mean, variance;
    double count = 0;
};
Moments moments_of(const cudnnTensorStruct& x, const void* data) {
    const auto channels = static_cast<std::size_t>(x.sizes[1]);
    Moments m{std::vector<double>(channels), std::vector<double>(channels),
              static_cast<double>(count_of(x)) / static_cast<double>(channels)};
    each_place(x.sizes, x.dims, [&](const Places& at) {
        m.mean[static_cast<std::size_t>(at[1])] += read(data, x.element, offset(x, at)) / m.count;
    });
    each_place(x.sizes, x.dims, [&](const Places& at) {
        const auto c = static_cast<std::size_t>(at[1]);
        const double d = read(data, x.element, offset(x, at)) - m.mean[c];
        m.variance[c] += d * d / m.count;
    });
    return m;
}

// visit(place of the input's element, place of the result's, share) for each element of each window; `share` is what
// the element's part is divided by.
template <typename Visit>
void each_pooled(const cudnnPoolingStruct& p, const cudnnTensorStruct& x, const cudnnTensorStruct& y, Visit&& visit) {
    Places window{1, 1};
    for (int d = 2; d < x.dims; ++d) window[static_cast<std::size_t>(d)] = p.window[static_cast<std::size_t>(d) - 2];
    each_place(y.sizes, y.dims, [&](const Places& out) {
        std::vector<std::int64_t> inside;
        std::int64_t all = 0;
        each_place(window, x.dims, [&](const Places& tap) {
            Places in{out[0], out[1]};
            bool is_there = true;
            for (int d = 2; d < x.dims; ++d) {
                const auto at = static_cast<std::size_t>(d);
                in[at] = out[at] * p.stride[at - 2] - p.padding[at - 2] + tap[at];
                is_there = is_there && in[at] >= 0 && in[at] < x.sizes[at];
            }
            ++all;
            if (is_there) inside.push_back(offset(x, in));
        });
        const bool counts_all = p.mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
        const auto count = counts_all ? all : static_cast<std::int64_t>(inside.size());
        for (const std::int64_t place : inside) visit(place, offset(y, out), static_cast<double>(count));
    });
}
// The library knows windows of whole strides alone.
bool fits(const cudnnPoolingStruct& p, const cudnnTensorStruct& x, const cudnnTensorStruct& y) {
    if (p.dims != x.dims - 2 || p.mode == CUDNN_POOLING_MAX || x.dims != y.dims) return false;
    for (int d = 0; d < p.dims; ++d) {
        const auto at = static_cast<std::size_t>(d);
        if (y.sizes[at + 2] != (x.sizes[at + 2] + 2 * p.padding[at] - p.window[at]) / p.stride[at] + 1) return false;
    }
    return true;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t* made) {
    *made = new cudnnPoolingStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t own) {
    delete own;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t own, const cudnnPoolingMode_t mode,
                                          const cudnnNanPropagation_t, int dims, const int* window, const int* padding,
                                          const int* stride) {
    own->mode = mode;
    own->dims = dims;
    for (int d = 0; d < dims; ++d) {
        const auto at = static_cast<std::size_t>(d);
        own->window[at] = window[d];
        own->padding[at] = padding[d];
        own->stride[at] = stride[d];
    }
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t pooling, const void*,
                                  const cudnnTensorDescriptor_t x, const void* x_data, const void*,
                                  const cudnnTensorDescriptor_t y, void* y_data) {
    if (const int status = stub_gpu::called("cudnnPoolingForward")) return static_cast<cudnnStatus_t>(status);
    if (!fits(*pooling, *x, *y)) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=, p = *pooling, in = *x, out = *y] {
        std::vector<double> sums(static_cast<std::size_t>(count_of(out)));
        each_pooled(p, in, out, [&](std::int64_t from, std::int64_t to, double count) {
            sums[static_cast<std::size_t>(to)] += read(x_data, in.element, from) / count;
        });
        for (std::size_t i = 0; i < sums.size(); ++i) write(y_data, out.element, static_cast<std::int64_t>(i), sums[i]);
    });
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t pooling, const void*,
                                   const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t dy,
                                   const void* dy_data, const cudnnTensorDescriptor_t, const void*, const void*,
                                   const cudnnTensorDescriptor_t dx, void* dx_data) {
    if (const int status = stub_gpu::called("cudnnPoolingBackward")) return static_cast<cudnnStatus_t>(status);
    if (!fits(*pooling, *dx, *dy)) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=, p = *pooling, in = *dx, out = *dy] {
        std::vector<double> sums(static_cast<std::size_t>(count_of(in)));
        each_pooled(p, in, out, [&](std::int64_t to, std::int64_t from, double count) {
            sums[static_cast<std::size_t>(to)] += read(dy_data, out.element, from) / count;
        });
        for (std::size_t i = 0; i < sums.size(); ++i) write(dx_data, in.element, static_cast<std::int64_t>(i), sums[i]);
    });
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void*,
                                                      const void*, cudnnTensorDescriptor_t x, const void* x_data,
                                                      cudnnTensorDescriptor_t y, void* y_data,
                                                      cudnnTensorDescriptor_t numbers, const void* scale,
                                                      const void* bias, const void* mean, const void* variance,
                                                      double eps) {
    const int status = stub_gpu::called("cudnnBatchNormalizationForwardInference", mode);
    if (status != 0) return static_cast<cudnnStatus_t>(status);
    if (!fits(mode, *x, *numbers)) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=, in = *x, out = *y, n = numbers->element] {
        each_place(in.sizes, in.dims, [&](const Places& at) {
            const double invstd = 1 / std::sqrt(read(variance, n, at[1]) + eps);
            const double centred = read(x_data, in.element, offset(in, at)) - read(mean, n, at[1]);
            write(y_data, out.element, offset(out, at),
                  centred * invstd * read(scale, n, at[1]) + read(bias, n, at[1]));
        });
    });
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void*,
                                                     const void*, cudnnTensorDescriptor_t x, const void* x_data,
                                                     cudnnTensorDescriptor_t y, void* y_data,
                                                     cudnnTensorDescriptor_t numbers, const void* scale,
                                                     const void* bias, double momentum, void* running_mean,
                                                     void* running_variance, double eps, void* save_mean,
                                                     void* save_invstd) {
    const int status = stub_gpu::called("cudnnBatchNormalizationForwardTraining", mode);
    if (status != 0) return static_cast<cudnnStatus_t>(status);
    if (!fits(mode, *x, *numbers)) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=, in = *x, out = *y, n = numbers->element] {
        const Moments m = moments_of(in, x_data);
        for (std::int64_t c = 0; c < in.sizes[1]; ++c) {
            const auto i = static_cast<std::size_t>(c);
            write(save_mean, n, c, m.mean[i]);
            write(save_invstd, n, c, 1 / std::sqrt(m.variance[i] + eps));
            if (running_mean == nullptr) continue;
            const double unbiased = m.variance[i] * m.count / (m.count - 1);
            write(running_mean, n, c, read(running_mean, n, c) * (1 - momentum) + m.mean[i] * momentum);
            write(running_variance, n, c, read(running_variance, n, c) * (1 - momentum) + unbiased * momentum);
        }
        each_place(in.sizes, in.dims, [&](const Places& at) {
            const auto i = static_cast<std::size_t>(at[1]);
            const double centred = read(x_data, in.element, offset(in, at)) - m.mean[i];
            write(y_data, out.element, offset(out, at),
                  centred / std::sqrt(m.variance[i] + eps) * read(scale, n, at[1]) + read(bias, n, at[1]));
        });
    });
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationBackward(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void*, const void*,
                                              const void*, const void*, cudnnTensorDescriptor_t x, const void* x_data,
                                              cudnnTensorDescriptor_t dy, const void* dy_data,
                                              cudnnTensorDescriptor_t dx, void* dx_data,
                                              cudnnTensorDescriptor_t numbers, const void* scale, void* of_scale,
                                              void* of_bias, double, const void* mean, const void* invstd) {
    const int status = stub_gpu::called("cudnnBatchNormalizationBackward", mode);
    if (status != 0) return static_cast<cudnnStatus_t>(status);
    if (!fits(mode, *x, *numbers)) return CUDNN_STATUS_BAD_PARAM;
    stub_gpu::launch(handle->stream, [=, in = *x, grad = *dy, out = *dx, n = numbers->element] {
        const auto channels = static_cast<std::size_t>(in.sizes[1]);
        const double count = static_cast<double>(count_of(in)) / static_cast<double>(channels);
        std::vector<double> sums(channels), products(channels);
        const auto normal = [&](const Places& at) {
            return (read(x_data, in.element, offset(in, at)) - read(mean, n, at[1])) * read(invstd, n, at[1]);
        };
        each_place(in.sizes, in.dims, [&](const Places& at) {
            const double g = read(dy_data, grad.element, offset(grad, at));
            sums[static_cast<std::size_t>(at[1])] += g;
            products[static_cast<std::size_t>(at[1])] += g * normal(at);
        });
        each_place(in.sizes, in.dims, [&](const Places& at) {
            const auto i = static_cast<std::size_t>(at[1]);
            const double g = read(dy_data, grad.element, offset(grad, at));
            const double inner = g - sums[i] / count - normal(at) * products[i] / count;
            write(dx_data, out.element, offset(out, at), inner * read(scale, n, at[1]) * read(invstd, n, at[1]));
        });
        for (std::size_t i = 0; i < channels; ++i) {
            write(of_scale, n, static_cast<std::int64_t>(i), products[i]);
            write(of_bias, n, static_cast<std::int64_t>(i), sums[i]);
        }
    });
    return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
