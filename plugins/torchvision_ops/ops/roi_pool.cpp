// SPDX-License-Identifier: Apache-2.0
// The greatest element of each bin of a region (Girshick, Fast R-CNN).
#include <algorithm>
#include <limits>

#include "core/base/parallel.h"
#include "plugins/torchvision_ops/ops/family.h"
#include "plugins/torchvision_ops/ops/roi.h"

namespace loupe::torchvision_ops {
namespace {

const OperatorHandle<> kBackwardCall("torchvision::_roi_pool_backward");
constexpr const char* kRoiShape = "Tensor rois should have shape as Tensor[K, 5]";

// The last place of a region is included; one that ends before it begins has one place.
template <typename C, typename T>
std::vector<PlaceRange> ranges_of(T from, T to, double spatial_scale, std::int64_t bins, std::int64_t size) {
    const C scale = static_cast<C>(spatial_scale);
    const std::int64_t start = whole_place(std::round(static_cast<double>(static_cast<C>(from) * scale)));
    const std::int64_t end = whole_place(std::round(static_cast<double>(static_cast<C>(to) * scale)));
    return whole_bins<C>(start, std::max<std::int64_t>(end - start + 1, 1), bins, size);
}

// The first maximum of the bin, -1 when it is empty or has no number above float32's least.
template <typename T>
std::pair<T, std::int32_t> greatest(const T* plane, std::int64_t width, PlaceRange rows, PlaceRange columns) {
    if (rows.empty() || columns.empty()) return {T(0), -1};
    T best = static_cast<T>(-std::numeric_limits<float>::max());
    std::int64_t at = -1;
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t i = y * width + columns.begin; i < y * width + columns.end; ++i) {
            if (plane[i] > best) {
                best = plane[i];
                at = i;
            }
        }
    }
    return {best, static_cast<std::int32_t>(at)};
}

template <typename C, typename T>
void pool_regions(const Tensor& input, const Tensor& rois, double spatial_scale, const Tensor& out,
                  const Tensor& argmax) {
    const auto image = image_indices(rois, input.size(0));
    const std::int64_t channels = input.size(1), height = input.size(2), width = input.size(3);
    const std::int64_t pooled_height = out.size(2), pooled_width = out.size(3), bins = pooled_height * pooled_width;
    parallel_for(
        0, rois.size(0) * channels, std::max<std::int64_t>(1, 1024 / bins), [&](std::int64_t begin, std::int64_t end) {
            std::vector<PlaceRange> rows, columns;
            for (std::int64_t at = begin; at < end; ++at) {
                const std::int64_t n = at / channels;
                if (at == begin || at % channels == 0) {
                    const T* roi = rois.data<T>() + 5 * n;
                    rows = ranges_of<C>(roi[2], roi[4], spatial_scale, pooled_height, height);
                    columns = ranges_of<C>(roi[1], roi[3], spatial_scale, pooled_width, width);
                }
                const T* plane =
                    input.data<T>() + (image[static_cast<std::size_t>(n)] * channels + at % channels) * height * width;
                T* value = out.data<T>() + at * bins;
                std::int32_t* place = argmax.data<std::int32_t>() + at * bins;
                for (const PlaceRange& row : rows) {
                    for (const PlaceRange& column : columns)
                        std::tie(*value++, *place++) = greatest(plane, width, row, column);
                }
            }
        });
}

MetaList infer_roi_pool(const Tensor& input, const Tensor& rois, double, std::int64_t pooled_height,
                        std::int64_t pooled_width) {
    check_same_dtype(input, "input", rois, "roi_pool_forward_kernel");
    check_rois(rois, kRoiShape);
    check_images(input, "roi_pool");
    require(input.size(2) * input.size(3) <= std::numeric_limits<std::int32_t>::max(),
            "roi_pool: planes of more than 2^31 elements are not supported");
    const Dims sizes{rois.size(0), input.size(1), pooled_height, pooled_width};
    if (checked_numel(span_of(sizes)) != 0) check_roi_dtype(input.dtype(), "roi_pool_forward_kernel");
    return {{sizes, input.dtype(), input.device()}, {sizes, ScalarType::Int32, input.device()}};
}

void roi_pool(const Tensor& out, const Tensor& argmax, const Tensor& input, const Tensor& rois, double spatial_scale,
              std::int64_t, std::int64_t) {
    if (out.numel() == 0) return;
    const ScalarType dtype = computing_dtype(input.dtype());
    const Tensor x = packed_as(input, dtype);
    const Tensor regions = packed_as(rois, dtype);
    const Tensor values = computing_buffer(out, dtype);
    const Tensor places = buffer_for(argmax);
    visit_roi_dtype(input.dtype(), "roi_pool_forward_kernel",
                    [&]<typename C, typename T>(std::type_identity<C>, std::type_identity<T>) {
                        pool_regions<C, T>(x, regions, spatial_scale, values, places);
                    });
    put_computed(out, values);
    put_back(argmax, places);
}

