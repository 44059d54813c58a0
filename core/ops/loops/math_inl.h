// SPDX-License-Identifier: Apache-2.0
// Vector forms of the elementary functions, right for infinities, NaN and huge arguments too. Included like simd_inl.h.
#if defined(LOUPE_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOUPE_MATH_INL_H
#undef LOUPE_MATH_INL_H
#else
#define LOUPE_MATH_INL_H
#endif

#include <cmath>
#include <limits>

#include "core/ops/loops/simd_inl.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {

template <class D>
using FloatOf = hn::TFromD<D>;

template <class D, class V>
HWY_INLINE auto is_between(D d, V x, double low, double high) {
    using T = FloatOf<D>;
    return hn::And(hn::Ge(x, hn::Set(d, static_cast<T>(low))), hn::Le(x, hn::Set(d, static_cast<T>(high))));
}

template <class D, class V>
HWY_INLINE V exp_vector(D d, V x) {
    using T = FloatOf<D>;
    constexpr double kLimit = std::is_same_v<T, float> ? 87.0 : 708.0;
    return patch_lanes(d, x, hn::Exp(d, x), is_between(d, x, -kLimit, kLimit), [](T v) { return std::exp(v); });
}
// The same without a detour: subnormal results are not exact.
template <class D, class V>
HWY_INLINE V exp_fast(D d, V x) {
    using T = FloatOf<D>;
    constexpr bool kSingle = std::is_same_v<T, float>;
    const V low = hn::Set(d, static_cast<T>(kSingle ? -104.0 : -746.0));
    const V high = hn::Set(d, static_cast<T>(kSingle ? 88.7 : 709.7));
    const V reach = hn::Set(d, static_cast<T>(kSingle ? -87.0 : -708.0));
    const V result = hn::IfThenZeroElse(hn::Lt(x, low), hn::Exp(d, hn::Min(hn::Max(x, reach), high)));
    const V infinite = hn::IfThenElse(hn::Gt(x, high), hn::Set(d, std::numeric_limits<T>::infinity()), result);
    return hn::IfThenElse(hn::IsNaN(x), x, infinite);
}
template <class D, class V>
HWY_INLINE V expm1_vector(D d, V x) {
    using T = FloatOf<D>;
    constexpr double kLimit = std::is_same_v<T, float> ? 87.0 : 708.0;
    return patch_lanes(d, x, hn::Expm1(d, x), is_between(d, x, -kLimit, kLimit), [](T v) { return std::expm1(v); });
}
template <class D, class V>
HWY_INLINE V log_vector(D d, V x) {
    using T = FloatOf<D>;
    const auto good = is_between(d, x, static_cast<double>(std::numeric_limits<T>::min()),
                                 static_cast<double>(std::numeric_limits<T>::max()));
    return patch_lanes(d, x, hn::Log(d, x), good, [](T v) { return std::log(v); });
}
template <class D, class V>
HWY_INLINE V log1p_vector(D d, V x) {
    using T = FloatOf<D>;
    const auto good = is_between(d, x, -0.999, static_cast<double>(std::numeric_limits<T>::max()) / 2);
    return patch_lanes(d, x, hn::Log1p(d, x), good, [](T v) { return std::log1p(v); });
}
template <class D, class V>
HWY_INLINE V sin_vector(D d, V x) {
    using T = FloatOf<D>;
    return patch_lanes(d, x, hn::Sin(d, x), is_between(d, x, -1000, 1000), [](T v) { return std::sin(v); });
}
template <class D, class V>
HWY_INLINE V cos_vector(D d, V x) {
    using T = FloatOf<D>;
    return patch_lanes(d, x, hn::Cos(d, x), is_between(d, x, -1000, 1000), [](T v) { return std::cos(v); });
}

// 1 / (1 + exp(-x))
template <class D, class V>
HWY_INLINE V sigmoid_vector(D d, V x) {
    using T = FloatOf<D>;
    const V one = hn::Set(d, T(1));
    return hn::Div(one, hn::Add(one, exp_fast(d, hn::Neg(x))));
}

template <class D, class V>
HWY_INLINE V tanh_vector(D d, V x) {
    using T = FloatOf<D>;
    return patch_lanes(d, x, hn::Tanh(d, x), is_between(d, x, -40, 40), [](T v) { return std::tanh(v); });
}

template <class D, class V, std::size_t N>
HWY_INLINE V polynomial(D d, V x, const std::array<float, N>& coefficients) {
    V sum = hn::Set(d, static_cast<FloatOf<D>>(coefficients[N - 1]));
    for (std::size_t i = N - 1; i-- > 0;) {
        sum = hn::MulAdd(sum, x, hn::Set(d, static_cast<FloatOf<D>>(coefficients[i])));
    }
    return sum;
}

// float32: minimax polynomials of erf(x)/x in x^2 below 1 and of erfc(x) exp(x^2) in 1/(1 + x/2) above.
template <class D, class V>
HWY_INLINE V erf_vector(D d, V x) {
    using T = FloatOf<D>;
    static_assert(std::is_same_v<T, float>);
    constexpr std::array<float, 7> kNear{1.1283791065216064F, -0.3761262595653534F, 0.1128358542919159F, -0.026853810995817184F,
                                         0.005188327748328447F, -0.0008010192541405559F, 7.853857823647559e-05F};
    constexpr std::array<float, 7> kFar{0.0004709171029419479F, 0.2753394785343474F, 0.3218348582519877F, 0.12610762816467924F,
                                        0.3657391245645046F, -0.02651830086275929F, -0.06381699183523482F};
    const V one = hn::Set(d, 1.0F);
    const V size = hn::Min(hn::Abs(x), hn::Set(d, 4.2F));
    const V square = hn::Mul(size, size);
    const V near = hn::Mul(x, polynomial(d, square, kNear));
    const V t = hn::Div(one, hn::MulAdd(size, hn::Set(d, 0.5F), one));
    const V far = hn::CopySign(hn::NegMulAdd(hn::Exp(d, hn::Neg(square)), polynomial(d, t, kFar), one), x);
    const V result = hn::IfThenElse(hn::Lt(size, one), near, far);
    return hn::IfThenElse(hn::IsNaN(x), x, result);
}

}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
