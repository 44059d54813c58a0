// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/pointwise/activation_kernels.cpp"
#include "hwy/foreach_target.h"
// clang-format off
#include "core/ops/pointwise/gelu_inl.h"
// clang-format on

#include "core/ops/pointwise/kernels.h"

// The order of the conditions decides the result of NaN; it is PyTorch's.
HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

struct Plain {
    explicit Plain(const Scalar*) {}
};

template <class D, class V>
HWY_INLINE V clip(D d, V x, double low, double high) {
    const V raised = hn::IfThenElse(hn::Lt(x, constant(d, low)), constant(d, low), x);
    return hn::IfThenElse(hn::Gt(raised, constant(d, high)), constant(d, high), raised);
}

template <class T>
struct ReluOp : Plain {
    using Plain::Plain;
    T scalar(T x) const { return x < 0 ? T(0) : x; }
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    }
};
// p: low, high
template <class T>
struct HardtanhOp {
    explicit HardtanhOp(const Scalar* p) : low(p[0].to<T>()), high(p[1].to<T>()) {}
    T scalar(T x) const {  // of low above high, high is the result
        const T raised = x < low ? low : x;
        return raised > high ? high : raised;
    }
    template <class D, class V>
    V vector(D d, V x) const {
        const V raised = hn::IfThenElse(hn::Lt(x, hn::Set(d, low)), hn::Set(d, low), x);
        return hn::IfThenElse(hn::Gt(raised, hn::Set(d, high)), hn::Set(d, high), raised);
    }
    T low, high;
};
template <class T>
struct HardtanhBackwardOp {
    explicit HardtanhBackwardOp(const Scalar* p) : low(p[0].to<T>()), high(p[1].to<T>()) {}
    template <class D, class V>
    V vector(D d, V g, V x) const {
        return hn::IfThenZeroElse(hn::Or(hn::Le(x, hn::Set(d, low)), hn::Ge(x, hn::Set(d, high))), g);
    }
    T low, high;
};
// p: slope
template <class T>
struct LeakyReluOp {
    explicit LeakyReluOp(const Scalar* p) : slope(p[0].to<T>()) {}
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, hn::Set(d, slope)));
    }
    T slope;
};
template <class T>
struct LeakyReluBackwardOp {
    explicit LeakyReluBackwardOp(const Scalar* p) : slope(p[0].to<T>()) {}
    template <class D, class V>
    V vector(D d, V g, V x) const {
        return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, hn::Set(d, slope)));
    }
    T slope;
};
// p: alpha, scale, input_scale
template <class T>
struct EluOp {
    explicit EluOp(const Scalar* p)
        : negative((p[0].to<double>()) * p[1].to<double>()), positive(p[1].to<double>()), input(p[2].to<double>()) {}
    template <class D, class V>
    V vector(D d, V x) const {
        const V below = hn::Mul(expm1_vector(d, hn::Mul(x, constant(d, input))), constant(d, negative));
        return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, hn::Mul(x, constant(d, positive)));
    }
    double negative, positive, input;
};
template <class T>
struct EluBackwardOp : EluOp<T> {
    using EluOp<T>::EluOp;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        const V slope =
            hn::Mul(constant(d, this->negative * this->input), exp_fast(d, hn::Mul(x, constant(d, this->input))));
        return hn::Mul(g, hn::IfThenElse(hn::Le(x, hn::Zero(d)), slope, constant(d, this->positive)));
    }
};
template <class T>
struct EluBackwardOfResultOp : EluOp<T> {
    using EluOp<T>::EluOp;
    template <class D, class V>
    V vector(D d, V g, V y) const {
        const V slope = hn::Mul(constant(d, this->input), hn::Add(y, constant(d, this->negative)));
        return hn::Mul(g, hn::IfThenElse(hn::Le(y, hn::Zero(d)), slope, constant(d, this->positive)));
    }
};

