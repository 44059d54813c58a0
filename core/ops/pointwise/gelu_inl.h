// SPDX-License-Identifier: Apache-2.0
// gelu and its slope, exact and with a tanh. Included like simd_inl.h.
#if defined(LOUPE_GELU_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOUPE_GELU_INL_H
#undef LOUPE_GELU_INL_H
#else
#define LOUPE_GELU_INL_H
#endif

#include "core/kernels/math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kGeluCubic = 0.044715;

template <class D>
HWY_INLINE auto constant(D d, double value) {
    return hn::Set(d, static_cast<FloatOf<D>>(value));
}

// Phi(x). float32: 1/2 + x P(x^2) / Q(x^2), fitted to 2e-8 up to the place where Phi rounds to 0 or 1.
template <class D, class V>
HWY_INLINE V normal_cdf(D d, V x) {
    const V half = constant(d, 0.5);
    if constexpr (std::is_same_v<FloatOf<D>, float>) {
        constexpr std::array<float, 6> kTop{0.3989422729F,    0.0336887165F,    0.004663981172F,
                                            0.0001666894559F, 6.294315409e-06F, 2.26107932e-08F};
        constexpr std::array<float, 6> kBottom{1.0F,           0.2511114551F,    0.02854355798F,
                                               0.00187269821F, 7.273162351e-05F, 1.18915163e-06F};
        const V square = hn::Mul(x, x);
        const V near = hn::Mul(x, hn::Div(polynomial(d, square, kTop), polynomial(d, square, kBottom)));
        const auto is_far = hn::Ge(hn::Abs(x), constant(d, 5.55));
        return hn::Add(half, hn::IfThenElse(is_far, hn::CopySign(half, x), near));
    } else {
        const V scaled = hn::Mul(x, constant(d, kSqrtHalf));
        const V erf = patch_lanes(d, scaled, scaled, hn::Ne(x, x), [](double v) { return std::erf(v); });
        return hn::MulAdd(half, erf, half);
    }
}
// Phi(x) + x phi(x), of Phi(x).
template <class D, class V>
HWY_INLINE V gelu_slope(D d, V x, V cdf) {
    const V density = hn::Mul(constant(d, kInverseSqrtTwoPi), exp_fast(d, hn::Mul(constant(d, -0.5), hn::Mul(x, x))));
    return hn::MulAdd(x, density, cdf);
}

template <class D, class V>
HWY_INLINE V gelu_tanh_inner(D d, V x) {
    const V cube = hn::Mul(hn::Mul(x, x), x);
    return tanh_vector(d, hn::Mul(constant(d, kSqrtTwoOverPi), hn::MulAdd(constant(d, kGeluCubic), cube, x)));
}
template <class D, class V>
HWY_INLINE V gelu_tanh_slope(D d, V x, V inner) {
    const V one = constant(d, 1);
    const V left = hn::Mul(constant(d, 0.5), hn::Add(one, inner));
    const V slope = hn::Mul(constant(d, kSqrtTwoOverPi), hn::MulAdd(constant(d, 3 * kGeluCubic), hn::Mul(x, x), one));
    const V right = hn::Mul(hn::Mul(hn::Mul(constant(d, 0.5), x), hn::NegMulAdd(inner, inner, one)), slope);
    return hn::Add(left, right);
}

}  // namespace
}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
