// SPDX-License-Identifier: Apache-2.0
// Products and convolutions of small whole numbers: their sums are exact in float64.
#include "plugins/onnx/ops/quantize.h"
#include "plugins/onnx/ops/windows.h"

namespace loupe::onnx {
namespace {

// Less its zero point: one for all, or one a row or column.
Tensor centred(const Tensor& x, const Tensor& zero_point, std::int64_t axis) {
    const Tensor wide = cast(x, ScalarType::Float64);
    if (!zero_point.defined()) return wide;
    return fn::sub(wide, cast(along_axis(zero_point, x, axis, 0), ScalarType::Float64));
}

Tensor matmul_integer(const Tensor& a, const Tensor& b, const Tensor& a_zero, const Tensor& b_zero) {
    // A's zero points are of its rows; B's of its columns.
    const Tensor left = centred(a, a_zero, a.dim() - (a.dim() > 1 ? 2 : 1));
    return cast(fn::matmul(left, centred(b, b_zero, b.dim() - 1)), ScalarType::Int32);
}

Tensor qlinear_matmul(const Tensor& a, const Tensor& a_scale, const Tensor& a_zero, const Tensor& b,
                      const Tensor& b_scale, const Tensor& b_zero, const Tensor& y_scale, const Tensor& y_zero) {
    const std::int64_t rows = a.dim() - (a.dim() > 1 ? 2 : 1);
    const Tensor product = fn::matmul(centred(a, a_zero, rows), centred(b, b_zero, b.dim() - 1));
    const auto wide = [&](const Tensor& scale, std::int64_t axis) {
        return cast(along_axis(scale, product, axis, 0), ScalarType::Float64);
    };
    const std::int64_t last = product.dim() - 1;
    const Tensor real = fn::mul(fn::mul(product, wide(a_scale, last - 1 < 0 ? 0 : last - 1)), wide(b_scale, last));
    return quantized(real, y_scale, y_zero, -1, 0, type_of_values(y_zero), true);
}

struct Windowed {
    std::string_view auto_pad;
    std::optional<Dims> dilations, kernel_shape, pads, strides;
    std::int64_t group;
};

Tensor convolved(const Tensor& x, const Tensor& w, const Windowed& a) {
    require(x.dim() >= 3 && x.dim() == w.dim(), "an input of ", x.dim(), " dimensions and a weight of ", w.dim());
    const Windows at = windows_of({a.auto_pad, a.kernel_shape, a.strides, a.dilations, a.pads}, x.sizes().subspan(2),
                                  to_dims(w.sizes().subspan(2)));
    const Dims none(at.begins.size(), 0);
    return fn::convolution(padded(x, at.begins, at.ends, 0), w, IValue(), at.strides, none, at.dilations, false, none,
                           a.group);
}

Tensor conv_integer(const Tensor& x, const Tensor& w, const Tensor& x_zero, const Tensor& w_zero,
                    std::string_view auto_pad, const std::optional<Dims>& dilations, std::int64_t group,
                    const std::optional<Dims>& kernel_shape, const std::optional<Dims>& pads,
                    const std::optional<Dims>& strides) {
    const Tensor out = convolved(centred(x, x_zero, 1), centred(w, w_zero, 0),
                                 {auto_pad, dilations, kernel_shape, pads, strides, group});
    return cast(out, ScalarType::Int32);
}

// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B; auto_pad, dilations, group,
// kernel_shape, pads, strides.
void qlinear_conv(Arguments a, IValue* results) {
    const Tensor x = a[0].to_tensor(), w = a[3].to_tensor(), bias = a[8].to_tensor();
    const auto dims = [&](std::size_t i) {
        return a[i].is_none() ? std::optional<Dims>() : std::optional<Dims>(a[i].to_ints());
    };
    Tensor sums = convolved(centred(x, a[2].to_tensor(), 1), centred(w, a[5].to_tensor(), 0),
                            {a[9].to_string(), dims(10), dims(12), dims(13), dims(14), a[11].to_int()});
    if (bias.defined()) sums = fn::add(sums, cast(along_axis(bias, sums, 1, 0), ScalarType::Float64));
    const auto wide = [&](const IValue& scale) {
        return cast(along_axis(scale.to_tensor(), sums, 1, 0), ScalarType::Float64);
    };
    const Tensor zero = a[7].to_tensor();
    results[0] = quantized(fn::mul(fn::mul(sums, wide(a[1])), wide(a[4])), a[6].to_tensor(), zero, 1, 0,
                           type_of_values(zero), true);
}

#define LOUPE_CONV                                                                                                 \
    "*, str auto_pad=\"NOTSET\", int[]? dilations=None, int group=1, int[]? kernel_shape=None, int[]? pads=None, " \
    "int[]? strides=None) -> Tensor"

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::MatMulInteger(Tensor A, Tensor B, Tensor? a_zero_point=None, Tensor? b_zero_point=None) -> Tensor",
            "The product of matrices of whole numbers.", boxed<matmul_integer>),
    made_of("onnx::QLinearMatMul(Tensor a, Tensor a_scale, Tensor a_zero_point, Tensor b, Tensor b_scale, Tensor "
            "b_zero_point, Tensor y_scale, Tensor y_zero_point) -> Tensor",
            "The product of quantised matrices, quantised.", boxed<qlinear_matmul>),
    made_of("onnx::ConvInteger(Tensor x, Tensor w, Tensor? x_zero_point=None, Tensor? w_zero_point=None, " LOUPE_CONV,
            "The convolution of whole numbers.", boxed<conv_integer>),
    made_of("onnx::QLinearConv(Tensor x, Tensor x_scale, Tensor x_zero_point, Tensor w, Tensor w_scale, Tensor "
            "w_zero_point, Tensor y_scale, Tensor y_zero_point, Tensor? B=None, " LOUPE_CONV,
            "The convolution of quantised numbers, quantised.", qlinear_conv),
};

#undef LOUPE_CONV

}  // namespace

std::span<const OperatorRecord> quantized_product_records() { return kRecords; }

}  // namespace loupe::onnx
