// SPDX-License-Identifier: Apache-2.0
// Resize: every axis by itself, as a choice of elements (nearest) or a product with a matrix of weights (linear,
// cubic), which covers all of ONNX's coordinate transformations and has a gradient.
#include <algorithm>
#include <cmath>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

struct Resizing {
    std::string_view mode = "nearest", nearest_mode = "round_prefer_floor", coordinates = "half_pixel";
    double cubic = -0.75, extrapolation = 0;
    bool excludes_outside = false, antialiases = false;
    std::string_view policy = "stretch";
};

// One axis.
struct Axis {
    std::int64_t in = 0, out = 0;
    double scale = 1;           // out / in, as it was given
    double begin = 0, end = 1;  // of the region of interest
};

double source_place(const Resizing& r, const Axis& a, std::int64_t i) {
    const auto x = static_cast<double>(i);
    const auto in = static_cast<double>(a.in), out = static_cast<double>(a.out);
    if (r.coordinates == "half_pixel") return (x + 0.5) / a.scale - 0.5;
    if (r.coordinates == "half_pixel_symmetric") {
        const double whole = in * a.scale;
        const double adjustment = out / whole;
        const double center = in / 2;
        return center * (1 - adjustment) + (x + 0.5) / a.scale - 0.5;
    }
    if (r.coordinates == "pytorch_half_pixel") return a.out > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
    if (r.coordinates == "align_corners") return a.out > 1 ? x * (in - 1) / (in * a.scale - 1) : 0;
    if (r.coordinates == "asymmetric") return x / a.scale;
    if (r.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / a.scale;
    if (r.coordinates == "tf_crop_and_resize") {
        return a.out > 1 ? a.begin * (in - 1) + x * (a.end - a.begin) * (in - 1) / (out - 1)
                         : 0.5 * (a.begin + a.end) * (in - 1);
    }
    fail("no coordinate_transformation_mode ", r.coordinates);
}

double nearest_of(const Resizing& r, double x) {
    if (r.nearest_mode == "round_prefer_floor") return std::ceil(x - 0.5);
    if (r.nearest_mode == "round_prefer_ceil") return std::floor(x + 0.5);
    if (r.nearest_mode == "floor") return std::floor(x);
    if (r.nearest_mode == "ceil") return std::ceil(x);
    fail("no nearest_mode ", r.nearest_mode);
}

double kernel_at(const Resizing& r, double distance) {
    const double d = std::fabs(distance);
    if (r.mode == "linear") return std::max(0.0, 1 - d);
    const double a = r.cubic;
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
}

// The weights of the elements that one place takes from; those outside go to the edge, or are left out.
void set_weights(const Resizing& r, const Axis& axis, double place, double* row) {
    const double stretch = r.antialiases && axis.scale < 1 ? axis.scale : 1;
    const double radius = (r.mode == "linear" ? 1.0 : 2.0) / stretch;
    const auto first = static_cast<std::int64_t>(std::floor(place - radius)) + 1;
    const auto last = static_cast<std::int64_t>(std::ceil(place + radius)) - 1;
    double sum = 0;
    std::vector<std::pair<std::int64_t, double>> weights;
    for (std::int64_t k = first; k <= last; ++k) {
        const bool is_outside = k < 0 || k >= axis.in;
        double weight = kernel_at(r, (place - static_cast<double>(k)) * stretch);
        if (is_outside && r.excludes_outside) weight = 0;
        weights.emplace_back(std::clamp<std::int64_t>(k, 0, axis.in - 1), weight);
        sum += weight;
    }
    const bool normalises = r.excludes_outside || r.antialiases;
    for (const auto& [k, weight] : weights) row[k] += normalises && sum != 0 ? weight / sum : weight;
}

bool is_outside(const Resizing& r, const Axis& axis, double place) {
    return r.coordinates == "tf_crop_and_resize" && (place < 0 || place > static_cast<double>(axis.in - 1));
}

Tensor resized_axis(const Tensor& x, std::int64_t dim, const Axis& axis, const Resizing& r) {
    if (axis.in == axis.out && axis.scale == 1 && r.coordinates != "tf_crop_and_resize") return x;
    require(axis.in > 0 && axis.out < 1 << 24, "resizing ", axis.in, " elements to ", axis.out);
    std::vector<double> outside(static_cast<std::size_t>(axis.out), 0);
    bool any_outside = false;
    const auto mark_outside = [&](std::int64_t i) {
        outside[static_cast<std::size_t>(i)] = 1;
        any_outside = true;
    };
    Tensor out;
    if (r.mode == "nearest") {
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i < axis.out; ++i) {
            const double place = source_place(r, axis, i);
            if (is_outside(r, axis, place)) mark_outside(i);
            const double nearest = std::clamp(nearest_of(r, place), 0.0, static_cast<double>(axis.in - 1));
            places.push_back(static_cast<std::int64_t>(nearest));
        }
        out = at_places(x, dim, places);
    } else {
        require(axis.in * axis.out < 1 << 28, "resizing ", axis.in, " elements to ", axis.out);
        const Dims sizes{axis.out, axis.in};
        const Tensor weights = zeros(span_of(sizes), ScalarType::Float64);
        for (std::int64_t i = 0; i < axis.out; ++i) {
            const double place = source_place(r, axis, i);
            if (is_outside(r, axis, place)) mark_outside(i);
            set_weights(r, axis, place, weights.data<double>() + i * axis.in);
        }
        const Tensor last = fn::transpose(x, dim, -1);
        out = fn::transpose(fn::linear(last, cast(weights, x.dtype())), dim, -1);
    }
    if (!any_outside) return out;
    Dims line(static_cast<std::size_t>(x.dim()), 1);
    line[static_cast<std::size_t>(dim)] = axis.out;
    const Tensor is_beyond = cast(tensor_of(std::span<const double>(outside), span_of(line)), ScalarType::Bool);
    return fn::where(is_beyond, like_number(x, r.extrapolation), out);
}

