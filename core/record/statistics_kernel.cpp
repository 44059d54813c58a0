// SPDX-License-Identifier: Apache-2.0
#include "core/record/statistics_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/record/statistics_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/record/statistics.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::session::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kFullExponent = 255;  // of Inf and NaN

void add_exponent(std::int64_t exponent, std::uint64_t how_many, ExponentCounts& counts) {
    // Biased exponent - 86 puts 2^-41 into bin 0.
    const std::int64_t bin = std::clamp<std::int64_t>(exponent - (126 + Statistics::kLowest), 0, 63);
    counts[static_cast<std::size_t>(bin)] += how_many;
}

std::uint64_t sum_of_bytes(hn::Vec<hn::ScalableTag<std::uint8_t>> v) {
#if HWY_TARGET == HWY_EMU128
    // SumsOf8 of Highway 1.0 adds to what it has not set there.
    HWY_ALIGN std::uint8_t bytes[HWY_MAX_BYTES];
    const hn::ScalableTag<std::uint8_t> d;
    hn::Store(v, d, bytes);
    return std::accumulate(bytes, bytes + hn::Lanes(d), std::uint64_t{0});
#else
    return hn::GetLane(hn::SumOfLanes(hn::ScalableTag<std::uint64_t>(), hn::SumsOf8(v)));
#endif
}

// How many of the bytes are `first`, and of the three behind it. n is a multiple of the lanes.
std::array<std::uint64_t, 4> count_four(const std::uint8_t* HWY_RESTRICT bytes, std::int64_t n, std::uint8_t first) {
    const hn::ScalableTag<std::uint8_t> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t most = 255 * lanes;  // a count has eight bits
    const auto zero = hn::Zero(d);
    const auto wanted0 = hn::Set(d, first);
    const auto wanted1 = hn::Set(d, static_cast<std::uint8_t>(first + 1));
    const auto wanted2 = hn::Set(d, static_cast<std::uint8_t>(first + 2));
    const auto wanted3 = hn::Set(d, static_cast<std::uint8_t>(first + 3));
    std::array<std::uint64_t, 4> counted{};
    for (std::int64_t from = 0; from < n; from += most) {
        auto count0 = zero;
        auto count1 = zero;
        auto count2 = zero;
        auto count3 = zero;
        for (std::int64_t i = from; i < std::min(n, from + most); i += lanes) {
            const auto v = hn::Load(d, bytes + i);
            count0 = hn::Sub(count0, hn::VecFromMask(d, hn::Eq(v, wanted0)));
            count1 = hn::Sub(count1, hn::VecFromMask(d, hn::Eq(v, wanted1)));
            count2 = hn::Sub(count2, hn::VecFromMask(d, hn::Eq(v, wanted2)));
            count3 = hn::Sub(count3, hn::VecFromMask(d, hn::Eq(v, wanted3)));
        }
        counted[0] += sum_of_bytes(count0);
        counted[1] += sum_of_bytes(count1);
        counted[2] += sum_of_bytes(count2);
        counted[3] += sum_of_bytes(count3);
    }
    return counted;
}

struct ByteRange {
    std::int64_t least = 0;  // of those that are not 0; greater than greatest when all are 0
    std::int64_t greatest = 0;
};

ByteRange range_of(const std::uint8_t* HWY_RESTRICT bytes, std::int64_t n) {
    const hn::ScalableTag<std::uint8_t> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto one = hn::Set(d, std::uint8_t{1});
    auto least = hn::Set(d, std::uint8_t{255});
    auto greatest = hn::Zero(d);
    for (std::int64_t i = 0; i < n; i += lanes) {
        const auto v = hn::Load(d, bytes + i);
        least = hn::Min(least, hn::Sub(v, one));  // 0 becomes 255
        greatest = hn::Max(greatest, v);
    }
    HWY_ALIGN std::uint8_t lows[HWY_MAX_BYTES];
    HWY_ALIGN std::uint8_t highs[HWY_MAX_BYTES];
    hn::Store(least, d, lows);
    hn::Store(greatest, d, highs);
    return {*std::min_element(lows, lows + lanes) + std::int64_t{1}, *std::max_element(highs, highs + lanes)};
}

// Of exponents that are neither 0 nor full; returns how many. n is a multiple of the lanes of bytes.
std::uint64_t count_exponents(const std::uint8_t* HWY_RESTRICT bytes, std::int64_t n, ExponentCounts& counts) {
    const ByteRange range = range_of(bytes, n);
    const std::int64_t greatest = std::min(range.greatest, kFullExponent - 1);
    std::uint64_t all = 0;
    const auto add = [&](std::int64_t exponent, std::uint64_t how_many) {
        add_exponent(exponent, how_many, counts);
        all += how_many;
    };
    // Comparing with every exponent there is costs less than a table, which waits for itself where neighbours share a
    // bin, up to so many.
    const std::int64_t few =
        std::min<std::int64_t>(48, 2 * static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<std::uint8_t>())));
    if (greatest - range.least < few) {
        for (std::int64_t exponent = range.least; exponent <= greatest; exponent += 4) {
            const auto four = count_four(bytes, n, static_cast<std::uint8_t>(exponent));
            for (std::int64_t k = 0; k < std::min<std::int64_t>(4, greatest - exponent + 1); ++k)
                add(exponent + k, four[static_cast<std::size_t>(k)]);
        }
        return all;
    }
    std::array<std::array<std::uint32_t, 256>, 2> table{};
    for (std::int64_t i = 0; i < n; ++i) ++table[static_cast<std::size_t>(i % 2)][bytes[i]];
    for (std::int64_t exponent = range.least; exponent <= greatest; ++exponent) {
        const auto k = static_cast<std::size_t>(exponent);
        add(exponent, table[0][k] + table[1][k]);
    }
    return all;
}

