// SPDX-License-Identifier: Apache-2.0
// Regions of a feature map averaged over a grid of bins, by bilinear samples (He et al., Mask R-CNN).
#include <algorithm>

#include "core/base/parallel.h"
#include "core/ops/nn/simd.h"
#include "plugins/torchvision_ops/ops/family.h"
#include "plugins/torchvision_ops/ops/roi.h"

namespace loupe::torchvision_ops {
namespace {

const OperatorHandle<> kBackwardCall("torchvision::_roi_align_backward");

struct Pooling {
    double spatial_scale;
    std::int64_t height;  // of the pooled region
    std::int64_t width;
    std::int64_t sampling_ratio;
    bool aligned;
};
struct Images {
    std::int64_t count;
    std::int64_t channels;
    std::int64_t height;
    std::int64_t width;

    std::int64_t pixels() const { return height * width; }
};

// Inputs of one region's bins.
template <typename T>
struct RegionTaps {
    AxisTaps<T> y;
    AxisTaps<T> x;
};

// roi: one row. The weights along y include the division by the number of samples.
template <typename C, typename T>
void compute_region(const T* roi, const Pooling& pooling, const Images& images, RegionTaps<T>& taps) {
    const C scale = static_cast<C>(pooling.spatial_scale);
    const C offset = static_cast<C>(pooling.aligned ? 0.5 : 0.0);
    const auto axis = [&](T from, T to, std::int64_t bins, std::int64_t size) -> AxisGeometry<C> {
        const C start = static_cast<C>(from) * scale - offset;
        C length = (static_cast<C>(to) * scale - offset) - start;
        if (!pooling.aligned && length < static_cast<C>(1.0)) length = static_cast<C>(1.0);
        return {start, length / static_cast<C>(static_cast<double>(bins)), bins,
                samples_per_bin(pooling.sampling_ratio, length, bins), size};
    };
    const AxisGeometry<C> y = axis(roi[2], roi[4], pooling.height, images.height);
    const AxisGeometry<C> x = axis(roi[1], roi[3], pooling.width, images.width);
    compute_taps(y, taps.y);
    compute_taps(x, taps.x);
    const T count = std::max(static_cast<T>(y.samples) * static_cast<T>(x.samples), T(1));
    for (T& weight : taps.y.weight) weight /= count;
}

// out: [bins of y, bins of x] of one plane. `row` has room for one row of the plane.
template <typename T>
LOUPE_INLINE inline void pool_plane(const T* plane, std::int64_t width, const RegionTaps<T>& taps, T* row, T* out) {
    const std::int64_t low = taps.x.low;
    const std::int64_t high = taps.x.high;
    const T* x_weights = taps.x.weight.data();
    const std::int64_t* x_places = taps.x.place.data();
    for (std::size_t ph = 0; ph + 1 < taps.y.first.size(); ++ph) {
        const std::int64_t begin = taps.y.first[ph];
        const std::int64_t end = taps.y.first[ph + 1];
        for (std::int64_t i = begin; i < end; ++i) {
            const T weight = taps.y.weight[static_cast<std::size_t>(i)];
            const T* from = plane + taps.y.place[static_cast<std::size_t>(i)] * width;
            if (i == begin) {
#pragma omp simd
                for (std::int64_t x = low; x < high; ++x) row[x] = weight * from[x];
            } else {
#pragma omp simd
                for (std::int64_t x = low; x < high; ++x) row[x] += weight * from[x];
            }
        }
        for (std::size_t pw = 0; pw + 1 < taps.x.first.size(); ++pw) {
            T sum = 0;
            for (std::int64_t i = taps.x.first[pw]; begin != end && i < taps.x.first[pw + 1]; ++i)
                sum += x_weights[i] * row[x_places[i]];
            *out++ = sum;
        }
    }
}

// The transpose: adds the bins' gradients to the plane's.
template <typename T>
LOUPE_INLINE inline void spread_plane(const T* grad, std::int64_t width, const RegionTaps<T>& taps, T* row, T* plane) {
    const std::int64_t low = taps.x.low;
    const std::int64_t high = taps.x.high;
    const T* x_weights = taps.x.weight.data();
    const std::int64_t* x_places = taps.x.place.data();
    for (std::size_t ph = 0; ph + 1 < taps.y.first.size(); ++ph) {
        std::fill(row + low, row + high, T(0));
        for (std::size_t pw = 0; pw + 1 < taps.x.first.size(); ++pw) {
            const T g = *grad++;
            for (std::int64_t i = taps.x.first[pw]; i < taps.x.first[pw + 1]; ++i) row[x_places[i]] += x_weights[i] * g;
        }
        for (std::int64_t i = taps.y.first[ph]; i < taps.y.first[ph + 1]; ++i) {
            const T weight = taps.y.weight[static_cast<std::size_t>(i)];
            T* to = plane + taps.y.place[static_cast<std::size_t>(i)] * width;
#pragma omp simd
            for (std::int64_t x = low; x < high; ++x) to[x] += weight * row[x];
        }
    }
}

template <typename C, typename T>
void pool_regions(const T* input, const T* rois, const std::vector<std::int64_t>& image, const Pooling& pooling,
                  const Images& images, T* out) {
    const auto count = static_cast<std::int64_t>(image.size());
    const std::int64_t bins = pooling.height * pooling.width;
    parallel_for(0, count * images.channels, std::max<std::int64_t>(1, 16384 / (bins * 16)),
                 [&](std::int64_t begin, std::int64_t end) {
                     RegionTaps<T> taps;
                     std::vector<T> row(static_cast<std::size_t>(images.width));
                     for (std::int64_t at = begin; at < end;) {
                         const std::int64_t n = at / images.channels;
                         const std::int64_t stop = std::min(end, (n + 1) * images.channels);
                         compute_region<C>(rois + 5 * n, pooling, images, taps);
                         const T* first =
                             input + image[static_cast<std::size_t>(n)] * images.channels * images.pixels();
                         with_best_instructions([&]() LOUPE_INLINE {
                             for (; at < stop; ++at) {
                                 pool_plane(first + (at - n * images.channels) * images.pixels(), images.width, taps,
                                            row.data(), out + at * bins);
                             }
                         });
                     }
                 });
}

// Channels are split over threads, which visit the regions in order.
template <typename C, typename T>
void spread_regions(const T* grad, const T* rois, const std::vector<std::int64_t>& image, const Pooling& pooling,
                    const Images& images, T* grad_input) {
    const auto count = static_cast<std::int64_t>(image.size());
    const std::int64_t bins = pooling.height * pooling.width;
    parallel_for(0, images.channels, std::max<std::int64_t>(1, 16384 / (bins * 16 * std::max<std::int64_t>(count, 1))),
                 [&](std::int64_t begin, std::int64_t end) {
                     RegionTaps<T> taps;
                     std::vector<T> row(static_cast<std::size_t>(images.width));
                     for (std::int64_t n = 0; n < count; ++n) {
                         compute_region<C>(rois + 5 * n, pooling, images, taps);
                         T* first = grad_input + image[static_cast<std::size_t>(n)] * images.channels * images.pixels();
                         with_best_instructions([&]() LOUPE_INLINE {
                             for (std::int64_t c = begin; c < end; ++c) {
                                 spread_plane(grad + (n * images.channels + c) * bins, images.width, taps, row.data(),
                                              first + c * images.pixels());
                             }
                         });
                     }
                 });
}

TensorMeta infer_roi_align(const Tensor& input, const Tensor& rois, double, std::int64_t pooled_height,
                           std::int64_t pooled_width, std::int64_t, bool) {
    check_rois(rois, "rois must have shape as Tensor[K, 5]");
    check_same_dtype(input, "input", rois, "roi_align_forward_kernel");
    check_images(input, "roi_align");
    const Dims sizes{rois.size(0), input.size(1), pooled_height, pooled_width};
    if (checked_numel(span_of(sizes)) != 0) check_roi_dtype(input.dtype(), "roi_align_forward_kernel");
    return {sizes, input.dtype(), input.device()};
}

void roi_align(const Tensor& out, const Tensor& input, const Tensor& rois, double spatial_scale,
               std::int64_t pooled_height, std::int64_t pooled_width, std::int64_t sampling_ratio, bool aligned) {
    if (out.numel() == 0) return;
    const Pooling pooling{spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned};
    const Images images{input.size(0), input.size(1), input.size(2), input.size(3)};
    const auto image = image_indices(rois, images.count);
    const ScalarType dtype = computing_dtype(input.dtype());
    const Tensor x = packed_as(input, dtype);
    const Tensor regions = packed_as(rois, dtype);
    const Tensor buffer = computing_buffer(out, dtype);
    visit_roi_dtype(input.dtype(), "roi_align_forward_kernel",
                    [&]<typename C, typename T>(std::type_identity<C>, std::type_identity<T>) {
                        pool_regions<C, T>(x.data<T>(), regions.data<T>(), image, pooling, images, buffer.data<T>());
                    });
    put_computed(out, buffer);
}

TensorMeta infer_roi_align_backward(const Tensor& grad, const Tensor& rois, double, std::int64_t pooled_height,
                                    std::int64_t pooled_width, std::int64_t batch_size, std::int64_t channels,
                                    std::int64_t height, std::int64_t width, std::int64_t, bool) {
    check_same_dtype(grad, "grad", rois, "roi_align_backward_kernel");
    const Dims sizes{batch_size, channels, height, width};
    checked_numel(span_of(sizes));
    if (grad.numel() != 0) {
        check_rois(rois, "rois must have shape as Tensor[K, 5]");
        check_grad(grad, rois, channels, pooled_height, pooled_width);
        check_roi_dtype(grad.dtype(), "roi_align_backward_kernel");
    }
    return {sizes, grad.dtype(), grad.device()};
}

void roi_align_backward(const Tensor& out, const Tensor& grad, const Tensor& rois, double spatial_scale,
                        std::int64_t pooled_height, std::int64_t pooled_width, std::int64_t batch_size,
                        std::int64_t channels, std::int64_t height, std::int64_t width, std::int64_t sampling_ratio,
                        bool aligned) {
    const ScalarType dtype = computing_dtype(grad.dtype());
    const Tensor buffer = computing_buffer(out, dtype);
    fill_zero(buffer);
    if (grad.numel() != 0) {
        const Pooling pooling{spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned};
        const Images images{batch_size, channels, height, width};
        const auto image = image_indices(rois, batch_size);
        const Tensor g = packed_as(grad, dtype);
        const Tensor regions = packed_as(rois, dtype);
        visit_roi_dtype(grad.dtype(), "roi_align_backward_kernel",
                        [&]<typename C, typename T>(std::type_identity<C>, std::type_identity<T>) {
                            spread_regions<C, T>(g.data<T>(), regions.data<T>(), image, pooling, images,
                                                 buffer.data<T>());
                        });
    }
    put_computed(out, buffer);
}

void derive(GradientContext& context) {
    context.grad("input", [&] {
        const IntSpan input = context.sizes("input");
        return kBackwardCall(context.grad_output(), context.argument("rois"), context.value("spatial_scale"),
                             context.value("pooled_height"), context.value("pooled_width"), input[0], input[1],
                             input[2], input[3], context.value("sampling_ratio"), context.value("aligned"));
    });
}
void refuse(GradientContext&) { fail_double_backward("roi_align"); }

// Eight operations a sample; without a ratio, as if a bin had four.
Cost cost_of_bins(const Tensor& binned, const IValue& sampling_ratio, Arguments arguments,
                  std::span<const IValue> results) {
    const auto ratio = static_cast<double>(sampling_ratio.to_int() > 0 ? sampling_ratio.to_int() : 2);
    Cost cost;
    cost.flops = 8 * ratio * ratio * static_cast<double>(binned.numel());
    for (const IValue& value : arguments.first(2)) cost.bytes += static_cast<double>(value.to_tensor().bytes());
    cost.bytes += static_cast<double>(results[0].to_tensor().bytes());
    return cost;
}
Cost forward_cost(Arguments arguments, std::span<const IValue> results) {
    return cost_of_bins(results[0].to_tensor(), arguments[5], arguments, results);
}
Cost backward_cost(Arguments arguments, std::span<const IValue> results) {
    return cost_of_bins(arguments[0].to_tensor(), arguments[9], arguments, results);
}

std::vector<Sample> forward_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype) || dtype == ScalarType::BFloat16) return {};
    const auto input = [&] { return random_tensor(random, {2, 3, 6, 5}, dtype); };
    return {{{input(), sample_rois(random, 4, dtype), 0.75, 2, 3, 2, true}, "two samples"},
            {{input(), sample_rois(random, 3, dtype), 1.0, 3, 2, -1, false}, "as many samples as places"},
            {{input(), sample_rois(random, 0, dtype), 1.0, 2, 2, 0, false}, "no region"}};
}
std::vector<Sample> backward_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype) || dtype == ScalarType::BFloat16) return {};
    return {
        {{random_tensor(random, {3, 2, 2, 3}, dtype), sample_rois(random, 3, dtype), 1.0, 2, 3, 2, 2, 6, 5, 2, true}}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int "
                  "pooled_width, "
                  "int sampling_ratio, "
                  "bool aligned) -> Tensor",
        .summary = "Averages bilinear samples of each region of interest over a grid of bins.",
        .formula = "out[k, c, i, j] = mean over the samples (y, x) of bin (i, j) of region k of input[rois[k, 0], c] "
                   "at (y, x)",
        .infer = inferring<infer_roi_align>,
        .kernel = filling<roi_align>,
        .derivative = {derive, {save_argument("rois")}},
        .cost = forward_cost,
        .samples = forward_samples,
        .autocast = {.cpu = Autocast::Float32Kept, .cuda = Autocast::Float32Kept},
    },
    {
        .schema =
            "torchvision::_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, int pooled_height, int "
            "pooled_width, int batch_size, "
            "int channels, int height, int width, int sampling_ratio, bool aligned) -> Tensor",
        .summary = "The gradient of roi_align for its input.",
        .infer = inferring<infer_roi_align_backward>,
        .kernel = filling<roi_align_backward>,
        .derivative = {refuse},
        .cost = backward_cost,
        .samples = backward_samples,
    },
};

}  // namespace

std::span<const OperatorRecord> roi_align_records() { return kRecords; }

}  // namespace loupe::torchvision_ops
