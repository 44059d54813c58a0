// SPDX-License-Identifier: Apache-2.0
// The five gradients of deform_conv2d: through columns, as in the forward pass.
#include <algorithm>

#include "core/base/parallel.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/nn/simd.h"
#include "plugins/torchvision_ops/ops/deform_conv2d.h"
#include "plugins/torchvision_ops/ops/family.h"
#include "plugins/torchvision_ops/ops/roi.h"

namespace loupe::torchvision_ops {
namespace {

// Sums over a group's channels for one tap; each has one element per place.
template <typename T>
struct TapGradients {
    T* y;
    T* x;
    T* mask;
};

// Samples one channel's plane at the tap's places: the column, and its gradient's contributions to offsets and mask.
template <typename T>
LOUPE_INLINE inline void gather_channel(const T* plane, std::int64_t row, const TapPlaces<T>& places,
                                        const T* unit_mask, const T* grad, std::int64_t n, const TapGradients<T>& sums,
                                        T* column) {
    const std::int32_t* corner = places.corner.data();
    const T *down = places.down.data(), *right = places.right.data(), *below = plane + row;
    const T* mask = places.mask != nullptr ? places.mask : unit_mask;
    T *sum_y = sums.y, *sum_x = sums.x, *sum_mask = sums.mask;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t at = corner[i];
        const T a = plane[at], b = plane[at + 1], c = below[at], d = below[at + 1];
        const T upper = (1 - right[i]) * a + right[i] * b;
        const T lower = (1 - right[i]) * c + right[i] * d;
        const T value = (1 - down[i]) * upper + down[i] * lower;
        const T weighed = mask[i] * grad[i];
        column[i] = mask[i] * value;
        sum_y[i] += weighed * (lower - upper);
        sum_x[i] += weighed * (down[i] * (d - c) + (1 - down[i]) * (b - a));
        sum_mask[i] += grad[i] * value;
    }
}

// grad_columns, columns: [C, taps, places]. The gradients of offset and mask of one image; also computes the columns.
template <typename T>
void gather_gradients(const DeformShape& s, const T* padded, const T* offset, const T* mask, const T* grad_columns,
                      T* grad_offset, T* grad_mask, T* columns) {
    parallel_for(0, s.offset_groups * s.taps(), 1, [&](std::int64_t begin, std::int64_t end) {
        TapPlaces<T> places;
        const auto count = static_cast<std::size_t>(s.places());
        std::vector<T> ones(s.use_mask ? 0 : count, T(1));
        std::vector<T> unused(s.use_mask ? 0 : count, T(0));
        for (std::int64_t map = begin; map < end; ++map) {
            const std::int64_t group = map / s.taps();
            const std::int64_t tap = map % s.taps();
            find_places(s, offset, mask, group, tap, places);
            const TapGradients<T> sums{grad_offset + 2 * map * s.places(), grad_offset + (2 * map + 1) * s.places(),
                                       s.use_mask ? grad_mask + map * s.places() : unused.data()};
            with_best_instructions([&]() LOUPE_INLINE {
                for (std::int64_t c = group * s.offset_channels(); c < (group + 1) * s.offset_channels(); ++c) {
                    const std::int64_t at = (c * s.taps() + tap) * s.places();
                    gather_channel(padded + c * s.padded_pixels(), s.padded_width(), places, ones.data(),
                                   grad_columns + at, s.places(), sums, columns + at);
                }
            });
        }
    });
}

template <typename T>
void scatter_channel(const DeformShape& s, const TapPlaces<T>& places, const T* grad, T* plane) {
    T* below = plane + s.padded_width();
    for (std::size_t i = 0; i < places.corner.size(); ++i) {
        const T g = places.mask != nullptr ? grad[i] * places.mask[i] : grad[i];
        const T lower = g * places.down[i];
        const T upper = g - lower;
        const std::int32_t at = places.corner[i];
        plane[at] += upper - upper * places.right[i];
        plane[at + 1] += upper * places.right[i];
        below[at] += lower - lower * places.right[i];
        below[at + 1] += lower * places.right[i];
    }
}

// The gradient of one image. padded: [C, H + 3, W + 3], overwritten; channels are split over threads.
template <typename T>
void scatter_gradients(const DeformShape& s, const T* offset, const T* mask, const T* grad_columns, T* padded,
                       T* grad_input) {
    parallel_for(
        0, s.channels, std::max<std::int64_t>(1, 4096 / (s.taps() * s.places())),
        [&](std::int64_t begin, std::int64_t end) {
            std::fill(padded + begin * s.padded_pixels(), padded + end * s.padded_pixels(), T(0));
            TapPlaces<T> places;
            for (std::int64_t group = begin / s.offset_channels(); group * s.offset_channels() < end; ++group) {
                const std::int64_t first = std::max(begin, group * s.offset_channels());
                const std::int64_t last = std::min(end, (group + 1) * s.offset_channels());
                for (std::int64_t tap = 0; tap < s.taps(); ++tap) {
                    find_places(s, offset, mask, group, tap, places);
                    for (std::int64_t c = first; c < last; ++c) {
                        scatter_channel(s, places, grad_columns + (c * s.taps() + tap) * s.places(),
                                        padded + c * s.padded_pixels());
                    }
                }
            }
            for (std::int64_t c = begin; c < end; ++c) {
                const T* from = padded + c * s.padded_pixels() + 2 * s.padded_width() + 2;
                for (std::int64_t y = 0; y < s.height; ++y)
                    std::copy_n(from + y * s.padded_width(), s.width, grad_input + c * s.pixels() + y * s.width);
            }
        });
}

struct Gradients {
    Tensor input, weight, offset, mask, bias;  // contiguous, zero
};

template <typename T>
void add_bias_gradient(const DeformShape& s, const T* grad, T* bias) {
    for (std::int64_t c = 0; c < s.out_channels; ++c) {
        T sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t i = 0; i < s.places(); ++i) sum += grad[c * s.places() + i];
        bias[c] += sum;
    }
}