template <class T>
struct GeluOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::Mul(x, normal_cdf(d, x));
    }
};
template <class T>
struct GeluBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        return hn::Mul(g, gelu_slope(d, x, normal_cdf(d, x)));
    }
};
template <class T>
struct GeluTanhOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::Mul(hn::Mul(constant(d, 0.5), x), hn::Add(constant(d, 1), gelu_tanh_inner(d, x)));
    }
};
template <class T>
struct GeluTanhBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        return hn::Mul(g, gelu_tanh_slope(d, x, gelu_tanh_inner(d, x)));
    }
};
template <class T>
struct SiluOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V x) const {
        return silu_vector(d, x);
    }
};
template <class T>
struct SiluBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        const V one = constant(d, 1);
        const V s = sigmoid_vector(d, x);
        return hn::Mul(g, hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one)));
    }
};
template <class D, class V>
HWY_INLINE V log1p_of_exp(D d, V x) {
    // max(x, 0) + log1p(exp(-|x|))
    return hn::Add(hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x), log1p_vector(d, exp_fast(d, hn::Neg(hn::Abs(x)))));
}
template <class T>
struct MishOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::Mul(x, tanh_vector(d, log1p_of_exp(d, x)));
    }
};
template <class T>
struct MishBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        const V t = tanh_vector(d, log1p_of_exp(d, x));
        const V slope = hn::Mul(sigmoid_vector(d, x), hn::NegMulAdd(t, t, constant(d, 1)));
        return hn::Mul(g, hn::MulAdd(x, slope, t));
    }
};
template <class T>
struct HardsigmoidOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::Div(clip(d, hn::Add(x, constant(d, 3)), 0, 6), constant(d, 6));
    }
};
template <class T>
struct HardsigmoidBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        const auto inside = hn::And(hn::Gt(x, constant(d, -3)), hn::Lt(x, constant(d, 3)));
        return hn::IfThenElseZero(inside, hn::Mul(g, constant(d, 1.0 / 6)));
    }
};
template <class T>
struct HardswishOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::Div(hn::Mul(x, clip(d, hn::Add(x, constant(d, 3)), 0, 6)), constant(d, 6));
    }
};
template <class T>
struct HardswishBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        const V middle = hn::Mul(g, hn::Add(hn::Div(x, constant(d, 3)), constant(d, 0.5)));
        const V upper = hn::IfThenElse(hn::Lt(x, constant(d, 3)), middle, g);
        return hn::IfThenZeroElse(hn::Lt(x, constant(d, -3)), upper);
    }
};
// p: beta, threshold
template <class T>
struct SoftplusOp {
    explicit SoftplusOp(const Scalar* p) : beta(p[0].to<T>()), threshold(p[1].to<T>()) {}
    template <class D, class V>
    V vector(D d, V x) const {
        const V scaled = hn::Mul(x, hn::Set(d, beta));
        const V soft = hn::Div(log1p_vector(d, exp_fast(d, scaled)), hn::Set(d, beta));
        return hn::IfThenElse(hn::Gt(scaled, hn::Set(d, threshold)), x, soft);
    }
    T beta, threshold;
};
template <class T>
struct SoftplusBackwardOp : SoftplusOp<T> {
    using SoftplusOp<T>::SoftplusOp;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        const V scaled = hn::Mul(x, hn::Set(d, this->beta));
        return hn::IfThenElse(hn::Gt(scaled, hn::Set(d, this->threshold)), g, hn::Mul(g, sigmoid_vector(d, scaled)));
    }
};
// p: lambda
template <class T>
struct SoftshrinkOp {
    explicit SoftshrinkOp(const Scalar* p) : lambda(p[0].to<T>()) {}
    template <class D, class V>
    V vector(D d, V x) const {
        const V l = hn::Set(d, lambda);
        const V lower = hn::IfThenElseZero(hn::Lt(x, hn::Neg(l)), hn::Add(x, l));
        return hn::IfThenElse(hn::Gt(x, l), hn::Sub(x, l), lower);
    }
    T lambda;
};
template <class T>
struct SoftshrinkBackwardOp : SoftshrinkOp<T> {
    using SoftshrinkOp<T>::SoftshrinkOp;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        const V l = hn::Set(d, this->lambda);
        return hn::IfThenZeroElse(hn::And(hn::Ge(x, hn::Neg(l)), hn::Le(x, l)), g);
    }
};
template <class T>
struct HardshrinkOp : SoftshrinkOp<T> {
    using SoftshrinkOp<T>::SoftshrinkOp;
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::IfThenZeroElse(hn::Le(hn::Abs(x), hn::Set(d, this->lambda)), x);
    }
};
template <class T>
struct LogSigmoidOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V x) const {
        const V low = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Zero(d), x);
        return hn::Sub(low, log1p_vector(d, exp_fast(d, hn::Neg(hn::Abs(x)))));
    }
};
template <class T>
struct LogSigmoidBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V x) const {
        return hn::Mul(g, sigmoid_vector(d, hn::Neg(x)));
    }
};
// p: threshold, value
template <class T>
struct ThresholdOp {
    explicit ThresholdOp(const Scalar* p) : threshold(p[0].to<T>()), value(p[1].to<T>()) {}
    T scalar(T x) const { return x <= threshold ? value : x; }
    template <class D, class V>
    V vector(D d, V x) const {
        return hn::IfThenElse(hn::Le(x, hn::Set(d, threshold)), hn::Set(d, value), x);
    }
    T threshold, value;
};
// p: threshold
template <class T>
struct ThresholdBackwardOp {
    explicit ThresholdBackwardOp(const Scalar* p) : threshold(p[0].to<T>()) {}
    T scalar(T g, T x) const { return x <= threshold ? T(0) : g; }
    template <class D, class V>
    V vector(D d, V g, V x) const {
        return hn::IfThenZeroElse(hn::Le(x, hn::Set(d, threshold)), g);
    }
    T threshold;
};
// Of the output y.
template <class T>
struct SigmoidBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V y) const {
        return hn::Mul(g, hn::Mul(hn::Sub(constant(d, 1), y), y));
    }
};
template <class T>
struct TanhBackwardOp : Plain {
    using Plain::Plain;
    template <class D, class V>
    V vector(D d, V g, V y) const {
        return hn::Mul(g, hn::NegMulAdd(y, y, constant(d, 1)));
    }
};

