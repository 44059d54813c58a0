// SPDX-License-Identifier: Apache-2.0
// Position-sensitive pooling by bilinear samples: each bin of a region reads a different channel (Li et al., Light-Head
// R-CNN).
#include <algorithm>

#include "core/base/parallel.h"
#include "plugins/torchvision_ops/ops/family.h"
#include "plugins/torchvision_ops/ops/position_sensitive.h"
#include "plugins/torchvision_ops/ops/roi.h"

namespace loupe::torchvision_ops {
namespace {

const OperatorHandle<> kBackwardCall("torchvision::_ps_roi_align_backward");

struct Pooling {
    double spatial_scale;
    std::int64_t height;
    std::int64_t width;
    std::int64_t sampling_ratio;
};

// The samples of one region's bins, and the number of samples per bin.
template <typename T>
struct RegionTaps {
    AxisTaps<T> y;
    AxisTaps<T> x;
    T count = 0;
};

template <typename C, typename T>
void compute_region(const T* roi, const Pooling& pooling, std::int64_t height, std::int64_t width,
                    RegionTaps<T>& taps) {
    const C scale = static_cast<C>(pooling.spatial_scale);
    const C half = static_cast<C>(0.5);
    const auto axis = [&](T from, T to, std::int64_t bins, std::int64_t size) -> AxisGeometry<C> {
        const C start = static_cast<C>(from) * scale - half;
        const C length = (static_cast<C>(to) * scale - half) - start;
        return {start, length / static_cast<C>(static_cast<double>(bins)), bins,
                samples_per_bin(pooling.sampling_ratio, length, bins), size};
    };
    const AxisGeometry<C> y = axis(roi[2], roi[4], pooling.height, height);
    const AxisGeometry<C> x = axis(roi[1], roi[3], pooling.width, width);
    compute_taps(y, taps.y);
    compute_taps(x, taps.x);
    taps.count = static_cast<T>(y.samples) * static_cast<T>(x.samples);
}

// Calls visit(pixel, weight) for the inputs of bin (row, column).
template <typename T, typename Visit>
void each_tap(const RegionTaps<T>& taps, std::int64_t row, std::int64_t column, std::int64_t width, Visit&& visit) {
    const auto ph = static_cast<std::size_t>(row);
    const auto pw = static_cast<std::size_t>(column);
    for (auto i = static_cast<std::size_t>(taps.y.first[ph]); i < static_cast<std::size_t>(taps.y.first[ph + 1]); ++i) {
        for (auto j = static_cast<std::size_t>(taps.x.first[pw]); j < static_cast<std::size_t>(taps.x.first[pw + 1]);
             ++j) {
            visit(taps.y.place[i] * width + taps.x.place[j], taps.y.weight[i] * taps.x.weight[j]);
        }
    }
}

template <typename C, typename T>
void pool_regions(const Tensor& input, const Tensor& rois, const Pooling& pooling, const Tensor& out) {
    const auto image = image_indices(rois, input.size(0));
    const std::int64_t channels = input.size(1), height = input.size(2), width = input.size(3);
    const std::int64_t grain = std::max<std::int64_t>(1, 2048 / std::max<std::int64_t>(channels, 1));
    parallel_for(0, rois.size(0), grain, [&](std::int64_t begin, std::int64_t end) {
        RegionTaps<T> taps;
        for (std::int64_t n = begin; n < end; ++n) {
            compute_region<C>(rois.data<T>() + 5 * n, pooling, height, width, taps);
            const T* images = input.data<T>() + image[static_cast<std::size_t>(n)] * channels * height * width;
            T* to = out.data<T>() + n * channels;
            for (std::int64_t c = 0; c < channels; ++c) {
                const T* plane = images + c * height * width;
                T sum = 0;
                each_tap(taps, c / pooling.width % pooling.height, c % pooling.width, width,
                         [&](std::int64_t pixel, T weight) { sum += weight * plane[pixel]; });
                to[c] = sum / taps.count;
            }
        }
    });
}

MetaList infer_ps_roi_align(const Tensor& input, const Tensor& rois, double, std::int64_t pooled_height,
                            std::int64_t pooled_width, std::int64_t) {
    return infer_position_sensitive(input, rois, pooled_height, pooled_width, "ps_roi_align");
}

void ps_roi_align(const Tensor& out, const Tensor& mapping, const Tensor& input, const Tensor& rois,
                  double spatial_scale, std::int64_t pooled_height, std::int64_t pooled_width,
                  std::int64_t sampling_ratio) {
    if (out.numel() == 0) return;
    const ScalarType dtype = computing_dtype(input.dtype());
    const Tensor x = packed_as(input, dtype);
    const Tensor regions = packed_as(rois, dtype);
    const Tensor buffer = computing_buffer(out, dtype);
    visit_roi_dtype(
        input.dtype(), "ps_roi_align_forward_kernel",
        [&]<typename C, typename T>(std::type_identity<C>, std::type_identity<T>) {
            pool_regions<C, T>(x, regions, {spatial_scale, pooled_height, pooled_width, sampling_ratio}, buffer);
        });
    put_computed(out, buffer);
    fill_channel_mapping(mapping);
}

TensorMeta infer_ps_roi_align_backward(const Tensor& grad, const Tensor& rois, const Tensor& channel_mapping, double,
                                       std::int64_t pooled_height, std::int64_t pooled_width, std::int64_t,
                                       std::int64_t batch_size, std::int64_t channels, std::int64_t height,
                                       std::int64_t width) {
    return infer_position_sensitive_backward(grad, rois, channel_mapping, pooled_height, pooled_width,
                                             {batch_size, channels, height, width}, "ps_roi_align_backward_kernel");
}

template <typename C, typename T>
void spread_regions(const Tensor& grad, const Tensor& rois, const std::vector<std::int64_t>& image,
                    const Tensor& mapping, const Pooling& pooling, const Tensor& out) {
    const std::int64_t channels = out.size(1), height = out.size(2), width = out.size(3);
    const auto visit = [&](std::int64_t n, const BinVisitor& bins_in_channels) {
        RegionTaps<T> taps;
        compute_region<C>(rois.data<T>() + 5 * n, pooling, height, width, taps);
        T* images = out.data<T>() + image[static_cast<std::size_t>(n)] * channels * height * width;
        bins_in_channels([&](std::int64_t index, std::int64_t channel) {
            const T share = grad.data<T>()[index] / taps.count;
            T* plane = images + channel * height * width;
            each_tap(taps, index / pooling.width % pooling.height, index % pooling.width, width,
                     [&](std::int64_t pixel, T weight) { plane[pixel] += weight * share; });
        });
    };
    each_region(mapping, channels, visit);
}

void ps_roi_align_backward(const Tensor& out, const Tensor& grad, const Tensor& rois, const Tensor& mapping,
                           double spatial_scale, std::int64_t pooled_height, std::int64_t pooled_width,
                           std::int64_t sampling_ratio, std::int64_t batch_size, std::int64_t, std::int64_t,
                           std::int64_t) {
    const ScalarType dtype = computing_dtype(grad.dtype());
    const Tensor buffer = computing_buffer(out, dtype);
    fill_zero(buffer);
    if (grad.numel() != 0) {
        const auto image = image_indices(rois, batch_size);
        const Tensor g = packed_as(grad, dtype);
        const Tensor regions = packed_as(rois, dtype);
        visit_roi_dtype(grad.dtype(), "ps_roi_align_backward_kernel",
                        [&]<typename C, typename T>(std::type_identity<C>, std::type_identity<T>) {
                            spread_regions<C, T>(g, regions, image, packed(mapping),
                                                 {spatial_scale, pooled_height, pooled_width, sampling_ratio}, buffer);
                        });
    }
    put_computed(out, buffer);
}

void derive(GradientContext& context) {
    context.grad("input", [&] {
        const IntSpan input = context.sizes("input");
        return kBackwardCall(context.grad_output(), context.argument("rois"), context.result(1),
                             context.value("spatial_scale"), context.value("pooled_height"),
                             context.value("pooled_width"), context.value("sampling_ratio"), input[0], input[1],
                             input[2], input[3]);
    });
}
void refuse(GradientContext&) { fail_double_backward("ps_roi_align"); }

std::vector<Sample> forward_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype) || dtype == ScalarType::BFloat16) return {};
    return {{{random_tensor(random, {2, 12, 6, 5}, dtype), sample_rois(random, 4, dtype), 0.75, 2, 3, 2}},
            {{random_tensor(random, {2, 12, 6, 5}, dtype), sample_rois(random, 4, dtype), 1.0, 3, 2, -1},
             "as many samples as places"},
            {{random_tensor(random, {2, 4, 6, 5}, dtype), sample_rois(random, 0, dtype), 1.0, 2, 2, 2}, "no region"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int "
                  "pooled_width, int sampling_ratio) -> "
                  "(Tensor, Tensor)",
        .summary =
            "Averages bilinear samples of each bin of each region of interest in a channel of the bin's own, and says "
            "which channel that was.",
        .formula = "out[k, c, i, j] = mean over the samples (y, x) of bin (i, j) of region k of "
                   "input[rois[k, 0], (c pooled_height + i) pooled_width + j] at (y, x)",
        .infer = inferring<infer_ps_roi_align>,
        .kernel = filling<ps_roi_align, 2>,
        .derivative = {derive, {save_argument("rois"), save_result(1)}},
        .samples = forward_samples,
        .autocast = {.cuda = Autocast::Float32Kept},
    },
    {
        .schema =
            "torchvision::_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float "
            "spatial_scale, "
            "int pooled_height, "
            "int pooled_width, int sampling_ratio, int batch_size, int channels, int height, int width) -> Tensor",
        .summary = "The gradient of ps_roi_align for its input.",
        .infer = inferring<infer_ps_roi_align_backward>,
        .kernel = filling<ps_roi_align_backward>,
        .derivative = {refuse},
    },
};

}  // namespace

std::span<const OperatorRecord> ps_roi_align_records() { return kRecords; }

}  // namespace loupe::torchvision_ops
