// SPDX-License-Identifier: Apache-2.0
// loupe::gelu_with_slope: gelu and its slope at once, so that the backward pass is one product.
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/pointwise/gelu_with_slope.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/ops/pointwise/gelu_inl.h"
// clang-format on

#include "core/autograd/grad_mode.h"
#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/samples.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

template <bool kTanh, class D>
HWY_INLINE void gelu_of(D d, const hn::TFromD<D>* x, hn::TFromD<D>* y, hn::TFromD<D>* slope) {
    const auto v = hn::LoadU(d, x);
    if constexpr (kTanh) {
        const auto inner = gelu_tanh_inner(d, v);
        hn::StoreU(hn::Mul(hn::Mul(constant(d, 0.5), v), hn::Add(constant(d, 1), inner)), d, y);
        hn::StoreU(gelu_tanh_slope(d, v, inner), d, slope);
    } else {
        const auto cdf = normal_cdf(d, v);
        hn::StoreU(hn::Mul(v, cdf), d, y);
        hn::StoreU(gelu_slope(d, v, cdf), d, slope);
    }
}

template <bool kTanh, class T>
void gelu_row(const T* x, T* y, T* slope, std::int64_t n) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) gelu_of<kTanh>(d, x + i, y + i, slope + i);
    if (i == n) return;
    HWY_ALIGN T rest[3][hn::MaxLanes(hn::ScalableTag<T>())] = {};
    std::copy(x + i, x + n, rest[0]);
    gelu_of<kTanh>(d, rest[0], rest[1], rest[2]);
    std::copy(rest[1], rest[1] + (n - i), y + i);
    std::copy(rest[2], rest[2] + (n - i), slope + i);
}

void gelu_floats(const float* x, float* y, float* slope, std::int64_t n, bool uses_tanh) {
    uses_tanh ? gelu_row<true>(x, y, slope, n) : gelu_row<false>(x, y, slope, n);
}
void gelu_doubles(const double* x, double* y, double* slope, std::int64_t n, bool uses_tanh) {
    uses_tanh ? gelu_row<true>(x, y, slope, n) : gelu_row<false>(x, y, slope, n);
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {

HWY_EXPORT(gelu_floats);
HWY_EXPORT(gelu_doubles);

bool uses_tanh(const IValue& approximate) {
    const std::string& text = approximate.to_string();
    require(text == "none" || text == "tanh", "approximate argument must be either none or tanh.");
    return text == "tanh";
}

void infer(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    require(self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64,
            "\"gelu_with_slope\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    uses_tanh(arguments[1]);
    for (int i = 0; i < 2; ++i) outputs.push_back({to_dims(self.sizes()), self.dtype(), self.device(), {}});
}

void run(Arguments arguments, IValue* results) {
    const Tensor x = packed(arguments[0].to_tensor()), y = results[0].to_tensor(), slope = results[1].to_tensor();
    const bool with_tanh = uses_tanh(arguments[1]);
    constexpr std::int64_t kGrain = 8192;
    parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t n = end - begin;
        if (x.dtype() == ScalarType::Float32) {
            HWY_DYNAMIC_DISPATCH(gelu_floats)
            (x.data<float>() + begin, y.data<float>() + begin, slope.data<float>() + begin, n, with_tanh);
        } else {
            HWY_DYNAMIC_DISPATCH(gelu_doubles)
            (x.data<double>() + begin, y.data<double>() + begin, slope.data<double>() + begin, n, with_tanh);
        }
    });
}

// Where the gradient is to be differentiated again, or the slope is differentiated, by the operators.
void gradient(GradientContext& c) {
    if (c.grad_output(1).defined()) {
        const auto both = [&](const TensorList& in) {
            const Tensor ones = fn::add_scalar(fn::mul_scalar(fn::detach(in[0]), Scalar(0)), Scalar(1));
            return TensorList{fn::gelu(in[0], c.value("approximate")),
                              fn::gelu_backward(ones, in[0], c.value("approximate"))};
        };
        c.set_grad("self", composed_gradients(both, {c.argument("self")}, {c.grad_output(0), c.grad_output(1)})[0]);
    } else if (GradMode::is_enabled()) {
        c.set_grad("self", fn::gelu_backward(c.grad_output(0), c.argument("self"), c.value("approximate")));
    } else {
        c.set_grad("self", fn::mul(c.grad_output(0), c.result(1)));
    }
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32 && dtype != ScalarType::Float64) return {};
    const Tensor x = random_tensor(random, {3, 7}, dtype);
    return {{{x, "none"}}, {{fn::transpose(x, 0, 1), "tanh"}, "tanh"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "loupe::gelu_with_slope(Tensor self, str approximate=\"none\") -> (Tensor output, Tensor slope)",
     .summary = "gelu, and its slope, which the gradient is multiplied with.",
     .formula = "x Phi(x), Phi(x) + x phi(x)",
     .infer = infer,
     .kernel = FillingKernel{run},
     .derivative = {gradient, {save_argument("self"), save_result(1)}, "GeluWithSlopeBackward0"},
     .gradient = "self: grad_output slope; grad_slope times the second derivative, (2 - x^2) phi(x)",
     .samples = samples},
};

}  // namespace

std::span<const OperatorRecord> pointwise::gelu_with_slope_records() { return kRecords; }

}  // namespace loupe
#endif