ElementwiseKernel find_backward(ActivationOp op, ScalarType as) {
    switch (op) {
        case ActivationOp::HardtanhBackward:
            return real_kernel<HardtanhBackwardOp, 2>(as);
        case ActivationOp::LeakyReluBackward:
            return real_kernel<LeakyReluBackwardOp, 2>(as);
        case ActivationOp::EluBackward:
            return real_kernel<EluBackwardOp, 2>(as);
        case ActivationOp::EluBackwardOfResult:
            return real_kernel<EluBackwardOfResultOp, 2>(as);
        case ActivationOp::GeluBackward:
            return real_kernel<GeluBackwardOp, 2>(as);
        case ActivationOp::GeluTanhBackward:
            return real_kernel<GeluTanhBackwardOp, 2>(as);
        case ActivationOp::SiluBackward:
            return real_kernel<SiluBackwardOp, 2>(as);
        case ActivationOp::MishBackward:
            return real_kernel<MishBackwardOp, 2>(as);
        case ActivationOp::HardsigmoidBackward:
            return real_kernel<HardsigmoidBackwardOp, 2>(as);
        case ActivationOp::HardswishBackward:
            return real_kernel<HardswishBackwardOp, 2>(as);
        case ActivationOp::SoftplusBackward:
            return real_kernel<SoftplusBackwardOp, 2>(as);
        case ActivationOp::SoftshrinkBackward:
        case ActivationOp::HardshrinkBackward:
            return real_kernel<SoftshrinkBackwardOp, 2>(as);
        case ActivationOp::LogSigmoidBackward:
            return real_kernel<LogSigmoidBackwardOp, 2>(as);
        case ActivationOp::ThresholdBackward:
            return real_or_integer_kernel<ThresholdBackwardOp, 2>(as);
        case ActivationOp::SigmoidBackward:
            return real_kernel<SigmoidBackwardOp, 2>(as);
        case ActivationOp::TanhBackward:
            return real_kernel<TanhBackwardOp, 2>(as);
        default:
            return nullptr;
    }
}

ElementwiseKernel find_activation(ActivationOp op, ScalarType as) {
    switch (op) {
        case ActivationOp::Relu:
            return real_or_integer_kernel<ReluOp, 1>(as);
        case ActivationOp::Hardtanh:
            return real_or_integer_kernel<HardtanhOp, 1>(as);
        case ActivationOp::LeakyRelu:
            return real_kernel<LeakyReluOp, 1>(as);
        case ActivationOp::Elu:
            return real_kernel<EluOp, 1>(as);
        case ActivationOp::Gelu:
            return real_kernel<GeluOp, 1>(as);
        case ActivationOp::GeluTanh:
            return real_kernel<GeluTanhOp, 1>(as);
        case ActivationOp::Silu:
            return real_kernel<SiluOp, 1>(as);
        case ActivationOp::Mish:
            return real_kernel<MishOp, 1>(as);
        case ActivationOp::Hardsigmoid:
            return real_kernel<HardsigmoidOp, 1>(as);
        case ActivationOp::Hardswish:
            return real_kernel<HardswishOp, 1>(as);
        case ActivationOp::Softplus:
            return real_kernel<SoftplusOp, 1>(as);
        case ActivationOp::Softshrink:
            return real_kernel<SoftshrinkOp, 1>(as);
        case ActivationOp::Hardshrink:
            return real_kernel<HardshrinkOp, 1>(as);
        case ActivationOp::LogSigmoid:
            return real_kernel<LogSigmoidOp, 1>(as);
        case ActivationOp::Threshold:
            return real_or_integer_kernel<ThresholdOp, 1>(as);
        default:
            return find_backward(op, as);
    }
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {
namespace {
HWY_EXPORT(find_activation);
}
ElementwiseKernel activation_kernel(ActivationOp op, ScalarType as) {
    return HWY_DYNAMIC_DISPATCH(find_activation)(op, as);
}
}  // namespace loupe
#endif