template <typename D>
double sum_of(D d, hn::Vec<D> v) {
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, v)));
}

// With everything_finite false what is not finite is left out; with it true the sums are void where something is not.
// `exponents` gets the biased exponent of each element, and zeros up to a multiple of the lanes. Returns whether all
// are finite.
template <bool everything_finite>
bool sum_elements(const float* HWY_RESTRICT elements, std::int64_t n, float shift, std::uint8_t* HWY_RESTRICT exponents,
                  PieceSums& out) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const auto shifts = hn::Set(d, shift);
    auto least = infinity;
    auto greatest = hn::Neg(infinity);
    auto sum = hn::Zero(d);
    auto squares = hn::Zero(d);
    auto magnitudes = hn::Zero(d);
    auto finite = hn::Zero(di);
    auto zero = hn::Zero(di);
    auto all_bits = hn::Zero(di);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto x = hn::LoadU(d, elements + i);
        const auto magnitude = hn::Abs(x);
        const auto bits = hn::BitCast(di, magnitude);
        all_bits = hn::Max(all_bits, bits);
        zero = hn::Sub(zero, hn::VecFromMask(di, hn::Eq(bits, hn::Zero(di))));
        hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<23>(bits)), d8, exponents + i);
        if constexpr (everything_finite) {
            least = hn::Min(least, x);
            greatest = hn::Max(greatest, x);
            const auto moved = hn::Sub(x, shifts);
            sum = hn::Add(sum, moved);
            squares = hn::MulAdd(moved, moved, squares);
            magnitudes = hn::Add(magnitudes, magnitude);
        } else {
            const auto is_finite = hn::Lt(magnitude, infinity);  // false for NaN
            finite = hn::Sub(finite, hn::BitCast(di, hn::VecFromMask(d, is_finite)));
            least = hn::Min(least, hn::IfThenElse(is_finite, x, infinity));
            greatest = hn::Max(greatest, hn::IfThenElse(is_finite, x, hn::Neg(infinity)));
            const auto moved = hn::IfThenElseZero(is_finite, hn::Sub(x, shifts));
            sum = hn::Add(sum, moved);
            squares = hn::MulAdd(moved, moved, squares);
            magnitudes = hn::Add(magnitudes, hn::IfThenElseZero(is_finite, magnitude));
        }
    }
    out.finite = everything_finite ? i : static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(di, finite)));
    out.zero = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(di, zero)));
    out.min = hn::GetLane(hn::MinOfLanes(d, least));
    out.max = hn::GetLane(hn::MaxOfLanes(d, greatest));
    out.sum = sum_of(d, sum);
    out.sum_of_squares = sum_of(d, squares);
    out.abs_sum = sum_of(d, magnitudes);
    std::int32_t most = hn::GetLane(hn::MaxOfLanes(di, all_bits));
    for (; i < n; ++i) {
        const float x = elements[i];
        const float magnitude = x < 0 ? -x : x;
        std::int32_t bits = 0;
        __builtin_memcpy(&bits, &x, sizeof bits);
        bits &= 0x7fffffff;
        most = std::max(most, bits);
        exponents[i] = static_cast<std::uint8_t>(bits >> 23);
        if (exponents[i] == kFullExponent) continue;
        ++out.finite;
        out.zero += x == 0 ? 1 : 0;
        out.min = x < out.min ? x : out.min;
        out.max = x > out.max ? x : out.max;
        const double moved = static_cast<double>(x) - static_cast<double>(shift);
        out.sum += moved;
        out.sum_of_squares += moved * moved;
        out.abs_sum += static_cast<double>(magnitude);
    }
    const auto bytes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<std::uint8_t>()));
    for (; i % bytes != 0; ++i) exponents[i] = 0;
    return (most >> 23) != kFullExponent;
}

PieceSums sum_piece(const float* HWY_RESTRICT elements, std::int64_t n, float shift, ExponentCounts& counts) {
    HWY_ALIGN std::uint8_t exponents[kStatisticsPiece] = {};
    PieceSums out;
    if (!sum_elements<true>(elements, n, shift, exponents, out)) {
        sum_elements<false>(elements, n, shift, exponents, out);
        for (std::int64_t i = 0; i < n; ++i) out.nan += elements[i] != elements[i] ? 1 : 0;
    }
    const auto bytes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<std::uint8_t>()));
    const std::uint64_t counted = count_exponents(exponents, (n + bytes - 1) / bytes * bytes, counts);
    // Neither zero nor of an exponent: below the normal numbers.
    add_exponent(0, static_cast<std::uint64_t>(out.finite - out.zero) - counted, counts);
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
