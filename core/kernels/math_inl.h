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

#include "core/kernels/simd_inl.h"
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
// Where exp_between holds.
template <class T>
constexpr T kLeastExponent = std::is_same_v<T, float> ? T(-86.6) : T(-708);
template <class T>
constexpr T kLargestExponent = std::is_same_v<T, float> ? T(88.7) : T(710);

// exp, of what lies outside its range as if it lay at the end; NaN is not handled. float32: Cephes' polynomial, to 1
// ulp.
template <class D, class V>
HWY_INLINE V exp_between(D d, V x) {
    using T = FloatOf<D>;
    const V bounded = hn::Min(hn::Max(x, hn::Set(d, kLeastExponent<T>)), hn::Set(d, kLargestExponent<T>));
    if constexpr (std::is_same_v<T, float>) {
        const hn::RebindToUnsigned<D> bits;
        const V magic =
            hn::Set(d, 12582912.0F);  // 1.5 * 2^23: adding it rounds to an integer, which its last bits hold
        const V shifted = hn::MulAdd(bounded, hn::Set(d, 1.44269504088896341F), magic);
        const V n = hn::Sub(shifted, magic);
        const V rough = hn::NegMulAdd(n, hn::Set(d, 0.693359375F), bounded);
        const V r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4F), rough);
        V p = hn::MulAdd(hn::Set(d, 1.9875691500e-4F), r, hn::Set(d, 1.3981999507e-3F));
        p = hn::MulAdd(p, r, hn::Set(d, 8.3334519073e-3F));
        p = hn::MulAdd(p, r, hn::Set(d, 4.1665795894e-2F));
        p = hn::MulAdd(p, r, hn::Set(d, 1.6666665459e-1F));
        p = hn::MulAdd(p, r, hn::Set(d, 5.0000001201e-1F));
        p = hn::MulAdd(p, hn::Mul(r, r), hn::Add(r, hn::Set(d, 1.0F)));
        // 2^n, n from -125 to 128, is twice what fits.
        const auto half = hn::Add(hn::ShiftLeft<23>(hn::BitCast(bits, shifted)), hn::Set(bits, 126U << 23));
        return hn::Mul(hn::Add(p, p), hn::BitCast(d, half));
    } else {
        return hn::Exp(d, bounded);
    }
}
// The same without a detour: results below the normal numbers are not exact.
template <class D, class V>
HWY_INLINE V exp_fast(D d, V x) {
    using T = FloatOf<D>;
    const V low = hn::Set(d, std::is_same_v<T, float> ? T(-104) : T(-746));
    const V result = hn::IfThenZeroElse(hn::Lt(x, low), exp_between(d, x));
    const V infinite = hn::IfThenElse(hn::Gt(x, hn::Set(d, kLargestExponent<T>)),
                                      hn::Set(d, std::numeric_limits<T>::infinity()), result);
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

// 1 / x within an ulp or two where both are normal numbers; 0 of what is too large for that. float64: as divided.
template <class D, class V>
HWY_INLINE V reciprocal(D d, V x) {
    const V one = hn::Set(d, FloatOf<D>(1));
    if constexpr (std::is_same_v<FloatOf<D>, float>) {
        const V rough = hn::ApproximateReciprocal(x);
        return hn::MulAdd(rough, hn::NegMulAdd(x, rough, one), rough);  // Newton's step
    } else {
        return hn::Div(one, x);
    }
}

// 1 / (1 + exp(-x)); results below the normal numbers are not exact.
template <class D, class V>
HWY_INLINE V sigmoid_vector(D d, V x) {
    const V one = hn::Set(d, FloatOf<D>(1));
    const V result = reciprocal(d, hn::Add(one, exp_between(d, hn::Neg(x))));
    return hn::IfThenElse(hn::IsNaN(x), x, result);
}
// x / (1 + exp(-x))
template <class D, class V>
HWY_INLINE V silu_vector(D d, V x) {
    using T = FloatOf<D>;
    const V result = hn::Mul(x, reciprocal(d, hn::Add(hn::Set(d, T(1)), exp_between(d, hn::Neg(x)))));
    // What is left of it there is nothing.
    const auto is_gone = hn::Lt(x, hn::Set(d, -kLargestExponent<T>));
    return hn::IfThenElse(is_gone, hn::Mul(hn::Zero(d), x), result);
}

template <class D, class V>
HWY_INLINE V tanh_vector(D d, V x) {
    using T = FloatOf<D>;
    return patch_lanes(d, x, hn::Tanh(d, x), is_between(d, x, -40, 40), [](T v) { return std::tanh(v); });
}

template <class D, class V, std::size_t N>
HWY_INLINE V polynomial(D d, V x, const std::array<FloatOf<D>, N>& coefficients) {
    V sum = hn::Set(d, coefficients[N - 1]);
    for (std::size_t i = N - 1; i-- > 0;) {
        sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i]));
    }
    return sum;
}

