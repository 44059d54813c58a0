// SPDX-License-Identifier: Apache-2.0
// Convolution as matrix products over gathered columns (im2col).
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/nn/convolution.h"

namespace loupe::nn_ops {
namespace {

// Rows of output pixels are worked on in blocks, so that their columns stay in cache.
constexpr std::int64_t kColumnElements = 1 << 19;

std::int64_t block_rows(const ConvolutionShape& s) {
    const std::int64_t row = std::max<std::int64_t>(1, s.depth() * s.output[2]);
    return std::clamp<std::int64_t>(kColumnElements / row, 1, std::max<std::int64_t>(1, s.output[0] * s.output[1]));
}

// The pixels are the columns already.
bool is_pointwise(const ConvolutionShape& s) {
    const std::array<std::int64_t, 3> ones{1, 1, 1};
    const std::array<std::int64_t, 3> zeros{0, 0, 0};
    return s.kernel == ones && s.stride == ones && s.padding == zeros;
}

// One tap of the kernel in one row of output pixels: its input row, and the pixels that read it.
struct Tap {
    std::int64_t input_row = -1;  // offset of the row in its channel; -1: padding only
    std::int64_t first = 0;       // of the output pixels [first, last) the input is inside
    std::int64_t last = 0;
    std::int64_t column = 0;  // input column of output pixel 0
};

Tap find_tap(const ConvolutionShape& s, std::int64_t row, std::int64_t kd, std::int64_t kh, std::int64_t kw) {
    Tap tap;
    const std::int64_t d = row / s.output[1] * s.stride[0] - s.padding[0] + kd * s.dilation[0];
    const std::int64_t h = row % s.output[1] * s.stride[1] - s.padding[1] + kh * s.dilation[1];
    if (d < 0 || d >= s.input[0] || h < 0 || h >= s.input[1]) return tap;
    tap.input_row = (d * s.input[1] + h) * s.input[2];
    tap.column = kw * s.dilation[2] - s.padding[2];
    const std::int64_t step = s.stride[2];
    tap.first = std::min(s.output[2], tap.column >= 0 ? 0 : (-tap.column + step - 1) / step);
    const std::int64_t room = s.input[2] - tap.column;
    tap.last = std::clamp<std::int64_t>(room <= 0 ? 0 : (room + step - 1) / step, tap.first, s.output[2]);
    return tap;
}

template <typename F>
void for_each_tap(const ConvolutionShape& s, std::int64_t channel_begin, std::int64_t channel_end, F&& f) {
    std::int64_t column_row = channel_begin * s.kernel_pixels();
    for (std::int64_t c = channel_begin; c < channel_end; ++c) {
        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd) {
            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh) {
                for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw) f(c, kd, kh, kw, column_row++);
            }
        }
    }
}

// columns [depth, (to - from) * OW] = the input of output rows [from, to).
template <typename T>
void gather_columns(const ConvolutionShape& s, const T* x, std::int64_t from, std::int64_t to, T* columns) {
    const std::int64_t width = (to - from) * s.output[2];
    const std::int64_t channels = s.in_channels / s.groups;
    parallel_for(0, channels, 4, [&](std::int64_t begin, std::int64_t end) {
        for_each_tap(s, begin, end,
                     [&](std::int64_t c, std::int64_t kd, std::int64_t kh, std::int64_t kw, std::int64_t at) {
                         const T* channel = x + c * s.input_pixels();
                         T* out = columns + at * width;
                         for (std::int64_t row = from; row < to; ++row, out += s.output[2]) {
                             const Tap tap = find_tap(s, row, kd, kh, kw);
                             std::fill(out, out + tap.first, T(0));
                             const T* in = channel + tap.input_row + tap.column;
                             if (s.stride[2] == 1) {
                                 if (tap.last > tap.first)
                                     std::memcpy(out + tap.first, in + tap.first,
                                                 static_cast<std::size_t>(tap.last - tap.first) * sizeof(T));
                             } else {
                                 for (std::int64_t w = tap.first; w < tap.last; ++w) out[w] = in[w * s.stride[2]];
                             }
                             std::fill(out + tap.last, out + s.output[2], T(0));
                         }
                     });
    });
}

// Adds columns back to the input pixels that they were gathered from.
template <typename T>
void scatter_columns(const ConvolutionShape& s, const T* columns, std::int64_t from, std::int64_t to, T* x) {
    const std::int64_t width = (to - from) * s.output[2];
    const std::int64_t channels = s.in_channels / s.groups;
    parallel_for(0, channels, 4, [&](std::int64_t begin, std::int64_t end) {
        for_each_tap(s, begin, end,
                     [&](std::int64_t c, std::int64_t kd, std::int64_t kh, std::int64_t kw, std::int64_t at) {
                         T* channel = x + c * s.input_pixels();
                         const T* in = columns + at * width;
                         for (std::int64_t row = from; row < to; ++row, in += s.output[2]) {
                             const Tap tap = find_tap(s, row, kd, kh, kw);
                             T* out = channel + tap.input_row + tap.column;
                             for (std::int64_t w = tap.first; w < tap.last; ++w) out[w * s.stride[2]] += in[w];
                         }
                     });
    });
}

// Calls f(image, group) for all; side by side when there are enough of them, else each with all threads.
template <typename F>
void for_each_image_group(const ConvolutionShape& s, F&& f) {
    const std::int64_t count = s.batch * s.groups;
    auto run = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) f(i / s.groups, i % s.groups);
    };
    if (count >= 2 * thread_count())
        parallel_for(0, count, 1, run);
    else
        run(0, count);
}

