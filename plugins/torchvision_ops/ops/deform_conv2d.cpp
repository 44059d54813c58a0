// SPDX-License-Identifier: Apache-2.0
// Convolution whose taps are moved by offsets, and weighed by a mask (Dai et al. 2017; Zhu et al. 2018).
#include "plugins/torchvision_ops/ops/deform_conv2d.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/nn/simd.h"
#include "plugins/torchvision_ops/ops/family.h"

namespace loupe::torchvision_ops {
namespace {

const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>> kBackwardCall(
    "torchvision::_deform_conv2d_backward");

// Interpolated inputs of one channel group's taps, times the mask.
template <typename T>
LOUPE_INLINE inline void sample_plane(const T* plane, std::int64_t row, const TapPlaces<T>& places, std::int64_t n,
                                      T* out) {
    const std::int32_t* corner = places.corner.data();
    const T *down = places.down.data(), *right = places.right.data(), *mask = places.mask;
    const T* below = plane + row;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int32_t at = corner[i];
        const T upper = (1 - right[i]) * plane[at] + right[i] * plane[at + 1];
        const T lower = (1 - right[i]) * below[at] + right[i] * below[at + 1];
        out[i] = (1 - down[i]) * upper + down[i] * lower;
    }
    if (mask == nullptr) return;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) out[i] *= mask[i];
}

// columns: [C, taps, places] of one image.
template <typename T>
void make_columns(const DeformShape& s, const T* padded, const T* offset, const T* mask, T* columns) {
    parallel_for(0, s.offset_groups * s.taps(), 1, [&](std::int64_t begin, std::int64_t end) {
        TapPlaces<T> places;
        for (std::int64_t map = begin; map < end; ++map) {
            const std::int64_t group = map / s.taps();
            const std::int64_t tap = map % s.taps();
            find_places(s, offset, mask, group, tap, places);
            with_best_instructions([&]() LOUPE_INLINE {
                for (std::int64_t c = group * s.offset_channels(); c < (group + 1) * s.offset_channels(); ++c) {
                    sample_plane(padded + c * s.padded_pixels(), s.padded_width(), places, s.places(),
                                 columns + (c * s.taps() + tap) * s.places());
                }
            });
        }
    });
}

template <typename T>
void convolve(const DeformShape& s, const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
              const Tensor& bias, const Tensor& out) {
    const Tensor padded = empty(span_of(Dims{s.channels, s.padded_pixels()}), out.dtype());
    const Tensor columns = empty(span_of(Dims{s.channels * s.taps(), s.places()}), out.dtype());
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t depth = s.channels / s.groups * s.taps();
    for (std::int64_t n = 0; n < s.batch; ++n) {
        pad_planes(s, input.data<T>() + n * s.channels * s.pixels(), padded.data<T>());
        const T* mask_of_image = s.use_mask ? mask.data<T>() + n * mask.size(1) * s.places() : nullptr;
        make_columns(s, padded.data<T>(), offset.data<T>() + n * offset.size(1) * s.places(), mask_of_image,
                     columns.data<T>());
        T* image = out.data<T>() + n * s.out_channels * s.places();
        for (std::int64_t c = 0; c < s.out_channels; ++c)
            std::fill_n(image + c * s.places(), s.places(), bias.data<T>()[c]);
        for (std::int64_t g = 0; g < s.groups; ++g) {
            gemm<T>(T(1), dense_matrix<const T>(weight.data<T>() + g * rows * depth, rows, depth),
                    dense_matrix<const T>(columns.data<T>() + g * depth * s.places(), depth, s.places()), T(1),
                    dense_matrix<T>(image + g * rows * s.places(), rows, s.places()));
        }
    }
}

void check_dtypes(const DeformShape& s, const Tensor& input, const Tensor& weight, const Tensor& offset,
                  const Tensor& mask) {
    require(is_floating(input.dtype()) && input.dtype() != ScalarType::BFloat16,
            "\"deformable_im2col\" not implemented for '", dtype_graph_name(input.dtype()), "'");
    for (const Tensor* t : {&offset, &mask}) {
        if (t == &mask && !s.use_mask) continue;
        require(t->dtype() == input.dtype(), "expected scalar type ", dtype_graph_name(input.dtype()), " but found ",
                dtype_graph_name(t->dtype()));
    }
    require(weight.dtype() == input.dtype(), "mat1 and mat2 must have the same dtype");
    require(input.dtype() != ScalarType::Float16, "\"addmm_impl_cpu_\" not implemented for 'Half'");
}

