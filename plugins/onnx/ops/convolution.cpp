// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/onnx/ops/windows.h"

namespace loupe::onnx {
namespace {

IntSpan spatial_of(const Tensor& x) {
    require(x.dim() >= 3, "expected an input of batch, channels and at least one dimension more, got ", describe(x));
    return x.sizes().subspan(2);
}

Dims kernel_of(const Tensor& weight) {
    require(weight.dim() >= 3, "expected a weight of at least 3 dimensions, got ", describe(weight));
    return to_dims(weight.sizes().subspan(2));
}

IValue or_none(const Tensor& t) { return t.defined() ? IValue(t) : IValue(); }

Tensor conv(const Tensor& x, const Tensor& w, const Tensor& b, std::string_view auto_pad,
            const std::optional<Dims>& dilations, std::int64_t group, const std::optional<Dims>& kernel_shape,
            const std::optional<Dims>& pads, const std::optional<Dims>& strides) {
    require(x.dim() == w.dim(), "an input of ", x.dim(), " dimensions and a weight of ", w.dim());
    const Windows at = windows_of({auto_pad, kernel_shape, strides, dilations, pads}, spatial_of(x), kernel_of(w));
    const bool fits = at.is_symmetric() && std::ranges::all_of(at.begins, [](std::int64_t p) { return p >= 0; });
    const Tensor in = fits ? x : padded(x, at.begins, at.ends, 0);
    const Dims none(at.begins.size(), 0);
    return fn::convolution(in, w, or_none(b), at.strides, fits ? at.begins : none, at.dilations, false, none, group);
}

struct Transposed {
    Dims begins, ends, extra;
};

// The pads that cut the full result, and how much more it has behind.
Transposed transposed_pads(const Windows& at, IntSpan spatial, std::string_view auto_pad, const Dims& extra,
                           const std::optional<Dims>& output_shape) {
    Transposed out{at.begins, at.ends, extra};
    const std::size_t count = spatial.size();
    const bool is_same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
    if (auto_pad == "VALID") out.begins = out.ends = Dims(count, 0);
    if (!is_same && (!output_shape || output_shape->empty())) return out;
    for (std::size_t d = 0; d < count; ++d) {
        std::int64_t wanted = spatial[d] * at.strides[d];
        if (output_shape && !output_shape->empty()) {
            require(output_shape->size() == count || output_shape->size() == count + 2, "output_shape has ",
                    output_shape->size(), " numbers");
            wanted = (*output_shape)[output_shape->size() - count + d];
        }
        const std::int64_t full = (spatial[d] - 1) * at.strides[d] + (at.kernel[d] - 1) * at.dilations[d] + 1;
        const std::int64_t cut = full + extra[d] - wanted;
        // What is missing lies behind, however it is divided.
        const std::int64_t half = cut >= 0 ? cut / 2 : 0;
        out.begins[d] = auto_pad == "SAME_UPPER" ? half : cut - half;
        if (cut < 0) out.begins[d] = 0;
        out.ends[d] = cut - out.begins[d];
    }
    return out;
}

Tensor conv_transpose(const Tensor& x, const Tensor& w, const Tensor& b, std::string_view auto_pad,
                      const std::optional<Dims>& dilations, std::int64_t group, const std::optional<Dims>& kernel_shape,
                      const std::optional<Dims>& output_padding, const std::optional<Dims>& output_shape,
                      const std::optional<Dims>& pads, const std::optional<Dims>& strides) {
    const IntSpan spatial = spatial_of(x);
    require(x.dim() == w.dim(), "an input of ", x.dim(), " dimensions and a weight of ", w.dim());
    WindowAttributes attributes{"NOTSET", kernel_shape, strides, dilations, pads};
    // Whether windows fit into the input does not matter here.
    const Dims roomy(spatial.size(), std::int64_t{1} << 32);
    const Windows at = windows_of(attributes, span_of(roomy), kernel_of(w));
    const Dims extra = or_filled(output_padding, spatial.size(), 0);
    require(extra.size() == spatial.size(), "output_padding has ", extra.size(), " numbers");
    const Transposed cut = transposed_pads(at, spatial, auto_pad, extra, output_shape);
    const Dims none(spatial.size(), 0);
    bool is_plain = cut.begins == cut.ends;
    for (std::size_t d = 0; d < spatial.size(); ++d) {
        is_plain =
            is_plain && cut.begins[d] >= 0 && extra[d] >= 0 && (extra[d] < at.strides[d] || extra[d] < at.dilations[d]);
    }
    if (is_plain) return fn::convolution(x, w, or_none(b), at.strides, cut.begins, at.dilations, true, extra, group);
    const Tensor full = fn::convolution(x, w, IValue(), at.strides, none, at.dilations, true, none, group);
    Dims begins, ends;
    for (std::size_t d = 0; d < spatial.size(); ++d) {
        begins.push_back(-cut.begins[d]);
        ends.push_back(extra[d] - cut.ends[d]);
    }
    const Tensor out = padded(full, begins, ends, 0);
    if (!b.defined()) return out;
    Dims sizes(spatial.size() + 1, 1);
    sizes[0] = b.numel();
    return fn::add(out, fn::reshape(b, sizes));
}

Tensor deform_conv(const Tensor& x, const Tensor& w, const Tensor& offset, const Tensor& b, const Tensor& mask,
                   const std::optional<Dims>& dilations, std::int64_t group, const std::optional<Dims>& kernel_shape,
                   std::int64_t offset_group, const std::optional<Dims>& pads, const std::optional<Dims>& strides) {
    require(x.dim() == 4, "deformable convolution of images only, got ", describe(x));
    const Windows at = windows_of({"NOTSET", kernel_shape, strides, dilations, pads}, spatial_of(x), kernel_of(w));
    const Tensor in = at.is_symmetric() ? x : padded(x, at.begins, at.ends, 0);
    const Dims pad = at.is_symmetric() ? at.begins : Dims{0, 0};
    const Tensor bias = b.defined() ? b : fn::new_zeros(x, Dims{w.size(0)});
    const Tensor weights = mask.defined() ? mask : fn::new_zeros(x, Dims{x.size(0), 1});
    return call_one("torchvision::deform_conv2d",
                    {in, w, offset, weights, bias, at.strides[0], at.strides[1], pad[0], pad[1], at.dilations[0],
                     at.dilations[1], group, offset_group, mask.defined()});
}

#define LOUPE_WINDOWS "int[]? kernel_shape=None"

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Conv(Tensor X, Tensor W, Tensor? B=None, *, str auto_pad=\"NOTSET\", int[]? dilations=None, int "
            "group=1, " LOUPE_WINDOWS ", int[]? pads=None, int[]? strides=None) -> Tensor",
            "Convolution.", boxed<conv>),
    made_of(
        "onnx::ConvTranspose(Tensor X, Tensor W, Tensor? B=None, *, str auto_pad=\"NOTSET\", int[]? dilations=None, "
        "int group=1, " LOUPE_WINDOWS
        ", int[]? output_padding=None, int[]? output_shape=None, int[]? pads=None, int[]? strides=None) -> Tensor",
        "Transposed convolution.", boxed<conv_transpose>),
    made_of("onnx::DeformConv(Tensor X, Tensor W, Tensor offset, Tensor? B=None, Tensor? mask=None, *, int[]? "
            "dilations=None, int group=1, " LOUPE_WINDOWS
            ", int offset_group=1, int[]? pads=None, int[]? strides=None) -> Tensor",
            "Convolution at places moved by offsets.", boxed<deform_conv>),
};

#undef LOUPE_WINDOWS

}  // namespace

std::span<const OperatorRecord> convolution_records() { return kRecords; }

}  // namespace loupe::onnx