template <typename T>
MatrixRef<T> pixels_of(T* data, std::int64_t rows, std::int64_t all_pixels, std::int64_t from, std::int64_t to) {
    return {data + from, rows, to - from, all_pixels, 1};
}

}  // namespace

template <typename T>
void convolve(const ConvolutionShape& s, const T* x, const T* w, T* y) {
    const std::int64_t rows = s.output[0] * s.output[1];
    const std::int64_t out = s.out_channels / s.groups;
    for_each_image_group(s, [&](std::int64_t n, std::int64_t g) {
        const T* image = x + (n * s.in_channels + g * (s.in_channels / s.groups)) * s.input_pixels();
        T* result = y + (n * s.out_channels + g * out) * s.output_pixels();
        const auto weight = dense_matrix<const T>(w + g * out * s.depth(), out, s.depth());
        if (is_pointwise(s)) {
            gemm<T>(T(1), weight, dense_matrix<const T>(image, s.depth(), s.input_pixels()), T(0),
                    dense_matrix<T>(result, out, s.output_pixels()));
            return;
        }
        const std::int64_t step = block_rows(s);
        std::vector<T> columns(static_cast<std::size_t>(step * s.output[2] * s.depth()));
        for (std::int64_t from = 0; from < rows; from += step) {
            const std::int64_t to = std::min(rows, from + step);
            gather_columns(s, image, from, to, columns.data());
            gemm<T>(T(1), weight, dense_matrix<const T>(columns.data(), s.depth(), (to - from) * s.output[2]), T(0),
                    pixels_of(result, out, s.output_pixels(), from * s.output[2], to * s.output[2]));
        }
    });
}

template <typename T>
void convolve_data_gradient(const ConvolutionShape& s, const T* grad_y, const T* w, T* grad_x) {
    const std::int64_t rows = s.output[0] * s.output[1];
    const std::int64_t out = s.out_channels / s.groups;
    for_each_image_group(s, [&](std::int64_t n, std::int64_t g) {
        T* image = grad_x + (n * s.in_channels + g * (s.in_channels / s.groups)) * s.input_pixels();
        const T* gradient = grad_y + (n * s.out_channels + g * out) * s.output_pixels();
        const auto turned = dense_matrix<const T>(w + g * out * s.depth(), out, s.depth()).transposed();
        if (is_pointwise(s)) {
            gemm<T>(T(1), turned, dense_matrix<const T>(gradient, out, s.output_pixels()), T(0),
                    dense_matrix<T>(image, s.depth(), s.input_pixels()));
            return;
        }
        std::fill(image, image + s.in_channels / s.groups * s.input_pixels(), T(0));
        const std::int64_t step = block_rows(s);
        std::vector<T> columns(static_cast<std::size_t>(step * s.output[2] * s.depth()));
        for (std::int64_t from = 0; from < rows; from += step) {
            const std::int64_t to = std::min(rows, from + step);
            gemm<T>(T(1), turned, pixels_of(gradient, out, s.output_pixels(), from * s.output[2], to * s.output[2]),
                    T(0), dense_matrix<T>(columns.data(), s.depth(), (to - from) * s.output[2]));
            scatter_columns(s, columns.data(), from, to, image);
        }
    });
}

template <typename T>
void convolve_weight_gradient(const ConvolutionShape& s, const T* x, const T* grad_y, T* grad_w) {
    const std::int64_t rows = s.output[0] * s.output[1];
    const std::int64_t out = s.out_channels / s.groups;
    std::fill(grad_w, grad_w + s.out_channels * s.depth(), T(0));
    auto one_group = [&](std::int64_t g) {
        const auto weight = dense_matrix<T>(grad_w + g * out * s.depth(), out, s.depth());
        const std::int64_t step = block_rows(s);
        std::vector<T> columns(is_pointwise(s) ? 0 : static_cast<std::size_t>(step * s.output[2] * s.depth()));
        for (std::int64_t n = 0; n < s.batch; ++n) {
            const T* image = x + (n * s.in_channels + g * (s.in_channels / s.groups)) * s.input_pixels();
            const T* gradient = grad_y + (n * s.out_channels + g * out) * s.output_pixels();
            if (is_pointwise(s)) {
                gemm<T>(T(1), dense_matrix<const T>(gradient, out, s.output_pixels()),
                        dense_matrix<const T>(image, s.depth(), s.input_pixels()).transposed(), T(1), weight);
                continue;
            }
            for (std::int64_t from = 0; from < rows; from += step) {
                const std::int64_t to = std::min(rows, from + step);
                gather_columns(s, image, from, to, columns.data());
                gemm<T>(T(1), pixels_of(gradient, out, s.output_pixels(), from * s.output[2], to * s.output[2]),
                        dense_matrix<const T>(columns.data(), s.depth(), (to - from) * s.output[2]).transposed(), T(1),
                        weight);
            }
        }
    };
    if (s.groups < 2 * thread_count()) {
        for (std::int64_t g = 0; g < s.groups; ++g) one_group(g);
        return;
    }
    parallel_for(0, s.groups, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t g = begin; g < end; ++g) one_group(g);
    });
}

#define LOUPE_INSTANTIATE_CONVOLUTION(T)                                                      \
    template void convolve<T>(const ConvolutionShape&, const T*, const T*, T*);               \
    template void convolve_data_gradient<T>(const ConvolutionShape&, const T*, const T*, T*); \
    template void convolve_weight_gradient<T>(const ConvolutionShape&, const T*, const T*, T*);
LOUPE_INSTANTIATE_CONVOLUTION(float)
LOUPE_INSTANTIATE_CONVOLUTION(double)
LOUPE_INSTANTIATE_CONVOLUTION(std::int64_t)
#undef LOUPE_INSTANTIATE_CONVOLUTION

}  // namespace loupe::nn_ops
