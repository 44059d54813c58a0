// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/onnx/ops/windows.h"

namespace loupe::onnx {
namespace {

// Where the elements of a padded dimension come from.
std::vector<std::int64_t> places(std::int64_t n, std::int64_t before, std::int64_t after, std::string_view mode) {
    std::vector<std::int64_t> from;
    require(n > 0, "nothing to pad with: a dimension has no elements");
    const std::int64_t period = std::max<std::int64_t>(1, 2 * (n - 1));
    for (std::int64_t i = -before; i < n + after; ++i) {
        std::int64_t at = i;
        if (mode == "edge") {
            at = std::clamp<std::int64_t>(i, 0, n - 1);
        } else if (mode == "wrap") {
            at = ((i % n) + n) % n;
        } else {
            at = ((i % period) + period) % period;
            at = at < n ? at : period - at;
        }
        from.push_back(at);
    }
    return from;
}

// pads: of all begins, then of all ends, of the axes.
Tensor padded_along(const Tensor& x, const Dims& pads, const Dims& axes, std::string_view mode, double value) {
    require(pads.size() == 2 * axes.size(), "pads has ", pads.size(), " numbers for ", axes.size(), " dimensions");
    for (const std::int64_t pad : pads) require(pad > -(1 << 30) && pad < 1 << 30, "a pad of ", pad);
    if (mode == "constant") {
        Dims begins(static_cast<std::size_t>(x.dim()), 0), ends = begins;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            begins[static_cast<std::size_t>(axes[i])] = pads[i];
            ends[static_cast<std::size_t>(axes[i])] = pads[i + axes.size()];
        }
        const Tensor out = padded(x, begins, ends, value);
        return out.is_same(x) ? fn::alias(x) : out;
    }
    require(mode == "reflect" || mode == "edge" || mode == "wrap", "no mode ", mode);
    Tensor out = x;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t before = pads[i], after = pads[i + axes.size()];
        if (before == 0 && after == 0) continue;
        // Negative pads cut.
        const std::int64_t cut = std::max<std::int64_t>(0, -before);
        const std::int64_t left = out.size(axes[i]) - cut - std::max<std::int64_t>(0, -after);
        require(left >= 0, "pads cut more than there is");
        const Tensor kept = fn::narrow(out, axes[i], cut, left);
        out = at_places(kept, axes[i],
                        places(left, std::max<std::int64_t>(0, before), std::max<std::int64_t>(0, after), mode));
    }
    return out.is_same(x) ? fn::alias(x) : out;
}

Tensor pad_old(const Tensor& x, std::string_view mode, const Dims& paddings, double value) {
    return padded_along(x, paddings, all_axes(x.dim()), mode, value);
}
Tensor pad_by(const Tensor& x, std::string_view mode, const Dims& pads, double value) {
    return padded_along(x, pads, all_axes(x.dim()), mode, value);
}
Tensor pad(const Tensor& x, const Tensor& pads, const Tensor& constant_value, const Tensor& axes,
           std::string_view mode) {
    const Dims along = axes.defined() ? wrapped_axes(whole_numbers(axes), x.dim()) : all_axes(x.dim());
    const double value = constant_value.defined() && constant_value.numel() > 0 ? real_number(constant_value) : 0;
    return padded_along(x, whole_numbers(pads), along, mode, value);
}

// Cut in the middle, or padded around, to a shape.
Tensor center_crop_pad(const Tensor& x, const Tensor& shape, const std::optional<Dims>& axes) {
    const Dims along = wrapped_axes(axes.value_or(all_axes(x.dim())), x.dim());
    const Dims wanted = whole_numbers(shape);
    require(wanted.size() == along.size(), "shape has ", wanted.size(), " numbers for ", along.size(), " axes");
    Tensor out = x;
    for (std::size_t i = 0; i < along.size(); ++i) {
        const std::int64_t n = x.size(along[i]);
        require(wanted[i] >= 0 && wanted[i] < 1 << 30, "a size of ", wanted[i]);
        if (wanted[i] <= n) {
            out = fn::narrow(out, along[i], (n - wanted[i]) / 2, wanted[i]);
            continue;
        }
        const std::int64_t before = (wanted[i] - n) / 2;
        out = padded_along(out, Dims{before, wanted[i] - n - before}, Dims{along[i]}, "constant", 0);
    }
    return out;
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Pad(Tensor data, *, str mode=\"constant\", int[] paddings, float value=0.) -> Tensor",
            "Padded at the edges.", boxed<pad_old>),
    made_of("onnx::Pad.v2(Tensor data, *, str mode=\"constant\", int[] pads, float value=0.) -> Tensor",
            "Padded at the edges.", boxed<pad_by>),
    reading("onnx::Pad.v11(Tensor data, Tensor pads, Tensor? constant_value=None, Tensor? axes=None, *, str "
            "mode=\"constant\") -> Tensor",
            "Padded at the edges: with a value, mirrored, with the edge, or wrapped around.", boxed<pad>),
    reading("onnx::CenterCropPad(Tensor input_data, Tensor shape, *, int[]? axes=None) -> Tensor",
            "Cut in the middle, or padded around, to a shape.", boxed<center_crop_pad>),
};

}  // namespace

std::span<const OperatorRecord> pad_records() { return kRecords; }

}  // namespace loupe::onnx
