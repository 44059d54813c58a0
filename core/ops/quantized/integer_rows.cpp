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

// A tile of Rows x Columns dot products. The order of the lanes' sums does not matter: all are added in the end.
template <int Rows, int Columns>
HWY_INLINE void multiply_tile(const std::int16_t* HWY_RESTRICT a, const std::int16_t* HWY_RESTRICT b,
                              std::int64_t depth, std::int32_t* HWY_RESTRICT sums, std::int64_t stride) {
    const hn::ScalableTag<std::int16_t> d16;
    const hn::ScalableTag<std::int32_t> d32;
    using Sum = hn::Vec<decltype(d32)>;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d16));
    Sum low[Rows][Columns], high = hn::Zero(d32);
    for (int i = 0; i < Rows; ++i)
        for (int j = 0; j < Columns; ++j) low[i][j] = hn::Zero(d32);
    for (std::int64_t k = 0; k < depth; k += lanes) {
        hn::Vec<decltype(d16)> right[Columns];
        for (int j = 0; j < Columns; ++j) right[j] = hn::LoadU(d16, b + j * depth + k);
        for (int i = 0; i < Rows; ++i) {
            const auto left = hn::LoadU(d16, a + i * depth + k);
            for (int j = 0; j < Columns; ++j) {
                // Some instruction sets put half of the products into the second sum.
                low[i][j] = hn::ReorderWidenMulAccumulate(d32, left, right[j], low[i][j], high);
#if !HWY_ARCH_X86
                low[i][j] = hn::Add(low[i][j], high);
                high = hn::Zero(d32);
#endif
            }
        }
    }
    for (int i = 0; i < Rows; ++i)
        for (int j = 0; j < Columns; ++j) sums[i * stride + j] = hn::GetLane(hn::SumOfLanes(d32, low[i][j]));
}

template <int Rows>
HWY_INLINE void multiply_some_rows(const std::int16_t* a, const std::int16_t* b, std::int64_t n, std::int64_t depth,
                                   std::int32_t* sums, std::int64_t stride) {
    std::int64_t j = 0;
    for (; j + 4 <= n; j += 4) multiply_tile<Rows, 4>(a, b + j * depth, depth, sums + j, stride);
    for (; j < n; ++j) multiply_tile<Rows, 1>(a, b + j * depth, depth, sums + j, stride);
}

void multiply_rows(const std::int16_t* a, std::int64_t m, const std::int16_t* b, std::int64_t n, std::int64_t depth,
                   std::int32_t* sums, std::int64_t stride) {
    std::int64_t i = 0;
    for (; i + 4 <= m; i += 4) multiply_some_rows<4>(a + i * depth, b, n, depth, sums + i * stride, stride);
    for (; i < m; ++i) multiply_some_rows<1>(a + i * depth, b, n, depth, sums + i * stride, stride);
}

void add_products(const std::int16_t* HWY_RESTRICT x, const std::int16_t* HWY_RESTRICT w, std::int64_t n,
                  std::int32_t* HWY_RESTRICT sums) {
    for (std::int64_t c = 0; c < n; ++c) sums[c] += static_cast<std::int32_t>(x[c]) * static_cast<std::int32_t>(w[c]);
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

HWY_EXPORT(multiply_rows);
HWY_EXPORT(add_products);
HWY_EXPORT(requantize_unsigned);
HWY_EXPORT(requantize_signed);

void multiply_rows(const std::int16_t* a, std::int64_t m, const std::int16_t* b, std::int64_t n, std::int64_t depth,
                   std::int32_t* sums, std::int64_t stride) {
    HWY_DYNAMIC_DISPATCH(multiply_rows)(a, m, b, n, depth, sums, stride);
}
void add_products(const std::int16_t* x, const std::int16_t* w, std::int64_t n, std::int32_t* sums) {
    HWY_DYNAMIC_DISPATCH(add_products)(x, w, n, sums);
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
