// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/row_products.h"

#include <type_traits>

#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/row_products.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

using Floats = hn::CappedTag<float, 16>;

// As Highway names them.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, float>, float,
                                  std::conditional_t<std::is_same_v<T, Half>, hwy::float16_t, hwy::bfloat16_t>>;

template <typename T>
HWY_INLINE hn::Vec<Floats> load(const T* from) {
    const Floats d;
    const hn::Rebind<Stored<T>, Floats> stored;
    if constexpr (std::is_same_v<T, float>)
        return hn::LoadU(d, from);
    else
        return hn::PromoteTo(d, hn::LoadU(stored, reinterpret_cast<const Stored<T>*>(from)));
}

template <typename T>
HWY_INLINE float one(const T& from) {
    return static_cast<float>(from);
}

// Of one input, in four sums: the adders are kept busy.
template <typename T>
HWY_INLINE float single_dot(const T* row, std::int64_t n, const float* x) {
    const Floats d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        a = hn::MulAdd(load(row + i), hn::LoadU(d, x + i), a);
        b = hn::MulAdd(load(row + i + lanes), hn::LoadU(d, x + i + lanes), b);
        c = hn::MulAdd(load(row + i + 2 * lanes), hn::LoadU(d, x + i + 2 * lanes), c);
        e = hn::MulAdd(load(row + i + 3 * lanes), hn::LoadU(d, x + i + 3 * lanes), e);
    }
    for (; i + lanes <= n; i += lanes) a = hn::MulAdd(load(row + i), hn::LoadU(d, x + i), a);
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
    for (; i < n; ++i) sum += one(row[i]) * x[i];
    return sum;
}

// As many rows as there are registers for their sums with four inputs.
constexpr int kBlock = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

// Each part of the rows and of the inputs is loaded once for all their products.
template <int kRows, int kInputs, typename T>
HWY_INLINE void block_of_dots(const T* const* rows, std::int64_t n, const float* x, std::int64_t stride, float* to,
                              std::int64_t to_stride) {
    const Floats d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    hn::Vec<Floats> sums[kRows][kInputs];
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
        for (int r = 0; r < kInputs; ++r) sums[i][r] = hn::Zero(d);
    std::int64_t at = 0;
    for (; at + lanes <= n; at += lanes) {
        hn::Vec<Floats> weights[kRows];
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) weights[i] = load(rows[i] + at);
#pragma GCC unroll 4
        for (int r = 0; r < kInputs; ++r) {
            const auto input = hn::LoadU(d, x + r * stride + at);
#pragma GCC unroll 4
            for (int i = 0; i < kRows; ++i) sums[i][r] = hn::MulAdd(weights[i], input, sums[i][r]);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
        for (int r = 0; r < kInputs; ++r) {
            float sum = hn::GetLane(hn::SumOfLanes(d, sums[i][r]));
            for (std::int64_t j = at; j < n; ++j) sum += one(rows[i][j]) * x[r * stride + j];
            to[r * to_stride + i] = sum;
        }
}

template <int kRows, typename T>
HWY_INLINE void dots_of_rows(const T* const* rows, std::int64_t n, const float* x, std::int64_t stride,
                             std::int64_t count, float* to, std::int64_t to_stride) {
    std::int64_t r = 0;
    for (; r + 4 <= count; r += 4)
        block_of_dots<kRows, 4>(rows, n, x + r * stride, stride, to + r * to_stride, to_stride);
    for (; r + 2 <= count; r += 2)
        block_of_dots<kRows, 2>(rows, n, x + r * stride, stride, to + r * to_stride, to_stride);
    for (; r < count; ++r) block_of_dots<kRows, 1>(rows, n, x + r * stride, stride, to + r * to_stride, to_stride);
}

template <typename T>
HWY_INLINE void dots(const T* const* rows, std::int64_t row_count, std::int64_t n, const float* x, std::int64_t stride,
                     std::int64_t count, float* to, std::int64_t to_stride) {
    std::int64_t i = 0;
    if (count > 1)
        for (; i + kBlock <= row_count; i += kBlock)
            dots_of_rows<kBlock>(rows + i, n, x, stride, count, to + i, to_stride);
    for (; i < row_count; ++i)
        if (count == 1)
            to[i] = single_dot(rows[i], n, x);
        else
            dots_of_rows<1>(rows + i, n, x, stride, count, to + i, to_stride);
}

// Four rows at a time: the sums are read and written once for them.
template <typename T>
HWY_INLINE void add_rows(const T* rows, std::int64_t stride, std::int64_t count, std::int64_t n, const float* factors,
                         float* to) {
    const Floats d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const T *w0 = rows + k * stride, *w1 = w0 + stride, *w2 = w1 + stride, *w3 = w2 + stride;
        const float* f = factors + k;
        const auto f0 = hn::Set(d, f[0]), f1 = hn::Set(d, f[1]), f2 = hn::Set(d, f[2]), f3 = hn::Set(d, f[3]);
        std::int64_t j = 0;
        for (; j + lanes <= n; j += lanes) {
            const auto left = hn::MulAdd(load(w1 + j), f1, hn::Mul(load(w0 + j), f0));
            const auto right = hn::MulAdd(load(w3 + j), f3, hn::Mul(load(w2 + j), f2));
            hn::StoreU(hn::Add(hn::LoadU(d, to + j), hn::Add(left, right)), d, to + j);
        }
        for (; j < n; ++j) to[j] += f[0] * one(w0[j]) + f[1] * one(w1[j]) + f[2] * one(w2[j]) + f[3] * one(w3[j]);
    }
    for (; k < count; ++k) {
        const T* w = rows + k * stride;
        const auto factor = hn::Set(d, factors[k]);
        std::int64_t j = 0;
        for (; j + lanes <= n; j += lanes) hn::StoreU(hn::MulAdd(load(w + j), factor, hn::LoadU(d, to + j)), d, to + j);
        for (; j < n; ++j) to[j] += factors[k] * one(w[j]);
    }
}

}  // namespace