// float32: minimax polynomials of erf(x)/x - 1 in x^2 below 1 and of erfc(x) in x - 5/2 from 1 to 4, where it is under
// half a unit in the last place of erf(x).
template <class D, class V>
HWY_INLINE V erf_vector(D d, V x) {
    using T = FloatOf<D>;
    static_assert(std::is_same_v<T, float>);
    constexpr std::array<float, 7> kNear{0.1283791065216064F,    -0.3761262595653534F,  0.1128358542919159F,
                                         -0.026853812858462334F, 0.005188327748328447F, -0.0008010193705558777F,
                                         7.853861461626366e-05F};
    constexpr std::array<float, 15> kFar{0.0004069526621606201F,  -0.002178188879042864F,  0.005445676390081644F,
                                         -0.00835171528160572F,   0.008622685447335243F,   -0.006109302863478661F,
                                         0.002797348890453577F,   -0.0005600641015917063F, -0.00025848072255030274F,
                                         0.00027039804263040423F, -8.125662134261802e-05F, -1.7681693861959502e-05F,
                                         1.576799877511803e-05F,  -5.093384061183315e-07F, -8.961361004367063e-07F};
    const V one = hn::Set(d, 1.0F);
    const V size = hn::Min(hn::Abs(x), hn::Set(d, 4.0F));
    const V near = hn::MulAdd(x, polynomial(d, hn::Mul(size, size), kNear), x);
    const V far = hn::CopySign(hn::Sub(one, polynomial(d, hn::Sub(size, hn::Set(d, 2.5F)), kFar)), x);
    const V result = hn::IfThenElse(hn::Lt(size, one), near, far);
    return hn::IfThenElse(hn::IsNaN(x), x, result);
}

#if HWY_TARGET != HWY_SCALAR
// Double-double: the unevaluated sum of two numbers, the second much smaller.
template <class V>
struct TwoParts {
    V high, low;
};
template <class V>
HWY_INLINE TwoParts<V> parts_of_sum(V larger, V smaller) {
    const V sum = hn::Add(larger, smaller);
    return {sum, hn::Sub(smaller, hn::Sub(sum, larger))};
}