template <typename T>
void differentiate(const DeformShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                   const Tensor& offset, const Tensor& mask, const Gradients& out) {
    const Tensor padded = empty(span_of(Dims{s.channels, s.padded_pixels()}), grad.dtype());
    const Tensor columns = empty(span_of(Dims{s.channels * s.taps(), s.places()}), grad.dtype());
    const Tensor grad_columns = empty(columns.sizes(), grad.dtype());
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t depth = s.channels / s.groups * s.taps();
    for (std::int64_t n = 0; n < s.batch; ++n) {
        const T* grad_image = grad.data<T>() + n * s.out_channels * s.places();
        const T* offset_image = offset.data<T>() + n * offset.size(1) * s.places();
        const std::int64_t mask_start = s.use_mask ? n * mask.size(1) * s.places() : 0;
        const auto grad_of = [&](std::int64_t g) {
            return dense_matrix<const T>(grad_image + g * rows * s.places(), rows, s.places());
        };
        for (std::int64_t g = 0; g < s.groups; ++g) {
            gemm<T>(T(1), dense_matrix<const T>(weight.data<T>() + g * rows * depth, rows, depth).transposed(),
                    grad_of(g), T(0),
                    dense_matrix<T>(grad_columns.data<T>() + g * depth * s.places(), depth, s.places()));
        }
        pad_planes(s, input.data<T>() + n * s.channels * s.pixels(), padded.data<T>());
        gather_gradients(s, padded.data<T>(), offset_image, mask.data<T>() + mask_start, grad_columns.data<T>(),
                         out.offset.data<T>() + n * offset.size(1) * s.places(), out.mask.data<T>() + mask_start,
                         columns.data<T>());
        for (std::int64_t g = 0; g < s.groups; ++g) {
            gemm<T>(T(1), grad_of(g),
                    dense_matrix<const T>(columns.data<T>() + g * depth * s.places(), depth, s.places()).transposed(),
                    T(1), dense_matrix<T>(out.weight.data<T>() + g * rows * depth, rows, depth));
        }
        scatter_gradients(s, offset_image, mask.data<T>() + mask_start, grad_columns.data<T>(), padded.data<T>(),
                          out.input.data<T>() + n * s.channels * s.pixels());
        add_bias_gradient(s, grad_image, out.bias.data<T>());
    }
}

