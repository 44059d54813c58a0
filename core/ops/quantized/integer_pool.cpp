// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/integer_pool.h"

#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/tensor/quantizer.h"

namespace loupe::quantized_ops {
namespace {

struct Axis {
    std::int64_t in = 0, out = 0, taps = 0, stride = 0, padding = 0, dilation = 0;

    // The place that a tap sees; -1 for padding.
    std::int64_t seen(std::int64_t place, std::int64_t tap) const {
        const std::int64_t from = place * stride - padding + tap * dilation;
        return from < in ? std::max<std::int64_t>(from, -1) : -1;
    }
};

std::optional<Axis> axis_of(std::int64_t in, std::int64_t taps, std::int64_t stride, std::int64_t padding,
                            std::int64_t dilation, bool ceil_mode) {
    if (in < 1 || taps < 1 || stride < 1 || padding < 0 || padding * 2 > taps || dilation < 1) return std::nullopt;
    const std::int64_t room = in + 2 * padding - dilation * (taps - 1) - 1;
    if (room < 0 && !(ceil_mode && room + stride > 0)) return std::nullopt;
    Axis axis{in, (room + (ceil_mode ? stride - 1 : 0)) / stride + 1, taps, stride, padding, dilation};
    if (ceil_mode && (axis.out - 1) * stride >= in + padding) --axis.out;
    if (axis.out < 1) return std::nullopt;
    return axis;
}

// Of one setting for both dimensions or one each.
std::int64_t at(const Dims& numbers, std::size_t d) { return numbers[numbers.size() == 1 ? 0 : d]; }

template <typename T>
void pool_line(const Axis& height, const Axis& width, std::int64_t channels, const T* image, std::int64_t y, T* out) {
    for (std::int64_t x = 0; x < width.out; ++x, out += channels) {
        bool is_first = true;
        for (std::int64_t i = 0; i < height.taps; ++i) {
            const std::int64_t row = height.seen(y, i);
            if (row < 0) continue;
            for (std::int64_t j = 0; j < width.taps; ++j) {
                const std::int64_t column = width.seen(x, j);
                if (column < 0) continue;
                const T* const from = image + (row * width.in + column) * channels;
                if (is_first) {
                    std::copy_n(from, channels, out);
                } else {
#pragma omp simd
                    for (std::int64_t c = 0; c < channels; ++c) out[c] = from[c] > out[c] ? from[c] : out[c];
                }
                is_first = false;
            }
        }
        if (is_first) std::fill_n(out, channels, std::numeric_limits<T>::lowest());
    }
}

}  // namespace

std::optional<Tensor> pooled_integers(const Tensor& integers, const Dims& kernel, const Dims& stride,
                                      const Dims& padding, const Dims& dilation, bool ceil_mode) {
    const Dims& step = stride.empty() ? kernel : stride;
    const auto fits = [](const Dims& numbers) { return numbers.size() == 1 || numbers.size() == 2; };
    if (integers.dim() != 4 || !fits(kernel) || !fits(step) || !fits(padding) || !fits(dilation)) return std::nullopt;
    Axis axes[2];
    for (std::size_t d = 0; d < 2; ++d) {
        const auto found = axis_of(integers.size(static_cast<std::int64_t>(d) + 2), at(kernel, d), at(step, d),
                                   at(padding, d), at(dilation, d), ceil_mode);
        if (!found) return std::nullopt;
        axes[d] = *found;
    }
    const Axis &height = axes[0], &width = axes[1];
    const std::int64_t batch = integers.size(0), channels = integers.size(1);
    const Tensor x = fn::contiguous(fn::permute(integers, Dims{0, 2, 3, 1}), 0);
    const Tensor out = empty(span_of(Dims{batch, height.out, width.out, channels}), integers.dtype());
    visit_integers(integers.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* const from = x.data<T>();
        T* const to = out.data<T>();
        parallel_for(0, batch * height.out, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t line = begin; line < end; ++line) {
                pool_line(height, width, channels, from + line / height.out * height.in * width.in * channels,
                          line % height.out, to + line * width.out * channels);
            }
        });
    });
    return fn::permute(out, Dims{0, 3, 1, 2});
}

}  // namespace loupe::quantized_ops
