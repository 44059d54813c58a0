// SPDX-License-Identifier: Apache-2.0
// The vectorised loops of integer_rows.h.
#include "core/ops/quantized/integer_rows.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/quantized/integer_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace loupe::quantized_ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void sum_taps(const std::uint8_t* const* rows, const std::int16_t* const* weights, std::size_t taps,
              std::int32_t zero_point, std::int64_t n, std::int32_t* HWY_RESTRICT sums) {
    const hn::ScalableTag<std::int32_t> d;
    const hn::Rebind<std::uint8_t, decltype(d)> bytes;
    const hn::Rebind<std::int16_t, decltype(d)> words;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto point = hn::Set(d, zero_point);
    std::int64_t c = 0;
    for (; c + lanes <= n; c += lanes) {
        auto sum = hn::Zero(d);
        for (std::size_t t = 0; t < taps; ++t) {
            const auto x = hn::Sub(hn::PromoteTo(d, hn::LoadU(bytes, rows[t] + c)), point);
            sum = hn::Add(sum, hn::Mul(x, hn::PromoteTo(d, hn::LoadU(words, weights[t] + c))));
        }
        hn::StoreU(sum, d, sums + c);
    }
    for (; c < n; ++c) {
        sums[c] = 0;
        for (std::size_t t = 0; t < taps; ++t)
            sums[c] += (static_cast<std::int32_t>(rows[t][c]) - zero_point) * static_cast<std::int32_t>(weights[t][c]);
    }
}

template <typename T>
HWY_INLINE void requantize_to(const std::int32_t* HWY_RESTRICT sums, const float* HWY_RESTRICT multipliers,
                              const float* HWY_RESTRICT offsets, const Requantizer& to, std::int64_t n,
                              T* HWY_RESTRICT target) {
    const hn::ScalableTag<std::int32_t> d;
    const hn::Rebind<float, decltype(d)> df;
    const hn::Rebind<T, decltype(d)> narrow;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto zero_point = hn::Set(d, to.zero_point), least = hn::Set(d, to.least), most = hn::Set(d, to.most);
    std::int64_t c = 0;
    for (; c + lanes <= n; c += lanes) {
        const auto sum = hn::Add(hn::ConvertTo(df, hn::LoadU(d, sums + c)), hn::LoadU(df, offsets + c));
        const auto scaled = hn::NearestInt(hn::Mul(sum, hn::LoadU(df, multipliers + c)));
        const auto moved = hn::Min(hn::Max(hn::Add(scaled, zero_point), least), most);
        hn::StoreU(hn::DemoteTo(narrow, moved), narrow, target + c);
    }
    for (; c < n; ++c) {
        const float scaled = std::nearbyint((static_cast<float>(sums[c]) + offsets[c]) * multipliers[c]);
        const float moved = scaled + static_cast<float>(to.zero_point);
        target[c] = static_cast<T>(std::clamp(moved, static_cast<float>(to.least), static_cast<float>(to.most)));
    }
}

template <typename T>
HWY_INLINE void quantize_to(const float* HWY_RESTRICT x, std::int64_t n, const Rounding& to, T* HWY_RESTRICT target) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<T, decltype(d)> narrow;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto inverse = hn::Set(d, to.inverse), far = hn::Set(d, 1e9F), near = hn::Set(d, -1e9F);
    const auto zero_point = hn::Set(di, to.zero_point), least = hn::Set(di, to.least), most = hn::Set(di, to.most);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto scaled = hn::Min(hn::Max(hn::Mul(hn::LoadU(d, x + i), inverse), near), far);
        const auto moved = hn::Min(hn::Max(hn::Add(hn::NearestInt(scaled), zero_point), least), most);
        hn::StoreU(hn::DemoteTo(narrow, moved), narrow, target + i);
    }
    // NaN is the least too: the comparison takes its first operand.
    for (; i < n; ++i) {
        const float scaled = std::nearbyint(std::min(std::max(-1e9F, x[i] * to.inverse), 1e9F));
        const float moved = scaled + static_cast<float>(to.zero_point);
        target[i] = static_cast<T>(std::clamp(moved, static_cast<float>(to.least), static_cast<float>(to.most)));
    }
}

void quantize_unsigned(const float* x, std::int64_t n, const Rounding& to, std::uint8_t* target) {
    quantize_to(x, n, to, target);
}
void quantize_signed(const float* x, std::int64_t n, const Rounding& to, std::int8_t* target) {
    quantize_to(x, n, to, target);
}

void requantize_unsigned(const std::int32_t* sums, const float* multipliers, const float* offsets,
                         const Requantizer& to, std::int64_t n, std::uint8_t* target) {
    requantize_to(sums, multipliers, offsets, to, n, target);
}
void requantize_signed(const std::int32_t* sums, const float* multipliers, const float* offsets, const Requantizer& to,
                       std::int64_t n, std::int8_t* target) {
    requantize_to(sums, multipliers, offsets, to, n, target);
}

}  // namespace loupe::quantized_ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe::quantized_ops {

HWY_EXPORT(sum_taps);
HWY_EXPORT(requantize_unsigned);
HWY_EXPORT(requantize_signed);
HWY_EXPORT(quantize_unsigned);
HWY_EXPORT(quantize_signed);

void sum_taps(const std::uint8_t* const* rows, const std::int16_t* const* weights, std::size_t taps,
              std::int32_t zero_point, std::int64_t n, std::int32_t* sums) {
    HWY_DYNAMIC_DISPATCH(sum_taps)(rows, weights, taps, zero_point, n, sums);
}
void quantize_row(const float* x, std::int64_t n, const Rounding& to, std::uint8_t* target) {
    HWY_DYNAMIC_DISPATCH(quantize_unsigned)(x, n, to, target);
}
void quantize_row(const float* x, std::int64_t n, const Rounding& to, std::int8_t* target) {
    HWY_DYNAMIC_DISPATCH(quantize_signed)(x, n, to, target);
}
void requantize(const std::int32_t* sums, const Requantizer& to, std::int64_t first, std::int64_t n,
                std::uint8_t* target) {
    const float* const multipliers = to.multipliers.data() + first;
    HWY_DYNAMIC_DISPATCH(requantize_unsigned)(sums, multipliers, to.offsets.data() + first, to, n, target);
}
void requantize(const std::int32_t* sums, const Requantizer& to, std::int64_t first, std::int64_t n,
                std::int8_t* target) {
    const float* const multipliers = to.multipliers.data() + first;
    HWY_DYNAMIC_DISPATCH(requantize_signed)(sums, multipliers, to.offsets.data() + first, to, n, target);
}

}  // namespace loupe::quantized_ops
#endif
