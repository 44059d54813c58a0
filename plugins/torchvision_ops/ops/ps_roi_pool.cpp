// SPDX-License-Identifier: Apache-2.0
// Position-sensitive pooling: each bin of a region is the mean of a different channel (Dai et al., R-FCN).
#include <algorithm>
#include <limits>

#include "core/base/parallel.h"
#include "plugins/torchvision_ops/ops/family.h"
#include "plugins/torchvision_ops/ops/position_sensitive.h"
#include "plugins/torchvision_ops/ops/roi.h"

namespace loupe::torchvision_ops {
namespace {

const OperatorHandle<> kBackwardCall("torchvision::_ps_roi_pool_backward");

// A region's bins by row and column.
struct RegionBins {
    std::vector<PlaceRange> rows;
    std::vector<PlaceRange> columns;
};

// limit: places from it on are clamped to the last. torchvision omits the last row and column in the forward pass
// only, and rounds to whole places through float32 in the backward pass only.
template <typename C, typename T>
std::vector<PlaceRange> ranges_of(T from, T to, double spatial_scale, std::int64_t bins, std::int64_t limit) {
    const C scale = static_cast<C>(spatial_scale);
    const std::int64_t start = whole_place(std::round(static_cast<double>(static_cast<C>(from) * scale)));
    const std::int64_t end = whole_place(std::round(static_cast<double>(static_cast<C>(to) * scale)));
    return whole_bins<C>(start, std::max<std::int64_t>(end - start, 1), bins, limit);
}

template <typename C, typename T>
RegionBins bins_of(const T* roi, double spatial_scale, std::int64_t bin_rows, std::int64_t bin_columns,
                   std::int64_t height, std::int64_t width) {
    return {ranges_of<C>(roi[2], roi[4], spatial_scale, bin_rows, height),
            ranges_of<C>(roi[1], roi[3], spatial_scale, bin_columns, width)};
}

template <typename T>
T mean_of(const T* plane, std::int64_t width, PlaceRange rows, PlaceRange columns) {
    if (rows.empty() || columns.empty()) return T(0);
    T sum = 0;
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = columns.begin; x < columns.end; ++x) sum += plane[y * width + x];
    }
    return sum / static_cast<T>((rows.end - rows.begin) * (columns.end - columns.begin));
}

template <typename C, typename T>
void pool_regions(const Tensor& input, const Tensor& rois, double spatial_scale, const Tensor& out) {
    const auto image = image_indices(rois, input.size(0));
    const std::int64_t channels = input.size(1), height = input.size(2), width = input.size(3);
    const std::int64_t pooled_height = out.size(2), pooled_width = out.size(3);
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(channels, 1));
    parallel_for(0, rois.size(0), grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n) {
            const RegionBins bins =
                bins_of<C>(rois.data<T>() + 5 * n, spatial_scale, pooled_height, pooled_width, height - 1, width - 1);
            const T* images = input.data<T>() + image[static_cast<std::size_t>(n)] * channels * height * width;
            T* to = out.data<T>() + n * channels;
            for (std::int64_t c = 0; c < channels; ++c) {
                const auto row = static_cast<std::size_t>(c / pooled_width % pooled_height);
                to[c] = mean_of(images + c * height * width, width, bins.rows[row],
                                bins.columns[static_cast<std::size_t>(c % pooled_width)]);
            }
        }
    });
}

MetaList infer_ps_roi_pool(const Tensor& input, const Tensor& rois, double, std::int64_t pooled_height,
                           std::int64_t pooled_width) {
    return infer_position_sensitive(input, rois, pooled_height, pooled_width, "ps_roi_pool");
}

void ps_roi_pool(const Tensor& out, const Tensor& mapping, const Tensor& input, const Tensor& rois,
                 double spatial_scale, std::int64_t, std::int64_t) {
    if (out.numel() == 0) return;
    const ScalarType dtype = computing_dtype(input.dtype());
    const Tensor x = packed_as(input, dtype);
    const Tensor regions = packed_as(rois, dtype);
    const Tensor buffer = computing_buffer(out, dtype);
    visit_roi_dtype(input.dtype(), "ps_roi_pool_forward_kernel",
                    [&]<typename C, typename T>(std::type_identity<C>, std::type_identity<T>) {
                        pool_regions<C, T>(x, regions, spatial_scale, buffer);
                    });
    put_computed(out, buffer);
    fill_channel_mapping(mapping);
}

