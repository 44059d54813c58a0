// SPDX-License-Identifier: Apache-2.0
// The packing of integer_columns.h, and its kernel for vectors without a product of bytes: products of pairs of 16
// bits.
#include "core/ops/quantized/integer_columns.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/quantized/integer_columns.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace loupe::quantized_ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86

using Words = hn::CappedTag<std::int16_t, 32>;
using Sums = hn::RepartitionToWide<Words>;
constexpr int kVectors = static_cast<int>(kColumnBlock) / static_cast<int>(hn::MaxLanes(Sums()));

// Rows of one block, whose accumulators stay in registers where the loops are unrolled. Bytes are widened where they
// are: those at even places and those at odd ones.
template <int Rows>
HWY_INLINE void multiply_tile(const std::uint8_t* a, std::int64_t a_stride, const std::int8_t* b, std::int64_t quads,
                              const std::int32_t* start, std::int32_t* sums, std::int64_t stride) {
    const Words words;
    const Sums numbers;
    const hn::RebindToUnsigned<Words> plain;
    const auto low_byte = hn::Set(words, std::int16_t{0xff});
    hn::Vec<Sums> total[Rows][kVectors], unused = hn::Zero(numbers);
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
        const auto first = hn::LoadU(numbers, start + v * static_cast<int>(hn::Lanes(numbers)));
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i) total[i][v] = first;
    }
    for (std::int64_t q = 0; q < quads; ++q) {
        hn::Vec<Words> even[kVectors], odd[kVectors];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
            const auto* const from =
                reinterpret_cast<const std::int16_t*>(b + q * 64) + v * static_cast<int>(hn::Lanes(words));
            const auto both = hn::LoadU(words, from);
            even[v] = hn::ShiftRight<8>(hn::ShiftLeft<8>(both));
            odd[v] = hn::ShiftRight<8>(both);
        }
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i) {
            std::int32_t four = 0;
            std::memcpy(&four, a + i * a_stride + q * 4, 4);
            const auto both = hn::BitCast(words, hn::Set(numbers, four));
            const auto left_even = hn::And(both, low_byte);
            const auto left_odd = hn::BitCast(words, hn::ShiftRight<8>(hn::BitCast(plain, both)));
#pragma GCC unroll 16
            for (int v = 0; v < kVectors; ++v) {
                total[i][v] = hn::ReorderWidenMulAccumulate(numbers, left_even, even[v], total[i][v], unused);
                total[i][v] = hn::ReorderWidenMulAccumulate(numbers, left_odd, odd[v], total[i][v], unused);
            }
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v)
            hn::StoreU(total[i][v], numbers, sums + i * stride + v * static_cast<int>(hn::Lanes(numbers)));
}

#else

template <int Rows>
HWY_INLINE void multiply_tile(const std::uint8_t* a, std::int64_t a_stride, const std::int8_t* b, std::int64_t quads,
                              const std::int32_t* start, std::int32_t* sums, std::int64_t stride) {
    for (int i = 0; i < Rows; ++i) {
        std::int32_t total[kColumnBlock];
        std::copy_n(start, kColumnBlock, total);
        for (std::int64_t q = 0; q < quads; ++q) {
            for (std::int64_t j = 0; j < kColumnBlock; ++j) {
                for (std::int64_t k = 0; k < 4; ++k)
                    total[j] += static_cast<std::int32_t>(a[i * a_stride + q * 4 + k]) * b[q * 64 + j * 4 + k];
            }
        }
        std::copy_n(total, kColumnBlock, sums + i * stride);
    }
}

#endif

void multiply_quads(const std::uint8_t* a, std::int64_t a_stride, std::int64_t m, const std::int8_t* b,
                    std::int64_t quads, std::int64_t blocks, const std::int32_t* start, std::int32_t* sums,
                    std::int64_t stride) {
    for (std::int64_t j = 0; j < blocks; ++j, b += quads * 64, start += kColumnBlock, sums += kColumnBlock) {
        std::int64_t i = 0;
        for (; i + 4 <= m; i += 4)
            multiply_tile<4>(a + i * a_stride, a_stride, b, quads, start, sums + i * stride, stride);
        for (; i < m; ++i) multiply_tile<1>(a + i * a_stride, a_stride, b, quads, start, sums + i * stride, stride);
    }
}

}  // namespace loupe::quantized_ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe::quantized_ops {

HWY_EXPORT(multiply_quads);

MultiplyQuads vector_kernel() { return HWY_DYNAMIC_DISPATCH(multiply_quads); }

IntegerColumns pack_columns(const std::int8_t* integers, std::int64_t count, std::int64_t depth,
                            const std::vector<std::int64_t>& zero_points) {
    IntegerColumns out{count, depth};
    const std::int64_t quads = out.quads();
    out.values.resize(static_cast<std::size_t>(out.blocks() * quads * 4 * kColumnBlock));
    out.sums.resize(static_cast<std::size_t>(count));
    for (std::int64_t j = 0; j < count; ++j) {
        std::int8_t* const to = out.values.data() + j / kColumnBlock * quads * 4 * kColumnBlock + j % kColumnBlock * 4;
        for (std::int64_t k = 0; k < depth; ++k) {
            const std::int8_t value = integers[j * depth + k];
            to[k / 4 * 4 * kColumnBlock + k % 4] = value;
            out.sums[static_cast<std::size_t>(j)] += value;
        }
    }
    if (std::any_of(zero_points.begin(), zero_points.end(), [](std::int64_t point) { return point != 0; })) {
        for (std::int64_t j = 0; j < count; ++j) {
            const std::int64_t point = zero_points[zero_points.size() == 1 ? 0 : static_cast<std::size_t>(j)];
            out.zero_points.push_back(static_cast<std::int32_t>(point));
        }
    }
    return out;
}

void multiply_columns(const ByteRows& a, const IntegerColumns& b, std::int64_t first, std::int64_t last,
                      std::int32_t* sums, std::int64_t stride) {
    static const MultiplyQuads kernel = vnni_kernel() != nullptr ? vnni_kernel() : vector_kernel();
    const std::int64_t begin = first * kColumnBlock, end = std::min(b.count, last * kColumnBlock);
    // Sums wrap as those of the kernels do.
    std::vector<std::int32_t> start(static_cast<std::size_t>((last - first) * kColumnBlock), 0);
    const auto point = static_cast<std::uint32_t>(a.zero_point);
    for (std::int64_t j = begin; j < end; ++j) {
        const auto at = static_cast<std::size_t>(j);
        auto moved = static_cast<std::uint32_t>(b.sums[at]);
        if (!b.zero_points.empty())
            moved -= static_cast<std::uint32_t>(b.depth) * static_cast<std::uint32_t>(b.zero_points[at]);
        start[static_cast<std::size_t>(j - begin)] = static_cast<std::int32_t>(0U - point * moved);
    }
    kernel(a.data, a.stride, a.count, b.block(first), b.quads(), last - first, start.data(), sums, stride);
    if (b.zero_points.empty()) return;
    for (std::int64_t i = 0; i < a.count; ++i) {
        std::uint32_t row = 0;
        for (std::int64_t k = 0; k < b.depth; ++k) row += a.data[i * a.stride + k];
        for (std::int64_t j = begin; j < end; ++j) {
            std::int32_t& sum = sums[i * stride + j - begin];
            const auto moved = row * static_cast<std::uint32_t>(b.zero_points[static_cast<std::size_t>(j)]);
            sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) - moved);
        }
    }
}

}  // namespace loupe::quantized_ops
#endif