TensorMeta infer_deform_conv2d(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                               const Tensor& bias, std::int64_t stride_h, std::int64_t stride_w, std::int64_t pad_h,
                               std::int64_t pad_w, std::int64_t dilation_h, std::int64_t dilation_w,
                               std::int64_t groups, std::int64_t offset_groups, bool use_mask) {
    const DeformShape s =
        deform_shape(input, weight, offset, mask,
                     {stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups, use_mask});
    if (s.batch > 0) check_dtypes(s, input, weight, offset, mask);
    require(bias.numel() == s.out_channels, "shape '[1, ", s.out_channels, ", 1, 1]' is invalid for input of size ",
            bias.numel());
    require(s.batch == 0 || bias.dtype() == input.dtype(), "expected scalar type ", dtype_graph_name(input.dtype()),
            " but found ", dtype_graph_name(bias.dtype()));
    return {{s.batch, s.out_channels, s.out_height, s.out_width}, input.dtype(), input.device()};
}

void deform_conv2d(const Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& offset,
                   const Tensor& mask, const Tensor& bias, std::int64_t stride_h, std::int64_t stride_w,
                   std::int64_t pad_h, std::int64_t pad_w, std::int64_t dilation_h, std::int64_t dilation_w,
                   std::int64_t groups, std::int64_t offset_groups, bool use_mask) {
    if (out.numel() == 0) return;
    const DeformShape s =
        deform_shape(input, weight, offset, mask,
                     {stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups, use_mask});
    const Tensor buffer = buffer_for(out);
    nn_ops::visit_floating(input.dtype(), "deformable_im2col", [&]<typename T>(std::type_identity<T>) {
        convolve<T>(s, packed(input), packed(weight), packed(offset), packed(mask), packed(bias), buffer);
    });
    put_back(out, buffer);
}

void derive(GradientContext& context) {
    const auto grads = kBackwardCall(
        context.grad_output(), context.argument("input"), context.argument("weight"), context.argument("offset"),
        context.argument("mask"), context.argument("bias"), context.value("stride_h"), context.value("stride_w"),
        context.value("pad_h"), context.value("pad_w"), context.value("dilation_h"), context.value("dilation_w"),
        context.value("groups"), context.value("offset_groups"), context.value("use_mask"));
    context.grad("input", [&] { return std::get<0>(grads); });
    context.grad("weight", [&] { return std::get<1>(grads); });
    context.grad("offset", [&] { return std::get<2>(grads); });
    context.grad("mask", [&] { return std::get<3>(grads); });
    context.grad("bias", [&] { return std::get<4>(grads); });
}

// The product, and eight operations for each element of the columns.
Cost cost(Arguments arguments, std::span<const IValue> results) {
    Cost cost;
    for (const IValue& value : arguments.first(5)) cost.bytes += static_cast<double>(value.to_tensor().bytes());
    const Tensor out = results[0].to_tensor();
    const Tensor weight = arguments[1].to_tensor();
    cost.bytes += static_cast<double>(out.bytes());
    if (out.numel() == 0) return cost;
    const double places = static_cast<double>(out.numel()) / static_cast<double>(out.size(1));
    const auto columns = static_cast<double>(arguments[0].to_tensor().size(1) * weight.size(2) * weight.size(3));
    cost.flops = places * (2 * static_cast<double>(weight.numel()) + 8 * columns);
    return cost;
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32 && dtype != ScalarType::Float64) return {};
    const auto draw = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{draw({2, 4, 5, 6}), draw({6, 2, 3, 2}), draw({2, 24, 3, 5}), draw({2, 12, 3, 5}), draw({6}), 2, 1, 1, 0,
              1, 1, 2, 2, true},
             "groups, with a mask"},
            {{draw({1, 2, 4, 4}), draw({3, 2, 2, 2}), draw({1, 8, 4, 4}), draw({1, 1}), draw({3}), 1, 1, 1, 1, 2, 2, 1,
              1, false},
             "without a mask"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema =
            "torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, int "
            "stride_h, int stride_w, int pad_h, "
            "int pad_w, int dilation_h, int dilation_w, int groups, int offset_groups, bool use_mask) -> Tensor",
        .summary = "Convolution whose taps read between pixels, moved by offsets of their own and weighed by a mask.",
        .formula = "out[n, o, p] = bias[o] + sum over c, k of weight[o, c, k] mask[n, k, p] input[n, c] at stride p + "
                   "dilation k "
                   "- pad + offset[n, k, p]",
        .infer = inferring<infer_deform_conv2d>,
        .kernel = filling<deform_conv2d>,
        .derivative = {derive,
                       {save_argument("input"), save_argument("weight"), save_argument("offset"), save_argument("mask"),
                        save_argument("bias")}},
        .cost = cost,
        .samples = samples,
        .autocast = {.cuda = Autocast::Float32Kept},
    },
};

}  // namespace

std::span<const OperatorRecord> deform_conv2d_records() { return kRecords; }

}  // namespace loupe::torchvision_ops