MetaList infer_backward(const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& offset,
                        const Tensor& mask, const Tensor& bias, std::int64_t stride_h, std::int64_t stride_w,
                        std::int64_t pad_h, std::int64_t pad_w, std::int64_t dilation_h, std::int64_t dilation_w,
                        std::int64_t groups, std::int64_t offset_groups, bool use_mask) {
    const DeformShape s =
        deform_shape(input, weight, offset, mask,
                     {stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups, use_mask});
    nn_ops::require_sizes(grad, span_of(Dims{s.batch, s.out_channels, s.out_height, s.out_width}), "grad");
    require(bias.numel() == s.out_channels, "shape '[1, ", s.out_channels, ", 1, 1]' is invalid for input of size ",
            bias.numel());
    require(grad.dtype() == ScalarType::Float32 || grad.dtype() == ScalarType::Float64,
            "\"compute_grad_input\" not implemented for '", dtype_graph_name(grad.dtype()), "'");
    MetaList metas;
    for (const Tensor* t : {&input, &weight, &offset, &mask, &bias}) {
        // A mask that is not used may be of any dtype.
        require(t->dtype() == grad.dtype() || (t == &mask && !use_mask), "expected scalar type ",
                dtype_graph_name(grad.dtype()), " but found ", dtype_graph_name(t->dtype()));
        metas.push_back({to_dims(t->sizes()), t->dtype(), t->device()});
    }
    return metas;
}

void deform_conv2d_backward(const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad_offset,
                            const Tensor& grad_mask, const Tensor& grad_bias, const Tensor& grad, const Tensor& input,
                            const Tensor& weight, const Tensor& offset, const Tensor& mask, const Tensor&,
                            std::int64_t stride_h, std::int64_t stride_w, std::int64_t pad_h, std::int64_t pad_w,
                            std::int64_t dilation_h, std::int64_t dilation_w, std::int64_t groups,
                            std::int64_t offset_groups, bool use_mask) {
    const DeformShape s =
        deform_shape(input, weight, offset, mask,
                     {stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups, use_mask});
    const Gradients buffers{buffer_for(grad_input), buffer_for(grad_weight), buffer_for(grad_offset),
                            buffer_for(grad_mask), buffer_for(grad_bias)};
    for (const Tensor* t : {&buffers.input, &buffers.weight, &buffers.offset, &buffers.mask, &buffers.bias})
        fill_zero(*t);
    nn_ops::visit_floating(grad.dtype(), "compute_grad_input", [&]<typename T>(std::type_identity<T>) {
        differentiate<T>(s, packed(grad), packed(input), packed(weight), packed(offset), packed(mask), buffers);
    });
    put_back(grad_input, buffers.input);
    put_back(grad_weight, buffers.weight);
    put_back(grad_offset, buffers.offset);
    put_back(grad_mask, buffers.mask);
    put_back(grad_bias, buffers.bias);
}

void refuse(GradientContext&) { fail_double_backward("deform_conv2d"); }

constexpr OperatorRecord kRecords[] = {
    {
        .schema =
            "torchvision::_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor "
            "mask, "
            "Tensor bias, int stride_h, "
            "int stride_w, int pad_h, int pad_w, int dilation_h, int dilation_w, int groups, int offset_groups, bool "
            "use_mask) -> "
            "(Tensor, Tensor, Tensor, Tensor, Tensor)",
        .summary = "The gradients of deform_conv2d for input, weight, offset, mask and bias.",
        .infer = inferring<infer_backward>,
        .kernel = filling<deform_conv2d_backward, 5>,
        .derivative = {refuse},
    },
};

}  // namespace

std::span<const OperatorRecord> deform_conv2d_backward_records() { return kRecords; }

}  // namespace loupe::torchvision_ops
