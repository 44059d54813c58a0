// SPDX-License-Identifier: Apache-2.0
// Interpolation and padding.
#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

std::string_view input_name(const Call& c) { return c.op().schema.arguments[0].name; }

// The factors where the program gave them: PyTorch computes with those, not with what the sizes say.
std::vector<double> factors_of(Call& c, std::size_t dims) {
    std::vector<double> factors;
    if (c.has("scale_factors")) {
        for (const Operand& each : c.operand("scale_factors").list->elements) {
            if (each.kind != Operand::Kind::Constant)
                c.unsupported_argument("scale_factors", "that are computed by the model");
            factors.push_back(each.constant.to_double());
        }
        return factors;
    }
    static constexpr std::array<std::string_view, 3> kNames = {"scales_d", "scales_h", "scales_w"};
    for (std::size_t d = 3 - dims; d < 3; ++d) {
        const std::string_view name = dims == 1 ? "scales" : kNames[d];
        if (!c.has(name)) return {};
        factors.push_back(c.real(name));
    }
    return factors;
}

RuleResults resized(Call& c, std::size_t dims, Attributes attributes) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor(input_name(c));
    const std::vector<double> factors = factors_of(c, dims);
    const OnnxValue nothing =
        b.opset() < 13 ? b.constant(empty(IntSpan(std::array<std::int64_t, 1>{0}), ScalarType::Float32)) : OnnxValue{};
    if (!factors.empty()) {
        std::vector<float> scales{1, 1};
        for (const double factor : factors) scales.push_back(static_cast<float>(factor));
        const std::array<std::int64_t, 1> count{static_cast<std::int64_t>(scales.size())};
        const OnnxValue by = b.constant(tensor_of(std::span<const float>(scales), IntSpan(count)));
        return b.emit("Resize", {x, nothing, by}, std::move(attributes), x.dtype, c.result_sizes());
    }
    const OnnxValue sizes = b.joined({b.size(x, 0), b.size(x, 1), c.dims("output_size")}, 0);
    return b.emit("Resize", {x, nothing, nothing, sizes}, std::move(attributes), x.dtype, c.result_sizes());
}

template <std::size_t kDims>
RuleResults nearest(Call& c) {
    return resized(c, kDims,
                   {{"mode", std::string("nearest")},
                    {"coordinate_transformation_mode", std::string("asymmetric")},
                    {"nearest_mode", std::string("floor")}});
}

template <std::size_t kDims>
RuleResults nearest_exact(Call& c) {
    return resized(c, kDims,
                   {{"mode", std::string("nearest")},
                    {"coordinate_transformation_mode", std::string("half_pixel")},
                    {"nearest_mode", std::string("round_prefer_ceil")}});
}

Attributes smooth(Call& c, const char* mode) {
    const bool aligns = c.flag("align_corners");
    Attributes attributes{{"mode", std::string(mode)},
                          {"coordinate_transformation_mode", std::string(aligns ? "align_corners" : "half_pixel")}};
    if (std::string_view(mode) == "cubic") attributes.push_back({"cubic_coeff_a", -0.75});
    return attributes;
}

template <std::size_t kDims>
RuleResults linear(Call& c) {
    return resized(c, kDims, smooth(c, "linear"));
}
RuleResults cubic(Call& c) { return resized(c, 2, smooth(c, "cubic")); }

RuleResults antialiased(Call& c) {
    const bool is_cubic = c.name().find("bicubic") != std::string_view::npos;
    Attributes attributes = smooth(c, is_cubic ? "cubic" : "linear");
    if (is_cubic) attributes.back().value = -0.5;
    attributes.push_back({"antialias", std::int64_t{1}});
    // PyTorch's filter ends at the edges.
    attributes.push_back({"exclude_outside", std::int64_t{1}});
    return resized(c, 2, std::move(attributes));
}

