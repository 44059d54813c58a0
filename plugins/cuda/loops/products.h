// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of matrices of any numbers, and convolutions: what NVIDIA's libraries do not take. Includes nothing of the
// engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Dtypes that are multiplied, as the engine numbers them (core/tensor/scalar_type.h). Whole numbers wrap around; those
// of 16 bits are added up in float32 and rounded once.
enum class Factor : std::int8_t {
    UInt8 = 0,
    Int8 = 1,
    Int16 = 2,
    Int32 = 3,
    Int64 = 4,
    Float16 = 5,
    Float32 = 6,
    Float64 = 7,
    Complex64 = 9,
    Complex128 = 10,
    BFloat16 = 15,
};

// A number that a product is scaled by.
struct Scale {
    double real = 1, imaginary = 0;
    std::int64_t whole = 1;
};
// A batch of matrices; strides in elements.
struct Matrices {
    const void* data = nullptr;
    std::int64_t batch = 0, row = 0, column = 0;
};

// out[b] = alpha left[b] right[b] + beta added[b]: left is rows by depth, right depth by columns. `sums`: the products
// of all batches are added up in one result, whose batch is 1.
struct ProductShape {
    Factor factor = Factor::Float32;
    std::int64_t batch = 1, rows = 0, columns = 0, depth = 0;
    bool sums = false;
    bool conjugates = false;           // the left
    Matrices left, right, added, out;  // added without data: nothing is added; it may be `out`
    Scale alpha, beta;
};
void run_product(const Queue& queue, const ProductShape& shape);

// A convolution in three dimensions (leading ones 1). Dense arrays: x [batch, in_channels, *], w [out_channels,
// in_channels / groups, *], y [batch, out_channels, *].
struct ConvolutionGeometry {
    Factor factor = Factor::Float32;
    std::int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
    std::int64_t input[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, output[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1}, padding[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};
};
// bias: of each channel of the result, or null.
void run_convolution(const Queue& queue, const ConvolutionGeometry& g, const void* x, const void* w, const void* bias,
                     void* y);
// The gradient of x; also a transposed convolution of y.
void run_convolution_of_output(const Queue& queue, const ConvolutionGeometry& g, const void* y, const void* w,
                               const void* bias, void* x);
void run_convolution_weights(const Queue& queue, const ConvolutionGeometry& g, const void* x, const void* y, void* w);

}  // namespace loupe::cuda