TensorMeta infer_roi_pool_backward(const Tensor& grad, const Tensor& rois, const Tensor& argmax, double,
                                   std::int64_t pooled_height, std::int64_t pooled_width, std::int64_t batch_size,
                                   std::int64_t channels, std::int64_t height, std::int64_t width) {
    check_rois(rois, kRoiShape);
    check_same_dtype(grad, "grad", rois, "roi_pool_backward_kernel");
    const Dims sizes{batch_size, channels, height, width};
    checked_numel(span_of(sizes));
    if (grad.numel() != 0) {
        check_grad(grad, rois, channels, pooled_height, pooled_width);
        check_indices(argmax, grad, "argmax");
        check_roi_dtype(grad.dtype(), "roi_pool_backward_kernel");
    }
    return {sizes, grad.dtype(), grad.device()};
}

// Channels are split over threads, which visit the regions in order.
template <typename T>
void spread_regions(const Tensor& grad, const std::vector<std::int64_t>& image, const Tensor& argmax,
                    const Tensor& out) {
    const std::int64_t channels = out.size(1), pixels = out.size(2) * out.size(3), bins = grad.size(2) * grad.size(3);
    const auto regions = static_cast<std::int64_t>(image.size());
    parallel_for(0, channels, std::max<std::int64_t>(1, 16384 / (bins * regions)),
                 [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t n = 0; n < regions; ++n) {
                         for (std::int64_t c = begin; c < end; ++c) {
                             T* plane = out.data<T>() + (image[static_cast<std::size_t>(n)] * channels + c) * pixels;
                             const T* g = grad.data<T>() + (n * channels + c) * bins;
                             const std::int32_t* place = argmax.data<std::int32_t>() + (n * channels + c) * bins;
                             for (std::int64_t i = 0; i < bins; ++i) {
                                 if (place[i] == -1) continue;
                                 require(place[i] >= 0 && place[i] < pixels, "argmax holds ", place[i],
                                         ", which is no place of a plane of ", pixels);
                                 plane[place[i]] += g[i];
                             }
                         }
                     }
                 });
}

void roi_pool_backward(const Tensor& out, const Tensor& grad, const Tensor& rois, const Tensor& argmax, double,
                       std::int64_t, std::int64_t, std::int64_t batch_size, std::int64_t, std::int64_t, std::int64_t) {
    const ScalarType dtype = computing_dtype(grad.dtype());
    const Tensor buffer = computing_buffer(out, dtype);
    fill_zero(buffer);
    if (grad.numel() != 0) {
        const auto image = image_indices(rois, batch_size);
        const Tensor g = packed_as(grad, dtype);
        const Tensor places = packed(argmax);
        nn_ops::visit_floating(dtype, "roi_pool_backward_kernel",
                               [&]<typename T>(std::type_identity<T>) { spread_regions<T>(g, image, places, buffer); });
    }
    put_computed(out, buffer);
}

void derive(GradientContext& context) {
    context.grad("input", [&] {
        const IntSpan input = context.sizes("input");
        return kBackwardCall(context.grad_output(), context.argument("rois"), context.result(1),
                             context.value("spatial_scale"), context.value("pooled_height"),
                             context.value("pooled_width"), input[0], input[1], input[2], input[3]);
    });
}
void refuse(GradientContext&) { fail_double_backward("roi_pool"); }

std::vector<Sample> forward_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype) || dtype == ScalarType::BFloat16) return {};
    return {{{random_ladder(random, {2, 3, 6, 5}, dtype), sample_rois(random, 4, dtype), 0.75, 2, 3}},
            {{random_ladder(random, {2, 3, 6, 5}, dtype), sample_rois(random, 0, dtype), 1.0, 2, 2}, "no region"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int "
                  "pooled_width) -> "
                  "(Tensor, Tensor)",
        .summary = "The greatest element of each bin of each region of interest, and its place in the plane.",
        .formula = "out[k, c, i, j] = max of input[rois[k, 0], c] over bin (i, j) of region k",
        .infer = inferring<infer_roi_pool>,
        .kernel = filling<roi_pool, 2>,
        .derivative = {derive, {save_argument("rois"), save_result(1)}},
        .samples = forward_samples,
        .autocast = {.cuda = Autocast::Float32Kept},
    },
    {
        .schema = "torchvision::_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, int "
                  "pooled_height, int pooled_width, "
                  "int batch_size, int channels, int height, int width) -> Tensor",
        .summary = "The gradient of roi_pool for its input.",
        .infer = inferring<infer_roi_pool_backward>,
        .kernel = filling<roi_pool_backward>,
        .derivative = {refuse},
    },
};

}  // namespace

std::span<const OperatorRecord> roi_pool_records() { return kRecords; }

}  // namespace loupe::torchvision_ops
