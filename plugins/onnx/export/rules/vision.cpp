// SPDX-License-Identifier: Apache-2.0
// torchvision's operators.
#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

RuleResults nms(Call& c) {
    Builder& b = c.b;
    const OnnxValue boxes = b.unsqueeze(c.value("dets", ScalarType::Float32), {0});
    const OnnxValue scores = b.unsqueeze(c.value("scores", ScalarType::Float32), {0, 1});
    const OnnxValue most = b.ints({std::numeric_limits<std::int32_t>::max()});
    const OnnxValue limit = b.unsqueeze(c.value("iou_threshold", ScalarType::Float32), {0});
    const OnnxValue chosen =
        b.emit("NonMaxSuppression", {boxes, scores, most, limit}, {}, ScalarType::Int64, Dims{-1, 3});
    return b.gather(chosen, b.number(std::int64_t{2}, ScalarType::Int64), 1);
}

// [K, 5]: the image, then the box.
struct Regions {
    OnnxValue images;
    OnnxValue boxes;
};

Regions regions_of(Call& c, const OnnxValue& rois) {
    Builder& b = c.b;
    const OnnxValue images = b.gather(rois, b.number(std::int64_t{0}, ScalarType::Int64), 1);
    return {b.cast(images, ScalarType::Int64), b.slice(rois, 1, 1, 5)};
}

RuleResults roi_align(Call& c) {
    const OnnxValue x = c.tensor("input");
    const auto [images, boxes] = regions_of(c, c.value("rois", x.dtype));
    const std::int64_t ratio = c.integer("sampling_ratio");
    const bool is_aligned = c.flag("aligned");
    if (is_aligned && c.b.opset() < 16) unsupported("aligned regions need opset 16");
    Attributes attributes{{"mode", std::string("avg")},
                          {"output_height", c.integer("pooled_height")},
                          {"output_width", c.integer("pooled_width")},
                          {"sampling_ratio", std::max<std::int64_t>(0, ratio)},
                          {"spatial_scale", c.real("spatial_scale")}};
    if (c.b.opset() >= 16)
        attributes.push_back(
            {"coordinate_transformation_mode", std::string(is_aligned ? "half_pixel" : "output_half_pixel")});
    return c.b.emit("RoiAlign", {x, boxes, images}, std::move(attributes), x.dtype);
}

RuleResults roi_pool(Call& c) {
    const OnnxValue x = c.tensor("input");
    const OnnxValue pooled =
        c.b.emit("MaxRoiPool", {x, c.value("rois", x.dtype)},
                 {{"pooled_shape", std::vector<std::int64_t>{c.integer("pooled_height"), c.integer("pooled_width")}},
                  {"spatial_scale", c.real("spatial_scale")}},
                 x.dtype);
    return pooled;
}

RuleResults deform_conv2d(Call& c) {
    const OnnxValue x = c.tensor("input");
    const OnnxValue weight = c.tensor("weight");
    const OnnxValue mask = c.flag("use_mask") ? c.tensor("mask") : OnnxValue{};
    using Ints = std::vector<std::int64_t>;
    const std::int64_t high = c.integer("pad_h");
    const std::int64_t wide = c.integer("pad_w");
    return c.b.emit("DeformConv", {x, weight, c.tensor("offset"), c.tensor("bias"), mask},
                    {{"dilations", Ints{c.integer("dilation_h"), c.integer("dilation_w")}},
                     {"group", c.integer("groups")},
                     {"offset_group", c.integer("offset_groups")},
                     {"pads", Ints{high, wide, high, wide}},
                     {"strides", Ints{c.integer("stride_h"), c.integer("stride_w")}}},
                    x.dtype);
}

const Rule kRules[] = {
    {"torchvision::nms", nms},
    {"torchvision::roi_align", roi_align},
    {"torchvision::roi_pool", roi_pool},
    {"torchvision::deform_conv2d", deform_conv2d, 19},
};

}  // namespace

std::span<const Rule> vision_rules() { return kRules; }

}  // namespace loupe::onnx_export
