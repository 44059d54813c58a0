// SPDX-License-Identifier: Apache-2.0
// Boxes: their suppression, and what lies in them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/cancel.h"
#include "core/passes/fake_run.h"
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

struct Box {
    float y1, x1, y2, x2;
    float area() const { return (y2 - y1) * (x2 - x1); }
};

Box box_of(const float* at, bool is_centred) {
    if (is_centred) return {at[1] - at[3] / 2, at[0] - at[2] / 2, at[1] + at[3] / 2, at[0] + at[2] / 2};
    return {std::min(at[0], at[2]), std::min(at[1], at[3]), std::max(at[0], at[2]), std::max(at[1], at[3])};
}

float overlap(const Box& a, const Box& b) {
    const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
    const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
    if (height <= 0 || width <= 0) return 0;
    const float shared = height * width;
    return shared / (a.area() + b.area() - shared);
}

Tensor suppressed(const Tensor& boxes, const Tensor& scores, const Tensor& most, const Tensor& iou, const Tensor& least,
                  std::int64_t center_point_box) {
    require(boxes.dim() == 3 && boxes.size(2) == 4 && scores.dim() == 3 && scores.size(0) == boxes.size(0) &&
                scores.size(2) == boxes.size(1),
            "boxes ", describe(boxes), " and scores ", describe(scores), " do not fit together");
    passes::require_elements(boxes);
    passes::require_elements(scores);
    const std::int64_t limit = most.defined() && most.numel() > 0 ? whole_number(most) : 0;
    const double threshold = iou.defined() && iou.numel() > 0 ? real_number(iou) : 0;
    const bool has_least = least.defined() && least.numel() > 0;
    const double least_score = has_least ? real_number(least) : 0;
    const Tensor b = fn::contiguous(cast(fn::detach(boxes), ScalarType::Float32));
    const Tensor s = fn::contiguous(cast(fn::detach(scores), ScalarType::Float32));
    const std::int64_t batches = scores.size(0), classes = scores.size(1), count = boxes.size(1);
    std::vector<std::int64_t> out;
    for (std::int64_t n = 0; n < batches; ++n) {
        for (std::int64_t c = 0; c < classes; ++c) {
            check_cancelled();
            const float* score = s.data<float>() + (n * classes + c) * count;
            std::vector<std::int64_t> order;
            for (std::int64_t i = 0; i < count; ++i) {
                if (!has_least || static_cast<double>(score[i]) > least_score) order.push_back(i);
            }
            std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) { return score[i] > score[j]; });
            std::vector<Box> kept;
            for (const std::int64_t i : order) {
                if (static_cast<std::int64_t>(kept.size()) >= limit) break;
                const Box box = box_of(b.data<float>() + (n * count + i) * 4, center_point_box != 0);
                const bool is_free = std::ranges::none_of(
                    kept, [&](const Box& other) { return static_cast<double>(overlap(box, other)) > threshold; });
                if (!is_free) continue;
                kept.push_back(box);
                out.insert(out.end(), {n, c, i});
            }
        }
    }
    const Dims sizes{static_cast<std::int64_t>(out.size() / 3), 3};
    return tensor_of(std::span<const std::int64_t>(out), span_of(sizes));
}

// Regions as torchvision has them: the batch first.
Tensor with_batch(const Tensor& rois, const Tensor& batch) {
    return fn::cat(TensorList{fn::unsqueeze(cast(batch, rois.dtype()), 1), rois}, 1);
}