// The whole input is known to PyTorch's operator, which does all axes at once.
std::optional<Tensor> as_pytorch(const Tensor& x, const std::vector<Axis>& axes, const Resizing& r) {
    if (x.dim() != 4 || !is_floating(x.dtype()) || r.antialiases || r.excludes_outside) return std::nullopt;
    if (axes[0].scale != 1 || axes[1].scale != 1) return std::nullopt;
    const Dims size{axes[2].out, axes[3].out};
    for (const Axis& axis : axes) {
        const double by_sizes = static_cast<double>(axis.out) / static_cast<double>(axis.in);
        // A factor that does not divide evenly moves places differently.
        if (axis.in == 0 || axis.out == 0 || std::fabs(by_sizes - axis.scale) > 1e-9) return std::nullopt;
    }
    if (r.mode == "linear") {
        const bool aligns = r.coordinates == "align_corners";
        const bool is_half =
            r.coordinates == "half_pixel" || (r.coordinates == "pytorch_half_pixel" && size[0] > 1 && size[1] > 1);
        if (!aligns && !is_half) return std::nullopt;
        return call_one("aten::upsample_bilinear2d", {x, size, aligns, IValue(), IValue()});
    }
    if (r.mode == "nearest" && r.coordinates == "asymmetric" && r.nearest_mode == "floor")
        return call_one("aten::upsample_nearest2d", {x, size, IValue(), IValue()});
    if (r.mode == "cubic" && r.cubic == -0.75) {
        const bool aligns = r.coordinates == "align_corners";
        if (!aligns && r.coordinates != "half_pixel") return std::nullopt;
        return call_one("aten::upsample_bicubic2d", {x, size, aligns, IValue(), IValue()});
    }
    return std::nullopt;
}

Tensor resized(const Tensor& x, const std::vector<Axis>& axes, Resizing r) {
    if (const auto at_once = as_pytorch(x, axes, r)) return *at_once;
    const bool is_whole = is_integral(x.dtype()) && r.mode != "nearest";
    Tensor out = is_whole ? cast(x, ScalarType::Float32) : x;
    for (std::size_t d = 0; d < axes.size(); ++d) out = resized_axis(out, static_cast<std::int64_t>(d), axes[d], r);
    if (is_whole) out = fn::round(out);
    return out.is_same(x) ? fn::alias(x) : cast(out, x.dtype());
}

std::vector<Axis> whole_axes(const Tensor& x) {
    std::vector<Axis> axes;
    for (const std::int64_t n : x.sizes()) axes.push_back({n, n, 1, 0, 1});
    return axes;
}

void set_scales(std::vector<Axis>& axes, const Dims& along, const std::vector<double>& scales) {
    require(scales.size() == along.size(), "scales has ", scales.size(), " numbers for ", along.size(), " dimensions");
    for (std::size_t i = 0; i < along.size(); ++i) {
        Axis& axis = axes[static_cast<std::size_t>(along[i])];
        require(scales[i] > 0 && std::isfinite(scales[i]) && scales[i] < 1 << 24, "a scale of ", scales[i]);
        axis.scale = scales[i];
        axis.out = static_cast<std::int64_t>(std::floor(static_cast<double>(axis.in) * scales[i]));
    }
}

