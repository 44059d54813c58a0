// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

Tensor leaky_relu(const Tensor& x, double alpha) { return fn::leaky_relu(x, Scalar(alpha)); }
Tensor elu(const Tensor& x, double alpha) { return call_one("aten::elu", {x, alpha}); }
Tensor celu(const Tensor& x, double alpha) { return call_one("aten::celu", {x, alpha}); }
Tensor selu(const Tensor& x, double alpha, double gamma) { return call_one("aten::elu", {x, alpha, gamma}); }
Tensor gelu(const Tensor& x, std::string_view approximate) {
    require(approximate == "none" || approximate == "tanh", "approximate is none or tanh");
    return fn::gelu(x, approximate);
}
Tensor hard_sigmoid(const Tensor& x, double alpha, double beta) {
    const Tensor line = fn::add_scalar(fn::mul_scalar(x, Scalar(alpha)), Scalar(beta));
    return fn::clamp(line, Scalar(0.0), Scalar(1.0));
}
Tensor swish(const Tensor& x, double alpha) {
    if (alpha == 1) return fn::silu(x);
    return fn::mul(x, fn::sigmoid(fn::mul_scalar(x, Scalar(alpha))));
}
Tensor swiglu(const Tensor& a, const Tensor& b, double alpha) {
    require(std::ranges::equal(a.sizes(), b.sizes()), "a gate of ", describe(a), " for ", describe(b));
    return fn::mul(swish(a, alpha), b);
}
Tensor softsign(const Tensor& x) { return fn::div(x, fn::add_scalar(fn::abs(x), Scalar(1.0))); }
Tensor thresholded_relu(const Tensor& x, double alpha) {
    return fn::where(fn::gt_scalar(x, Scalar(alpha)), x, like_number(x, 0));
}
Tensor shrink(const Tensor& x, double bias, double lambd) {
    const Tensor zero = like_number(x, 0);
    const Tensor above = fn::where(fn::gt_scalar(x, Scalar(lambd)), fn::sub_scalar(x, Scalar(bias)), zero);
    const Tensor out = fn::where(fn::lt_scalar(x, Scalar(-lambd)), fn::add_scalar(x, Scalar(bias)), above);
    return cast(out, x.dtype());
}

// Before opset 7 the slope was one a channel.
Tensor prelu_by_channel(const Tensor& x, const Tensor& slope) {
    Dims sizes{slope.numel()};
    const bool by_channel = slope.dim() <= 1 && slope.numel() > 1 && x.dim() > 1;
    if (by_channel) sizes.resize(static_cast<std::size_t>(x.dim() - 1), 1);
    const Tensor by = by_channel ? fn::reshape(slope, sizes) : slope;
    return fn::where(fn::lt_scalar(x, Scalar(0.0)), fn::mul(x, by), x);
}
Tensor prelu(const Tensor& x, const Tensor& slope) {
    return fn::where(fn::lt_scalar(x, Scalar(0.0)), fn::mul(x, slope), x);
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Relu(Tensor X) -> Tensor", "The larger of x and 0.", forward<"aten::relu">),
    made_of("onnx::LeakyRelu(Tensor X, *, float alpha=0.01) -> Tensor", "x, or alpha x below 0.", boxed<leaky_relu>),
    made_of("onnx::PRelu(Tensor X, Tensor slope) -> Tensor", "x, or slope x below 0; one slope a channel.",
            boxed<prelu_by_channel>),
    made_of("onnx::PRelu.v7(Tensor X, Tensor slope) -> Tensor", "x, or slope x below 0.", boxed<prelu>),
    made_of("onnx::ThresholdedRelu(Tensor X, *, float alpha=1.) -> Tensor", "x above alpha, else 0.",
            boxed<thresholded_relu>),
    made_of("onnx::Elu(Tensor X, *, float alpha=1.) -> Tensor", "x, or alpha (exp(x) - 1) below 0.", boxed<elu>),
    made_of("onnx::Celu(Tensor X, *, float alpha=1.) -> Tensor", "x, or alpha (exp(x / alpha) - 1) below 0.",
            boxed<celu>),
    made_of("onnx::Selu(Tensor X, *, float alpha=1.6732631921768188, float gamma=1.0507010221481323) -> Tensor",
            "gamma x, or gamma alpha (exp(x) - 1) below 0.", boxed<selu>),
    made_of("onnx::Gelu(Tensor X, *, str approximate=\"none\") -> Tensor", "x times the normal distribution at x.",
            boxed<gelu>),
    made_of("onnx::Mish(Tensor X) -> Tensor", "x tanh(softplus(x)).", forward<"aten::mish">),
    made_of("onnx::Swish(Tensor X, *, float alpha=1.) -> Tensor", "x sigmoid(alpha x).", boxed<swish>),
    made_of("onnx::SwiGLU(Tensor A, Tensor B, *, float alpha=1.) -> Tensor", "A sigmoid(alpha A) B.", boxed<swiglu>),
    made_of("onnx::Sigmoid(Tensor X) -> Tensor", "1 / (1 + exp(-x)).", forward<"aten::sigmoid">),
    made_of("onnx::HardSigmoid(Tensor X, *, float alpha=0.2, float beta=0.5) -> Tensor",
            "alpha x + beta, limited to 0 and 1.", boxed<hard_sigmoid>),
    made_of("onnx::HardSwish(Tensor X) -> Tensor", "x times x / 6 + 0.5, limited to 0 and 1.",
            forward<"aten::hardswish">),
    made_of("onnx::Tanh(Tensor input) -> Tensor", "The hyperbolic tangent.", forward<"aten::tanh">),
    made_of("onnx::Softplus(Tensor X) -> Tensor", "log(1 + exp(x)).",
            [](Arguments a, IValue* results) { results[0] = fn::softplus(a[0].to_tensor()); }),
    made_of("onnx::Softsign(Tensor input) -> Tensor", "x / (1 + |x|).", boxed<softsign>),
    made_of("onnx::Shrink(Tensor input, *, float bias=0., float lambd=0.5) -> Tensor",
            "0 near 0; elsewhere moved towards it.", boxed<shrink>),
};

}  // namespace

std::span<const OperatorRecord> activation_records() { return kRecords; }

}  // namespace loupe::onnx
