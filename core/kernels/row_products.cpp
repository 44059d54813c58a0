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

using Floats = hn::ScalableTag<float>;

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

// Of four inputs, for each part of the row one after the other.
template <typename T>
HWY_INLINE void four_dots(const T* row, std::int64_t n, const float* x, std::int64_t stride, float* to,
                          std::int64_t to_stride) {
    const Floats d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const float *x1 = x + stride, *x2 = x + 2 * stride, *x3 = x + 3 * stride;
    auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto w = load(row + i);
        a = hn::MulAdd(w, hn::LoadU(d, x + i), a);
        b = hn::MulAdd(w, hn::LoadU(d, x1 + i), b);
        c = hn::MulAdd(w, hn::LoadU(d, x2 + i), c);
        e = hn::MulAdd(w, hn::LoadU(d, x3 + i), e);
    }
    float sums[4] = {hn::GetLane(hn::SumOfLanes(d, a)), hn::GetLane(hn::SumOfLanes(d, b)),
                     hn::GetLane(hn::SumOfLanes(d, c)), hn::GetLane(hn::SumOfLanes(d, e))};
    for (; i < n; ++i) {
        const float w = one(row[i]);
        sums[0] += w * x[i];
        sums[1] += w * x1[i];
        sums[2] += w * x2[i];
        sums[3] += w * x3[i];
    }
    for (std::int64_t r = 0; r < 4; ++r) to[r * to_stride] = sums[r];
}

template <typename T>
HWY_INLINE void dots(const T* row, std::int64_t n, const float* x, std::int64_t stride, std::int64_t count, float* to,
                     std::int64_t to_stride) {
    std::int64_t r = 0;
    for (; r + 4 <= count; r += 4) four_dots(row, n, x + r * stride, stride, to + r * to_stride, to_stride);
    for (; r < count; ++r) to[r * to_stride] = single_dot(row, n, x + r * stride);
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

void dots_float(const float* row, std::int64_t n, const float* x, std::int64_t x_stride, std::int64_t count, float* to,
                std::int64_t to_stride) {
    dots(row, n, x, x_stride, count, to, to_stride);
}
void dots_half(const Half* row, std::int64_t n, const float* x, std::int64_t x_stride, std::int64_t count, float* to,
               std::int64_t to_stride) {
    dots(row, n, x, x_stride, count, to, to_stride);
}
void dots_bfloat16(const BFloat16* row, std::int64_t n, const float* x, std::int64_t x_stride, std::int64_t count,
                   float* to, std::int64_t to_stride) {
    dots(row, n, x, x_stride, count, to, to_stride);
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
void row_dots(const float* row, std::int64_t n, const float* x, std::int64_t x_stride, std::int64_t count, float* to,
              std::int64_t to_stride) {
    HWY_DYNAMIC_DISPATCH(dots_float)(row, n, x, x_stride, count, to, to_stride);
}
template <>
void row_dots(const Half* row, std::int64_t n, const float* x, std::int64_t x_stride, std::int64_t count, float* to,
              std::int64_t to_stride) {
    HWY_DYNAMIC_DISPATCH(dots_half)(row, n, x, x_stride, count, to, to_stride);
}
template <>
void row_dots(const BFloat16* row, std::int64_t n, const float* x, std::int64_t x_stride, std::int64_t count, float* to,
              std::int64_t to_stride) {
    HWY_DYNAMIC_DISPATCH(dots_bfloat16)(row, n, x, x_stride, count, to, to_stride);
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