void set_sizes(std::vector<Axis>& axes, const Dims& along, const Dims& sizes, std::string_view policy) {
    require(sizes.size() == along.size(), "sizes has ", sizes.size(), " numbers for ", along.size(), " dimensions");
    double common = 0;
    for (std::size_t i = 0; i < along.size(); ++i) {
        Axis& axis = axes[static_cast<std::size_t>(along[i])];
        require(sizes[i] >= 0 && axis.in > 0, "resizing ", axis.in, " elements to ", sizes[i]);
        axis.out = sizes[i];
        axis.scale = static_cast<double>(axis.out) / static_cast<double>(axis.in);
        const bool takes = i == 0 || (policy == "not_larger" ? axis.scale < common : axis.scale > common);
        if (takes) common = axis.scale;
    }
    if (policy != "not_larger" && policy != "not_smaller") return;
    for (const std::int64_t dim : along) {
        Axis& axis = axes[static_cast<std::size_t>(dim)];
        axis.scale = common;
        axis.out = static_cast<std::int64_t>(std::floor(common * static_cast<double>(axis.in) + 0.5));
    }
}

Tensor upsample_by(const Tensor& x, std::string_view mode, const std::vector<double>& scales) {
    std::vector<Axis> axes = whole_axes(x);
    set_scales(axes, all_axes(x.dim()), scales);
    return resized(x, axes, {mode, "floor", "asymmetric"});
}
Tensor upsample(const Tensor& x, const Tensor& scales, std::string_view mode) {
    return upsample_by(x, mode, real_numbers(scales));
}

// X, roi, scales, sizes, antialias, axes, coordinate_transformation_mode, cubic_coeff_a, exclude_outside,
// extrapolation_value, keep_aspect_ratio_policy, mode, nearest_mode.
void resize(Arguments a, IValue* results) {
    const Tensor x = a[0].to_tensor();
    const Tensor roi = a[1].to_tensor(), scales = a[2].to_tensor(), sizes = a[3].to_tensor();
    Resizing r{a[11].to_string(), a[12].to_string(),  a[6].to_string(),   a[7].to_double(),
               a[9].to_double(),  a[8].to_int() != 0, a[4].to_int() != 0, a[10].to_string()};
    const Dims along = a[5].is_none() ? all_axes(x.dim()) : wrapped_axes(a[5].to_ints(), x.dim());
    std::vector<Axis> axes = whole_axes(x);
    if (sizes.defined() && sizes.numel() > 0)
        set_sizes(axes, along, whole_numbers(sizes), r.policy);
    else
        set_scales(axes, along, real_numbers(scales));
    if (r.coordinates == "tf_crop_and_resize") {
        const std::vector<double> bounds = real_numbers(roi);
        require(bounds.size() == 2 * along.size(), "roi has ", bounds.size(), " numbers for ", along.size(),
                " dimensions");
        for (std::size_t i = 0; i < along.size(); ++i) {
            axes[static_cast<std::size_t>(along[i])].begin = bounds[i];
            axes[static_cast<std::size_t>(along[i])].end = bounds[i + along.size()];
        }
    }
    results[0] = resized(x, axes, r);
}

// Opset 10: only factors.
Tensor resize_by(const Tensor& x, const Tensor& scales, std::string_view mode) {
    return upsample_by(x, mode, real_numbers(scales));
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Upsample(Tensor X, *, str mode=\"nearest\", float[] scales) -> Tensor", "Enlarged by factors.",
            boxed<upsample_by>),
    reading("onnx::Upsample.v9(Tensor X, Tensor scales, *, str mode=\"nearest\") -> Tensor", "Enlarged by factors.",
            boxed<upsample>),
    reading("onnx::Resize(Tensor X, Tensor scales, *, str mode=\"nearest\") -> Tensor", "Resized by factors.",
            boxed<resize_by>),
    reading("onnx::Resize.v11(Tensor X, Tensor? roi=None, Tensor? scales=None, Tensor? sizes=None, *, int antialias=0, "
            "int[]? axes=None, str coordinate_transformation_mode=\"half_pixel\", float cubic_coeff_a=-0.75, int "
            "exclude_outside=0, float extrapolation_value=0., str keep_aspect_ratio_policy=\"stretch\", str "
            "mode=\"nearest\", str nearest_mode=\"round_prefer_floor\") -> Tensor",
            "Resized by factors or to sizes.", resize),
};

}  // namespace

std::span<const OperatorRecord> resize_records() { return kRecords; }

}  // namespace loupe::onnx
