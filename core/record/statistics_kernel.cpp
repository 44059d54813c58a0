// SPDX-License-Identifier: Apache-2.0
#include "core/record/statistics_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/record/statistics_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "core/record/statistics.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::session::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

PieceSums sum_piece(const float* HWY_RESTRICT elements, std::int64_t n, float shift, ExponentCounts& counts) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    HWY_ALIGN std::int32_t bins[kStatisticsPiece];

    const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const auto zero = hn::Zero(d);
    const auto shifts = hn::Set(d, shift);
    auto least = infinity;
    auto greatest = hn::Neg(infinity);
    auto sum = zero;
    auto squares = zero;
    auto magnitudes = zero;
    PieceSums out;
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto x = hn::LoadU(d, elements + i);
        const auto magnitude = hn::Abs(x);
        const auto finite = hn::Lt(magnitude, infinity);  // false for NaN
        const auto is_zero = hn::Eq(x, zero);
        out.finite += static_cast<std::int64_t>(hn::CountTrue(d, finite));
        out.zero += static_cast<std::int64_t>(hn::CountTrue(d, is_zero));
        least = hn::Min(least, hn::IfThenElse(finite, x, infinity));
        greatest = hn::Max(greatest, hn::IfThenElse(finite, x, hn::Neg(infinity)));
        const auto moved = hn::IfThenElseZero(finite, hn::Sub(x, shifts));
        sum = hn::Add(sum, moved);
        squares = hn::MulAdd(moved, moved, squares);
        magnitudes = hn::Add(magnitudes, hn::IfThenElseZero(finite, magnitude));
        // Biased exponent - 86 puts 2^-41 into bin 0.
        const auto exponent = hn::ShiftRight<23>(hn::BitCast(di, magnitude));
        const auto bin =
            hn::Max(hn::Min(hn::Sub(exponent, hn::Set(di, 126 + Statistics::kLowest)), hn::Set(di, 63)), hn::Zero(di));
        const auto counted = hn::RebindMask(di, hn::AndNot(is_zero, finite));
        hn::Store(hn::IfThenElse(counted, bin, hn::Set(di, static_cast<std::int32_t>(kIgnoredBin))), di, bins + i);
    }
    const std::int64_t vectored = i;
    for (std::int64_t k = 0; k + 4 <= vectored; k += 4) {
        ++counts[0][static_cast<std::size_t>(bins[k])];
        ++counts[1][static_cast<std::size_t>(bins[k + 1])];
        ++counts[2][static_cast<std::size_t>(bins[k + 2])];
        ++counts[3][static_cast<std::size_t>(bins[k + 3])];
    }
    for (std::int64_t k = vectored - vectored % 4; k < vectored; ++k) ++counts[0][static_cast<std::size_t>(bins[k])];
    out.min = hn::GetLane(hn::MinOfLanes(d, least));
    out.max = hn::GetLane(hn::MaxOfLanes(d, greatest));
    out.sum = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
    out.sum_of_squares = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares)));
    out.abs_sum = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, magnitudes)));
    std::int64_t nan = 0;
    for (; i < n; ++i) {
        const float x = elements[i];
        if (x != x) {
            ++nan;
            continue;
        }
        const float magnitude = x < 0 ? -x : x;
        if (!(magnitude < std::numeric_limits<float>::infinity())) continue;
        ++out.finite;
        out.min = x < out.min ? x : out.min;
        out.max = x > out.max ? x : out.max;
        const double moved = static_cast<double>(x) - static_cast<double>(shift);
        out.sum += moved;
        out.sum_of_squares += moved * moved;
        out.abs_sum += static_cast<double>(magnitude);
        if (x == 0) {
            ++out.zero;
            continue;
        }
        std::int32_t bits = 0;
        __builtin_memcpy(&bits, &magnitude, sizeof bits);
        const int bin = (bits >> 23) - (126 + Statistics::kLowest);
        ++counts[0][static_cast<std::size_t>(bin < 0 ? 0 : bin > 63 ? 63 : bin)];
    }
    out.nan = nan;
    if (out.finite < n) {
        // Rare: tell NaN from Inf only where something is not finite.
        out.nan = 0;
        for (std::int64_t k = 0; k < n; ++k) out.nan += elements[k] != elements[k] ? 1 : 0;
    }
    out.abs_max = out.finite == 0 ? 0 : (out.max > -out.min ? out.max : -out.min);
    return out;
}

}  // namespace loupe::session::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe::session {

HWY_EXPORT(sum_piece);

PieceSums sum_piece(const float* elements, std::int64_t n, float shift, ExponentCounts& counts) {
    return HWY_DYNAMIC_DISPATCH(sum_piece)(elements, n, shift, counts);
}

}  // namespace loupe::session
#endif