void dots_float(const float* const* rows, std::int64_t row_count, std::int64_t n, const float* x, std::int64_t x_stride,
                std::int64_t count, float* to, std::int64_t to_stride) {
    dots(rows, row_count, n, x, x_stride, count, to, to_stride);
}
void dots_half(const Half* const* rows, std::int64_t row_count, std::int64_t n, const float* x, std::int64_t x_stride,
               std::int64_t count, float* to, std::int64_t to_stride) {
    dots(rows, row_count, n, x, x_stride, count, to, to_stride);
}
void dots_bfloat16(const BFloat16* const* rows, std::int64_t row_count, std::int64_t n, const float* x,
                   std::int64_t x_stride, std::int64_t count, float* to, std::int64_t to_stride) {
    dots(rows, row_count, n, x, x_stride, count, to, to_stride);
}
void add_float(const float* rows, std::int64_t stride, std::int64_t count, std::int64_t n, const float* factors,
               float* to) {
    add_rows(rows, stride, count, n, factors, to);
}
void add_half(const Half* rows, std::int64_t stride, std::int64_t count, std::int64_t n, const float* factors,
              float* to) {
    add_rows(rows, stride, count, n, factors, to);
}
void add_bfloat16(const BFloat16* rows, std::int64_t stride, std::int64_t count, std::int64_t n, const float* factors,
                  float* to) {
    add_rows(rows, stride, count, n, factors, to);
}

}  // namespace loupe::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe {

HWY_EXPORT(dots_float);
HWY_EXPORT(dots_half);
HWY_EXPORT(dots_bfloat16);
HWY_EXPORT(add_float);
HWY_EXPORT(add_half);
HWY_EXPORT(add_bfloat16);

template <>
void row_dots(const float* const* rows, std::int64_t row_count, std::int64_t n, const float* x, std::int64_t x_stride,
              std::int64_t count, float* to, std::int64_t to_stride) {
    HWY_DYNAMIC_DISPATCH(dots_float)(rows, row_count, n, x, x_stride, count, to, to_stride);
}
template <>
void row_dots(const Half* const* rows, std::int64_t row_count, std::int64_t n, const float* x, std::int64_t x_stride,
              std::int64_t count, float* to, std::int64_t to_stride) {
    HWY_DYNAMIC_DISPATCH(dots_half)(rows, row_count, n, x, x_stride, count, to, to_stride);
}
template <>
void row_dots(const BFloat16* const* rows, std::int64_t row_count, std::int64_t n, const float* x,
              std::int64_t x_stride, std::int64_t count, float* to, std::int64_t to_stride) {
    HWY_DYNAMIC_DISPATCH(dots_bfloat16)(rows, row_count, n, x, x_stride, count, to, to_stride);
}
template <>
void add_scaled_rows(const float* rows, std::int64_t stride, std::int64_t count, std::int64_t n, const float* factors,
                     float* to) {
    HWY_DYNAMIC_DISPATCH(add_float)(rows, stride, count, n, factors, to);
}
template <>
void add_scaled_rows(const Half* rows, std::int64_t stride, std::int64_t count, std::int64_t n, const float* factors,
                     float* to) {
    HWY_DYNAMIC_DISPATCH(add_half)(rows, stride, count, n, factors, to);
}
template <>
void add_scaled_rows(const BFloat16* rows, std::int64_t stride, std::int64_t count, std::int64_t n,
                     const float* factors, float* to) {
    HWY_DYNAMIC_DISPATCH(add_bfloat16)(rows, stride, count, n, factors, to);
}

}  // namespace loupe
#endif