// float32, of positive normal numbers, to 32 bits: log2(2^e m) = e + 2 / ln 2 artanh((m - 1) / (m + 1)), m around 1.
template <class D, class V>
HWY_INLINE TwoParts<V> log2_parts(D d, V x) {
    constexpr std::int32_t kSqrtHalf = 0x3F3504F3;
    constexpr float kFactor = 2.885390043258667F, kFactorRest = 3.851926067e-08F;
    constexpr std::array<float, 4> kTerms{0.9617967009544373F, 0.5770828723907471F, 0.4117041826248169F,
                                          0.34026214480400085F};
    const hn::RebindToSigned<D> whole;
    const auto bits = hn::BitCast(whole, x);
    const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(whole, kSqrtHalf)));
    const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
    const V one = hn::Set(d, 1.0F), factor = hn::Set(d, kFactor);
    const V top = hn::Sub(m, one), bottom = hn::Add(m, one);
    const V bottom_rest = hn::Sub(m, hn::Sub(bottom, one));
    const V inverse = hn::Div(one, bottom);
    const V s = hn::Mul(top, inverse);
    const V s_rest = hn::Mul(inverse, hn::NegMulAdd(s, bottom_rest, hn::NegMulAdd(s, bottom, top)));
    const V square = hn::Mul(s, s);
    const V first = hn::Mul(factor, s);
    V rest = hn::MulAdd(factor, s_rest, hn::MulSub(factor, s, first));
    rest = hn::MulAdd(hn::Set(d, kFactorRest), s, rest);
    rest = hn::MulAdd(hn::Mul(s, square), polynomial(d, square, kTerms), rest);
    const auto sum = parts_of_sum(hn::ConvertTo(d, exponent), first);
    return {sum.high, hn::Add(sum.low, rest)};
}
// 2^(high + low); kShort: the result is a normal number.
template <bool kShort, class D, class V>
HWY_INLINE V exp2_of_parts(D d, const TwoParts<V>& x) {
    constexpr std::array<float, 7> kTerms{1.0F,
                                          0.6931471824645996F,
                                          0.24022647738456726F,
                                          0.05550331249833107F,
                                          0.009618442505598068F,
                                          0.0013399391900748014F,
                                          0.00015352945774793625F};
    const hn::RebindToSigned<D> whole;
    const V n = hn::Round(x.high);
    const V fraction = polynomial(d, hn::Add(hn::Sub(x.high, n), x.low), kTerms);
    const auto power = hn::ConvertTo(whole, n);
    if constexpr (kShort) return hn::BitCast(d, hn::Add(hn::BitCast(whole, fraction), hn::ShiftLeft<23>(power)));
    // In two halves, so that the smallest results underflow gradually.
    const auto half = hn::ShiftRight<1>(power);
    const auto scale = [&](auto k)
                           HWY_ATTR { return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(whole, 127)))); };
    return hn::Mul(hn::Mul(fraction, scale(half)), scale(hn::Sub(power, half)));
}
template <class D, class V>
HWY_INLINE V exp2_vector(D d, V x) {
    const V limit = hn::Set(d, 200.0F);  // 2 to the power of that is infinite, to the power of -200 it is 0
    const V result = exp2_of_parts<false>(d, TwoParts<V>{hn::Max(hn::Min(x, limit), hn::Neg(limit)), hn::Zero(d)});
    return hn::IfThenElse(hn::IsNaN(x), x, result);
}
template <class D, class V>
HWY_INLINE V log2_vector(D d, V x) {
    const auto good = is_between(d, x, static_cast<double>(std::numeric_limits<float>::min()),
                                 static_cast<double>(std::numeric_limits<float>::max()));
    const auto parts = log2_parts(d, x);
    return patch_lanes(d, x, hn::Add(parts.high, parts.low), good, [](float v) { return std::log2(v); });
}
template <class D, class V>
HWY_INLINE V log10_vector(D d, V x) {
    const auto good = is_between(d, x, static_cast<double>(std::numeric_limits<float>::min()),
                                 static_cast<double>(std::numeric_limits<float>::max()));
    const auto parts = log2_parts(d, x);
    const V factor = hn::Set(d, 0.3010299956639812F), factor_rest = hn::Set(d, -1.4320989e-08F);
    const V result = hn::MulAdd(parts.high, factor, hn::MulAdd(parts.high, factor_rest, hn::Mul(parts.low, factor)));
    return patch_lanes(d, x, result, good, [](float v) { return std::log10(v); });
}
template <class D, class V>
HWY_INLINE V tan_vector(D d, V x) {
    const V result = hn::Div(hn::Sin(d, x), hn::Cos(d, x));
    return patch_lanes(d, x, result, is_between(d, x, -1000, 1000), [](float v) { return std::tan(v); });
}
template <class D, class V>
HWY_INLINE V asin_vector(D d, V x) {
    return patch_lanes(d, x, hn::Asin(d, x), is_between(d, x, -1, 1), [](float v) { return std::asin(v); });
}
template <class D, class V>
HWY_INLINE V acos_vector(D d, V x) {
    return patch_lanes(d, x, hn::Acos(d, x), is_between(d, x, -1, 1), [](float v) { return std::acos(v); });
}
template <class D, class V>
HWY_INLINE V atan_vector(D d, V x) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Atan(d, x));
}
// Of a point with finite coordinates, not both 0: the angle up to a diagonal, then by octants.
template <class D, class V>
HWY_INLINE V atan2_vector(D d, V y, V x) {
    const V width = hn::Abs(x), height = hn::Abs(y);
    const auto good = hn::And(hn::And(is_between(d, width, 0, 1e37), is_between(d, height, 0, 1e37)),
                              hn::Gt(hn::Max(width, height), hn::Set(d, 1e-37F)));
    const auto is_steep = hn::Gt(height, width);
    const V angle = hn::Atan(d, hn::Div(hn::Min(width, height), hn::Max(width, height)));
    const V half = hn::Set(d, 1.5707963267948966F), whole = hn::Set(d, 3.141592653589793F);
    const V upright = hn::IfThenElse(is_steep, hn::Sub(half, angle), angle);
    const V result = hn::CopySign(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(whole, upright), upright), y);
    return patch_lanes(d, y, x, result, good, [](float a, float b) { return std::atan2(a, b); });
}
template <class D, class V>
HWY_INLINE V sinh_vector(D d, V x) {
    return patch_lanes(d, x, hn::Sinh(d, x), is_between(d, x, -80, 80), [](float v) { return std::sinh(v); });
}
template <class D, class V>
HWY_INLINE V cosh_vector(D d, V x) {
    const V half = hn::Set(d, 0.5F), growing = hn::Exp(d, hn::Abs(x));
    const V result = hn::MulAdd(half, growing, hn::Div(half, growing));
    return patch_lanes(d, x, result, is_between(d, x, -80, 80), [](float v) { return std::cosh(v); });
}
// The remainder of a / b with the sign of a. In float64 the products of short quotients are exact.
template <class D, class V>
HWY_INLINE V fmod_vector(D d, V a, V b) {
    const hn::Half<D> half;
    const hn::Rebind<double, hn::Half<D>> wide;
    const V size_a = hn::Abs(a), size_b = hn::Abs(b);
    const V least = hn::Set(d, std::numeric_limits<float>::min()), most = hn::Set(d, std::numeric_limits<float>::max());
    const auto good = hn::And(hn::And(hn::Ge(size_b, least), hn::Le(size_b, most)),
                              hn::Lt(size_a, hn::Min(hn::Mul(size_b, hn::Set(d, 1e8F)), most)));
    const auto rest = [&](auto x, auto y) HWY_ATTR {
        const auto wide_x = hn::PromoteTo(wide, x), wide_y = hn::PromoteTo(wide, y);
        const auto r = hn::NegMulAdd(hn::Trunc(hn::Div(wide_x, wide_y)), wide_y, wide_x);
        // The quotient may have been rounded up.
        return hn::DemoteTo(half, hn::IfThenElse(hn::Lt(r, hn::Zero(wide)), hn::Add(r, wide_y), r));
    };
    const V r = hn::Combine(d, rest(hn::UpperHalf(half, size_a), hn::UpperHalf(half, size_b)),
                            rest(hn::LowerHalf(half, size_a), hn::LowerHalf(half, size_b)));
    return patch_lanes(d, a, b, hn::CopySign(r, a), good, [](float x, float y) { return std::fmod(x, y); });
}
// Are the signs of a remainder that is not 0 and of the divisor different?
template <class D, class V>
HWY_INLINE auto leans_away(D d, V rest, V divisor) {
    const V zero = hn::Zero(d);
    return hn::And(hn::Ne(rest, zero), hn::Xor(hn::Lt(divisor, zero), hn::Lt(rest, zero)));
}
template <class D, class V>
HWY_INLINE V remainder_vector(D d, V a, V b) {
    const V rest = fmod_vector(d, a, b);
    return hn::IfThenElse(leans_away(d, rest, b), hn::Add(rest, b), rest);
}
template <class D, class V>
HWY_INLINE V floor_divide_vector(D d, V a, V b) {
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0F);
    const V rest = fmod_vector(d, a, b);
    const V down = hn::IfThenElseZero(leans_away(d, rest, b), one);
    const V quotient = hn::Sub(hn::Div(hn::Sub(a, rest), b), down);
    const V floor = hn::Floor(quotient);
    const V rounded = hn::Add(floor, hn::IfThenElseZero(hn::Gt(hn::Sub(quotient, floor), hn::Set(d, 0.5F)), one));
    const V plain = hn::Div(a, b);
    const V result = hn::IfThenElse(hn::Eq(quotient, zero), hn::CopySign(zero, plain), rounded);
    return hn::IfThenElse(hn::Eq(b, zero), plain, result);
}
// exponent * log2(base), of positive normal numbers.
template <class D, class V>
HWY_INLINE TwoParts<V> log2_of_power(D d, V base, V exponent) {
    const auto logarithm = log2_parts(d, base);
    const V product = hn::Mul(exponent, logarithm.high);
    return {product, hn::MulAdd(exponent, logarithm.low, hn::MulSub(exponent, logarithm.high, product))};
}
template <class D, class V>
HWY_INLINE V pow_of_positive(D d, V base, V exponent) {
    const auto power = log2_of_power(d, base, exponent);
    const V limit = hn::Set(d, 200.0F);  // 2 to the power of that is infinite, to the power of -200 it is 0
    const auto inside = hn::Lt(hn::Abs(power.high), limit);
    const V high = hn::Max(hn::Min(power.high, limit), hn::Neg(limit));
    return exp2_of_parts<false>(d, parts_of_sum(high, hn::IfThenElseZero(inside, power.low)));
}
// Also for negative, zero, subnormal, infinite and NaN. Separate, so that the common case is inlined.
template <class D, class V>
HWY_NOINLINE V pow_of_any(D d, V base, V exponent) {
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0F), infinite = hn::Set(d, std::numeric_limits<float>::infinity());
    const V size = hn::Abs(base);
    const auto is_normal = hn::And(hn::Ge(size, hn::Set(d, std::numeric_limits<float>::min())), hn::Lt(size, infinite));
    const auto good = hn::And(hn::Or(is_normal, hn::Eq(base, zero)), hn::Lt(hn::Abs(exponent), infinite));
    V result = pow_of_positive(d, size, exponent);
    const auto is_whole = hn::Eq(hn::Trunc(exponent), exponent);
    const V halved = hn::Mul(exponent, hn::Set(d, 0.5F));
    const auto is_even = hn::Eq(hn::Trunc(halved), halved);
    const V of_zero =
        hn::IfThenElse(hn::Gt(exponent, zero), zero, hn::IfThenElse(hn::Eq(exponent, zero), one, infinite));
    result = hn::IfThenElse(hn::Eq(base, zero), of_zero, result);
    const V with_sign = hn::CopySign(result, base);
    result = hn::IfThenElse(hn::AndNot(is_even, is_whole), with_sign, result);
    const V undefined = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    result = hn::IfThenElse(hn::AndNot(is_whole, hn::Lt(base, zero)), undefined, result);
    return patch_lanes(d, base, exponent, result, good, [](float a, float b) { return std::pow(a, b); });
}
template <class D, class V>
HWY_INLINE V pow_vector(D d, V base, V exponent) {
    const auto power = log2_of_power(d, base, exponent);
    const auto is_normal = hn::And(hn::Ge(base, hn::Set(d, std::numeric_limits<float>::min())),
                                   hn::Lt(base, hn::Set(d, std::numeric_limits<float>::infinity())));
    const auto is_plain = hn::And(is_normal, hn::Lt(hn::Abs(power.high), hn::Set(d, 124.0F)));
    if (HWY_UNLIKELY(!hn::AllTrue(d, is_plain))) return pow_of_any(d, base, exponent);
    return exp2_of_parts<true>(d, parts_of_sum(power.high, power.low));
}
#endif

}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
