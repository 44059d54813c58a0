// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolution: its geometry, its checks, and the three loops of it and its gradients.

#include <array>

#include "core/dispatch/boxing.h"
#include "core/tensor/tensor.h"

namespace loupe::nn_ops {

struct ConvolutionParameters {
    Dims stride;
    Dims padding;
    Dims dilation;
    bool transposed = false;
    Dims output_padding;
    std::int64_t groups = 1;
};
// From the arguments of aten::convolution (first = 3) or aten::convolution_backward (first = 4), each of full length.
ConvolutionParameters convolution_parameters(Arguments arguments, std::size_t first, std::size_t spatial);

// Throws PyTorch's messages when input, weight and bias do not fit; returns the output's sizes.
Dims check_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, const ConvolutionParameters& p);

// A convolution that is not transposed, with three spatial dimensions (the leading ones 1). A transposed one is
// the data gradient of such: its input is here the output.
struct ConvolutionShape {
    std::int64_t batch;
    std::int64_t in_channels;
    std::int64_t out_channels;
    std::int64_t groups;
    std::array<std::int64_t, 3> input;
    std::array<std::int64_t, 3> kernel;
    std::array<std::int64_t, 3> output;
    std::array<std::int64_t, 3> stride;
    std::array<std::int64_t, 3> padding;
    std::array<std::int64_t, 3> dilation;

    std::int64_t input_pixels() const { return input[0] * input[1] * input[2]; }
    std::int64_t output_pixels() const { return output[0] * output[1] * output[2]; }
    std::int64_t kernel_pixels() const { return kernel[0] * kernel[1] * kernel[2]; }
    // Terms of one output element.
    std::int64_t depth() const { return in_channels / groups * kernel_pixels(); }
};
// input and output: those of the operator as called, transposed or not.
ConvolutionShape convolution_shape(IntSpan input, IntSpan weight, IntSpan output, const ConvolutionParameters& p);

// All contiguous: x [N, C, *], w [O, C / groups, *], y [N, O, *]. Instantiated for float, double and int64.
template <typename T>
void convolve(const ConvolutionShape& shape, const T* x, const T* w, T* y);
template <typename T>
void convolve_data_gradient(const ConvolutionShape& shape, const T* grad_y, const T* w, T* grad_x);
template <typename T>
void convolve_weight_gradient(const ConvolutionShape& shape, const T* x, const T* grad_y, T* grad_w);

// Adds bias[c] to all pixels of channel c; out [N, C, *] contiguous, both of the same dtype.
void add_channel_bias(const Tensor& out, const Tensor& bias);

}  // namespace loupe::nn_ops