RuleResults grid_sample(Call& c) {
    const OnnxValue x = c.tensor("input");
    const bool is_new = c.b.opset() >= 20;
    if (c.b.rank(x) != 4 && !is_new) unsupported("sampling of volumes needs opset 20");
    static constexpr std::array<const char*, 3> kNew = {"linear", "nearest", "cubic"};
    static constexpr std::array<const char*, 3> kOld = {"bilinear", "nearest", "bicubic"};
    static constexpr std::array<const char*, 3> kPadding = {"zeros", "border", "reflection"};
    const auto mode = static_cast<std::size_t>(std::clamp<std::int64_t>(
        c.op().schema.find_argument("interpolation_mode") ? c.integer("interpolation_mode") : 0, 0, 2));
    const auto padding = static_cast<std::size_t>(std::clamp<std::int64_t>(c.integer("padding_mode"), 0, 2));
    return c.b.emit("GridSample", {x, c.value("grid", x.dtype)},
                    {{"align_corners", std::int64_t{c.flag("align_corners") ? 1 : 0}},
                     {"mode", std::string(is_new ? kNew[mode] : kOld[mode])},
                     {"padding_mode", std::string(kPadding[padding])}},
                    x.dtype);
}

// ---- padding: PyTorch names pairs from the last dimension on, ONNX all begins, then all ends.

RuleResults padded(Call& c, const OnnxValue& x, const char* mode, const OnnxValue& value) {
    Builder& b = c.b;
    const std::string_view name = c.op().schema.find_argument("pad") ? "pad" : "padding";
    const Operand& list = c.operand(name);
    if (!list.is_list()) c.unsupported_argument(name, "that is computed by the model");
    const auto dims = static_cast<std::size_t>(b.rank(x));
    const OnnxValue zero = b.ints({0});
    OnnxValues sides(dims * 2, zero);
    const Operands& pads = list.list->elements;
    for (std::size_t i = 0; i < pads.size(); ++i) {
        const std::size_t axis = dims - 1 - i / 2;
        sides.at(i % 2 == 0 ? axis : dims + axis) =
            b.reshape(b.cast(c.exporter().value_of(pads[i]), ScalarType::Int64), std::array<std::int64_t, 1>{1});
    }
    return b.emit("Pad", {x, b.joined(sides, 0), value}, {{"mode", std::string(mode)}}, x.dtype, c.result_sizes());
}

RuleResults constant_pad(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (x.dtype != ScalarType::Bool) return padded(c, x, "constant", c.value("value", x.dtype));
    const OnnxValue wide = c.b.cast(x, ScalarType::Int32);
    return c.b.cast(padded(c, wide, "constant", c.value("value", ScalarType::Int32)).values[0][0], ScalarType::Bool);
}
RuleResults reflection_pad(Call& c) { return padded(c, c.tensor("self"), "reflect", {}); }
RuleResults replication_pad(Call& c) { return padded(c, c.tensor("self"), "edge", {}); }

RuleResults pad(Call& c) {
    const std::string mode = c.text("mode");
    const OnnxValue x = c.tensor("self");
    if (mode == "reflect") return reflection_pad(c);
    if (mode == "replicate") return replication_pad(c);
    if (mode == "circular") {
        if (c.b.opset() < 19) unsupported("circular padding needs opset 19");
        return padded(c, x, "wrap", {});
    }
    return padded(c, x, "constant", c.has("value") ? c.value("value", x.dtype) : c.b.number(std::int64_t{0}, x.dtype));
}

const Rule kRules[] = {
    {"aten::upsample_nearest1d", nearest<1>},
    {"aten::upsample_nearest2d", nearest<2>},
    {"aten::upsample_nearest3d", nearest<3>},
    {"aten::_upsample_nearest_exact1d", nearest_exact<1>},
    {"aten::_upsample_nearest_exact2d", nearest_exact<2>},
    {"aten::_upsample_nearest_exact3d", nearest_exact<3>},
    {"aten::upsample_linear1d", linear<1>},
    {"aten::upsample_bilinear2d", linear<2>},
    {"aten::upsample_trilinear3d", linear<3>},
    {"aten::upsample_bicubic2d", cubic},
    {"aten::_upsample_bilinear2d_aa", antialiased, 18},
    {"aten::_upsample_bicubic2d_aa", antialiased, 18},
    {"aten::grid_sampler", grid_sample, 16},
    {"aten::grid_sampler_2d", grid_sample, 16},
    {"aten::grid_sampler_3d", grid_sample, 20},
    {"aten::constant_pad_nd", constant_pad},
    {"aten::reflection_pad1d", reflection_pad},
    {"aten::reflection_pad2d", reflection_pad},
    {"aten::reflection_pad3d", reflection_pad},
    {"aten::replication_pad1d", replication_pad},
    {"aten::replication_pad2d", replication_pad},
    {"aten::replication_pad3d", replication_pad},
    {"aten::pad", pad},
};

}  // namespace

std::span<const Rule> resize_rules() { return kRules; }

}  // namespace loupe::onnx_export