TensorMeta infer_ps_roi_pool_backward(const Tensor& grad, const Tensor& rois, const Tensor& channel_mapping, double,
                                      std::int64_t pooled_height, std::int64_t pooled_width, std::int64_t batch_size,
                                      std::int64_t channels, std::int64_t height, std::int64_t width) {
    return infer_position_sensitive_backward(grad, rois, channel_mapping, pooled_height, pooled_width,
                                             {batch_size, channels, height, width}, "ps_roi_pool_backward_kernel");
}

template <typename C, typename T>
void spread_regions(const Tensor& grad, const Tensor& rois, const std::vector<std::int64_t>& image,
                    const Tensor& mapping, double spatial_scale, const Tensor& out) {
    const std::int64_t channels = out.size(1), height = out.size(2), width = out.size(3);
    const std::int64_t pooled_height = grad.size(2), pooled_width = grad.size(3);
    const auto visit = [&](std::int64_t n, const BinVisitor& bins_in_channels) {
        const RegionBins bins =
            bins_of<C>(rois.data<T>() + 5 * n, spatial_scale, pooled_height, pooled_width, height, width);
        T* images = out.data<T>() + image[static_cast<std::size_t>(n)] * channels * height * width;
        bins_in_channels([&](std::int64_t index, std::int64_t channel) {
            const PlaceRange row = bins.rows[static_cast<std::size_t>(index / pooled_width % pooled_height)];
            const PlaceRange column = bins.columns[static_cast<std::size_t>(index % pooled_width)];
            if (row.empty() || column.empty()) return;
            const T share = grad.data<T>()[index] / static_cast<T>((row.end - row.begin) * (column.end - column.begin));
            for (std::int64_t y = row.begin; y < row.end; ++y) {
                for (std::int64_t x = column.begin; x < column.end; ++x)
                    images[(channel * height + y) * width + x] += share;
            }
        });
    };
    each_region(mapping, channels, visit);
}

void ps_roi_pool_backward(const Tensor& out, const Tensor& grad, const Tensor& rois, const Tensor& mapping,
                          double spatial_scale, std::int64_t, std::int64_t, std::int64_t batch_size, std::int64_t,
                          std::int64_t, std::int64_t) {
    const ScalarType dtype = computing_dtype(grad.dtype());
    const Tensor buffer = computing_buffer(out, dtype);
    fill_zero(buffer);
    if (grad.numel() != 0) {
        const auto image = image_indices(rois, batch_size);
        const Tensor g = packed_as(grad, dtype);
        const Tensor regions = packed_as(rois, dtype);
        visit_roi_dtype(grad.dtype(), "ps_roi_pool_backward_kernel",
                        [&]<typename C, typename T>(std::type_identity<C>, std::type_identity<T>) {
                            spread_regions<C, T>(g, regions, image, packed(mapping), spatial_scale, buffer);
                        });
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
void refuse(GradientContext&) { fail_double_backward("ps_roi_pool"); }

std::vector<Sample> forward_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype) || dtype == ScalarType::BFloat16) return {};
    return {{{random_tensor(random, {2, 12, 6, 5}, dtype), sample_rois(random, 4, dtype), 0.75, 2, 3}},
            {{random_tensor(random, {2, 4, 6, 5}, dtype), sample_rois(random, 0, dtype), 1.0, 2, 2}, "no region"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int "
                  "pooled_width) "
                  "-> (Tensor, Tensor)",
        .summary = "Averages each bin of each region of interest in a channel of the bin's own, and says which channel "
                   "that was.",
        .formula = "out[k, c, i, j] = mean of input[rois[k, 0], (c pooled_height + i) pooled_width + j] over bin (i, "
                   "j) of region "
                   "k",
        .infer = inferring<infer_ps_roi_pool>,
        .kernel = filling<ps_roi_pool, 2>,
        .derivative = {derive, {save_argument("rois"), save_result(1)}},
        .samples = forward_samples,
        .autocast = {.cuda = Autocast::Float32Kept},
    },
    {
        .schema = "torchvision::_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float "
                  "spatial_scale, int "
                  "pooled_height, "
                  "int pooled_width, int batch_size, int channels, int height, int width) -> Tensor",
        .summary = "The gradient of ps_roi_pool for its input.",
        .infer = inferring<infer_ps_roi_pool_backward>,
        .kernel = filling<ps_roi_pool_backward>,
        .derivative = {refuse},
    },
};

}  // namespace

std::span<const OperatorRecord> ps_roi_pool_records() { return kRecords; }

}  // namespace loupe::torchvision_ops
