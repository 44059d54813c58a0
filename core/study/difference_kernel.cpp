// SPDX-License-Identifier: Apache-2.0
#include "core/study/difference_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/study/difference_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace loupe::session::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int32_t kInfinityBits = 0x7f800000;

// Numbers in the order of the floats: neighbours differ by 1, both zeros are 0.
template <typename DI>
hn::Vec<DI> in_order(DI di, hn::Vec<DI> bits) {
    const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
    return hn::IfThenElse(hn::Lt(bits, hn::Zero(di)), hn::Neg(magnitude), magnitude);
}

std::int32_t bits_of(float value) {
    std::int32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

std::int64_t in_order(float value) {
    const std::int32_t bits = bits_of(value);
    return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7fffffff) : bits;
}

// The elements behind the last whole vector.
void add_pair(float x, float y, float rtol, float atol, PieceDifference& out) {
    if (!std::isfinite(x) || !std::isfinite(y)) out.is_finite = false;
    const float difference = std::fabs(x - y);
    const float magnitude = std::fabs(y);
    if (difference > atol + rtol * magnitude) ++out.beyond;
    out.max_abs = std::fmax(out.max_abs, difference);
    out.max_rel = std::fmax(out.max_rel, magnitude > 0 ? difference / magnitude : difference);
    const std::int64_t apart = in_order(x) - in_order(y);
    const auto ulp = static_cast<std::uint32_t>(apart < 0 ? -apart : apart);
    out.max_ulp = ulp > out.max_ulp ? ulp : out.max_ulp;
    out.squares += static_cast<double>(difference) * static_cast<double>(difference);
    out.x_squares += static_cast<double>(x) * static_cast<double>(x);
    out.y_squares += static_cast<double>(y) * static_cast<double>(y);
}

PieceDifference difference_of_piece(const float* HWY_RESTRICT xs, const float* HWY_RESTRICT ys, std::int64_t n,
                                    float rtol, float atol) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto relative = hn::Set(d, rtol);
    const auto absolute = hn::Set(d, atol);
    const auto zero = hn::Zero(d);
    auto beyond = hn::Zero(di);
    auto max_abs = zero;
    auto max_rel = zero;
    auto max_ulp = hn::Zero(du);
    auto squares = zero;
    auto x_squares = zero;
    auto y_squares = zero;
    auto all_bits = hn::Zero(di);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto x = hn::LoadU(d, xs + i);
        const auto y = hn::LoadU(d, ys + i);
        const auto magnitude = hn::Abs(y);
        all_bits = hn::Max(all_bits, hn::Max(hn::BitCast(di, hn::Abs(x)), hn::BitCast(di, magnitude)));
        const auto difference = hn::Abs(hn::Sub(x, y));
        const auto is_beyond = hn::Gt(difference, hn::MulAdd(relative, magnitude, absolute));
        beyond = hn::Sub(beyond, hn::BitCast(di, hn::VecFromMask(d, is_beyond)));
        max_abs = hn::Max(max_abs, difference);
        const auto divided = hn::Div(difference, magnitude);
        max_rel = hn::Max(max_rel, hn::IfThenElse(hn::Gt(magnitude, zero), divided, difference));
        const auto a = in_order(di, hn::BitCast(di, x));
        const auto b = in_order(di, hn::BitCast(di, y));
        max_ulp = hn::Max(max_ulp, hn::BitCast(du, hn::Sub(hn::Max(a, b), hn::Min(a, b))));
        squares = hn::MulAdd(difference, difference, squares);
        x_squares = hn::MulAdd(x, x, x_squares);
        y_squares = hn::MulAdd(y, y, y_squares);
    }
    PieceDifference out;
    out.is_finite = hn::GetLane(hn::MaxOfLanes(di, all_bits)) < kInfinityBits;
    out.beyond = hn::GetLane(hn::SumOfLanes(di, beyond));
    out.max_abs = hn::GetLane(hn::MaxOfLanes(d, max_abs));
    out.max_rel = hn::GetLane(hn::MaxOfLanes(d, max_rel));
    out.max_ulp = hn::GetLane(hn::MaxOfLanes(du, max_ulp));
    out.squares = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares)));
    out.x_squares = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, x_squares)));
    out.y_squares = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, y_squares)));
    for (; i < n; ++i) add_pair(xs[i], ys[i], rtol, atol, out);
    return out;
}

}  // namespace loupe::session::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe::session {

HWY_EXPORT(difference_of_piece);

PieceDifference difference_of_piece(const float* x, const float* y, std::int64_t n, float rtol, float atol) {
    return HWY_DYNAMIC_DISPATCH(difference_of_piece)(x, y, n, rtol, atol);
}

}  // namespace loupe::session
#endif