// The largest of what the average is taken of: samples of each bin, and which four elements each lies between.
Tensor roi_align_max(const Tensor& x, const Tensor& rois, const Tensor& batch, std::int64_t height, std::int64_t width,
                     std::int64_t ratio, double scale, bool is_aligned) {
    const Tensor r = fn::contiguous(cast(fn::detach(rois), ScalarType::Float64));
    const Dims images = whole_numbers(batch);
    const std::int64_t h = x.size(2), w = x.size(3);
    TensorList regions;
    for (std::int64_t k = 0; k < rois.size(0); ++k) {
        const double* roi = r.data<double>() + 4 * k;
        const double shift = is_aligned ? 0.5 : 0;
        const double left = roi[0] * scale - shift, top = roi[1] * scale - shift;
        double roi_w = roi[2] * scale - shift - left, roi_h = roi[3] * scale - shift - top;
        if (!is_aligned) roi_w = std::max(roi_w, 1.0), roi_h = std::max(roi_h, 1.0);
        const double bin_h = roi_h / static_cast<double>(height), bin_w = roi_w / static_cast<double>(width);
        const auto per = [&](double size, std::int64_t bins) {
            return ratio > 0 ? ratio
                             : std::max<std::int64_t>(
                                   1, static_cast<std::int64_t>(std::ceil(size / static_cast<double>(bins))));
        };
        const std::int64_t ny = per(roi_h, height), nx = per(roi_w, width);
        require(ny * nx * height * width < 1 << 24, "too many samples in a region");
        std::vector<std::int64_t> corners[4];
        std::vector<float> weights[4];
        for (std::int64_t i = 0; i < height * ny; ++i) {
            for (std::int64_t j = 0; j < width * nx; ++j) {
                double y = top + (static_cast<double>(i) + 0.5) * bin_h / static_cast<double>(ny);
                double xx = left + (static_cast<double>(j) + 0.5) * bin_w / static_cast<double>(nx);
                const bool is_in = y >= -1 && y <= static_cast<double>(h) && xx >= -1 && xx <= static_cast<double>(w);
                y = std::clamp(y, 0.0, static_cast<double>(h - 1));
                xx = std::clamp(xx, 0.0, static_cast<double>(w - 1));
                const auto y0 = static_cast<std::int64_t>(y), x0 = static_cast<std::int64_t>(xx);
                const std::int64_t y1 = std::min(y0 + 1, h - 1), x1 = std::min(x0 + 1, w - 1);
                const double fy = y - static_cast<double>(y0), fx = xx - static_cast<double>(x0);
                const std::int64_t at[4] = {y0 * w + x0, y0 * w + x1, y1 * w + x0, y1 * w + x1};
                const double by[4] = {(1 - fy) * (1 - fx), (1 - fy) * fx, fy * (1 - fx), fy * fx};
                for (std::size_t q = 0; q < 4; ++q) {
                    corners[q].push_back(at[q]);
                    weights[q].push_back(is_in ? static_cast<float>(by[q]) : 0.0f);
                }
            }
        }
        const Tensor plane = fn::reshape(fn::select(x, 0, images[static_cast<std::size_t>(k)]), Dims{x.size(1), h * w});
        Tensor most;
        for (std::size_t q = 0; q < 4; ++q) {
            const Dims line{static_cast<std::int64_t>(weights[q].size())};
            const Tensor weight = cast(tensor_of(std::span<const float>(weights[q]), span_of(line)), x.dtype());
            const Tensor each = fn::mul(at_places(plane, 1, corners[q]), weight);
            most = most.defined() ? fn::maximum(most, each) : each;
        }
        const Tensor bins = fn::reshape(most, Dims{x.size(1), height, ny, width, nx});
        regions.push_back(fn::amax(bins, Dims{2, 4}, false));
    }
    if (regions.empty()) return fn::new_zeros(x, Dims{0, x.size(1), height, width});
    return fn::stack(regions, 0);
}

Tensor roi_align(const Tensor& x, const Tensor& rois, const Tensor& batch, std::string_view mode, std::int64_t height,
                 std::int64_t width, std::int64_t ratio, double scale, bool is_aligned) {
    require(x.dim() == 4 && rois.dim() == 2 && rois.size(1) == 4, "expected images and boxes, got ", describe(x),
            " and ", describe(rois));
    require(height > 0 && width > 0 && height < 1 << 16 && width < 1 << 16, "regions of ", height, " by ", width);
    if (mode == "max") return roi_align_max(x, rois, batch, height, width, ratio, scale, is_aligned);
    require(mode == "avg", "mode is avg or max");
    return call_one("torchvision::roi_align",
                    {x, with_batch(rois, batch), scale, height, width, std::max<std::int64_t>(0, ratio), is_aligned});
}
Tensor roi_align_v10(const Tensor& x, const Tensor& rois, const Tensor& batch, std::string_view mode,
                     std::int64_t height, std::int64_t width, std::int64_t ratio, double scale) {
    return roi_align(x, rois, batch, mode, height, width, ratio, scale, false);
}
Tensor roi_align_v16(const Tensor& x, const Tensor& rois, const Tensor& batch, std::string_view coordinates,
                     std::string_view mode, std::int64_t height, std::int64_t width, std::int64_t ratio, double scale) {
    return roi_align(x, rois, batch, mode, height, width, ratio, scale, coordinates == "half_pixel");
}

Tensor max_roi_pool(const Tensor& x, const Tensor& rois, const Dims& pooled_shape, double scale) {
    require(pooled_shape.size() == 2, "pooled_shape has ", pooled_shape.size(), " numbers");
    return call_one("torchvision::roi_pool", {x, rois, scale, pooled_shape[0], pooled_shape[1]});
}

#define LOUPE_ROI "int output_height=1, int output_width=1, int sampling_ratio=0, float spatial_scale=1.) -> Tensor"

constexpr OperatorRecord kRecords[] = {
    {.schema = "onnx::NonMaxSuppression(Tensor boxes, Tensor scores, Tensor? max_output_boxes_per_class=None, Tensor? "
               "iou_threshold=None, Tensor? score_threshold=None, *, int center_point_box=0) -> Tensor",
     .summary = "The boxes of each class that overlap no better one by more than a threshold.",
     .composite = boxed<suppressed>,
     .is_gradient_stop = true,
     .placement = Placement::Host},
    reading("onnx::RoiAlign(Tensor X, Tensor rois, Tensor batch_indices, *, str mode=\"avg\", " LOUPE_ROI,
            "Regions of an image, resampled.", boxed<roi_align_v10>),
    reading("onnx::RoiAlign.v16(Tensor X, Tensor rois, Tensor batch_indices, *, str "
            "coordinate_transformation_mode=\"half_pixel\", str mode=\"avg\", " LOUPE_ROI,
            "Regions of an image, resampled.", boxed<roi_align_v16>),
    made_of("onnx::MaxRoiPool(Tensor X, Tensor rois, *, int[] pooled_shape, float spatial_scale=1.) -> Tensor",
            "The largest elements in parts of regions.", boxed<max_roi_pool>),
};

#undef LOUPE_ROI

}  // namespace

std::span<const OperatorRecord> region_records() { return kRecords; }

}  // namespace loupe::onnx
