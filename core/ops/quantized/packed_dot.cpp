// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/packed_dot.h"

#include <cstring>

#include "core/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/ops/quantized/packed_dot.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace loupe::quantized_ops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

// As many lanes as the shortest run of elements with one scale has.
using Floats = hn::CappedTag<float, 16>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;
using Numbers = hn::Vec<Floats>;
using Row = const std::uint8_t*;
constexpr std::size_t kRun = 16;

HWY_INLINE Numbers unsigned_numbers(hn::Vec<Bytes> bytes) {
    return hn::ConvertTo(Floats(), hn::PromoteTo(hn::Rebind<std::int32_t, Floats>(), bytes));
}
HWY_INLINE Numbers signed_numbers(hn::Vec<Bytes> bytes) {
    const hn::Rebind<std::int8_t, Floats> d;
    return hn::ConvertTo(Floats(), hn::PromoteTo(hn::Rebind<std::int32_t, Floats>(), hn::BitCast(d, bytes)));
}
// The bytes less `by`, which may be negative.
HWY_INLINE Numbers numbers_less(hn::Vec<Bytes> bytes, std::uint8_t by) {
    return signed_numbers(hn::Sub(bytes, hn::Set(Bytes(), by)));
}
HWY_INLINE hn::Vec<Bytes> masked(hn::Vec<Bytes> bytes, std::uint8_t mask) {
    return hn::And(bytes, hn::Set(Bytes(), mask));
}

// A number of half precision in all lanes.
HWY_INLINE Numbers half_in_all(Row at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    const hn::Rebind<std::uint16_t, Floats> d;
    return hn::PromoteTo(Floats(), hn::BitCast(hn::Rebind<hwy::float16_t, Floats>(), hn::Set(d, bits)));
}

HWY_INLINE float total_of(Numbers total) { return hn::GetLane(hn::SumOfLanes(Floats(), total)); }

float dot_q8_0(Row row, const float* x, const float*, std::int64_t columns) {
    const Floats d;
    auto total = hn::Zero(d);
    for (std::int64_t i = 0; i < columns; i += 32, row += 34) {
        auto sum = hn::Zero(d);
        for (std::size_t j = 0; j < 32; j += hn::Lanes(d))
            sum = hn::MulAdd(signed_numbers(hn::LoadU(Bytes(), row + 2 + j)),
                             hn::LoadU(d, x + i + static_cast<std::int64_t>(j)), sum);
        total = hn::MulAdd(sum, half_in_all(row), total);
    }
    return total_of(total);
}

// The lower halves of 16 bytes, then their upper ones.
float dot_q4_0(Row row, const float* x, const float*, std::int64_t columns) {
    const Floats d;
    auto total = hn::Zero(d);
    for (std::int64_t i = 0; i < columns; i += 32, row += 18) {
        auto low = hn::Zero(d), high = hn::Zero(d);
        for (std::size_t j = 0; j < kRun; j += hn::Lanes(d)) {
            const auto both = hn::LoadU(Bytes(), row + 2 + j);
            const float* const at = x + i + j;
            low = hn::MulAdd(numbers_less(masked(both, 15), 8), hn::LoadU(d, at), low);
            high = hn::MulAdd(numbers_less(hn::ShiftRight<4>(both), 8), hn::LoadU(d, at + kRun), high);
        }
        total = hn::MulAdd(hn::Add(low, high), half_in_all(row), total);
    }
    return total_of(total);
}

// The eight scales and least values of 6 bits in 12 bytes, times the block's own.
struct Steps {
    HWY_ALIGN float scales[8];
    HWY_ALIGN float least[8];
};
HWY_INLINE void read_steps(Row block, Steps& to) {
    std::uint32_t first = 0, second = 0, third = 0;
    std::memcpy(&first, block + 4, 4);
    std::memcpy(&second, block + 8, 4);
    std::memcpy(&third, block + 12, 4);
    const std::uint32_t parts[4] = {first & 0x3F3F3F3F, (third & 0x0F0F0F0F) | (first >> 6 & 0x03030303) << 4,
                                    second & 0x3F3F3F3F, (third >> 4 & 0x0F0F0F0F) | (second >> 6 & 0x03030303) << 4};
    HWY_ALIGN std::uint8_t bytes[16];
    std::memcpy(bytes, parts, sizeof bytes);
    const hn::CappedTag<float, 8> d;
    const hn::Rebind<std::uint8_t, decltype(d)> narrow;
    const hn::Rebind<std::int32_t, decltype(d)> wide;
    const float scale = hn::GetLane(half_in_all(block)), least = hn::GetLane(half_in_all(block + 2));
    for (std::size_t j = 0; j < 8; j += hn::Lanes(d)) {
        const auto to_floats = [&](const std::uint8_t* from) {
            return hn::ConvertTo(d, hn::PromoteTo(wide, hn::LoadU(narrow, from)));
        };
        hn::Store(hn::Mul(to_floats(bytes + j), hn::Set(d, scale)), d, to.scales + j);
        hn::Store(hn::Mul(to_floats(bytes + 8 + j), hn::Set(d, least)), d, to.least + j);
    }
}

// The sum of what the least values take from each 32 elements.
HWY_INLINE float least_total(const Steps& steps, const float* sums) {
    const hn::CappedTag<float, 8> d;
    auto total = hn::Zero(d);
    for (std::size_t j = 0; j < 8; j += hn::Lanes(d))
        total = hn::MulAdd(hn::Load(d, steps.least + j), hn::LoadU(d, sums + j), total);
    return hn::GetLane(hn::SumOfLanes(d, total));
}

// kHigh: Q5_K, whose fifth bits stand by themselves.
template <bool kHigh>
HWY_INLINE float dot_k(Row row, const float* x, const float* sums, std::int64_t columns) {
    const Floats d;
    constexpr std::size_t kBlock = kHigh ? 176 : 144, kNibbles = kHigh ? 48 : 16;
    auto total = hn::Zero(d);
    float least = 0;
    for (std::int64_t i = 0; i < columns; i += 256, row += kBlock, x += 256, sums += 8) {
        Steps steps;
        read_steps(row, steps);
        for (std::size_t pair = 0; pair < 4; ++pair) {
            auto low = hn::Zero(d), high = hn::Zero(d);
            for (std::size_t j = 0; j < 32; j += hn::Lanes(d)) {
                const auto both = hn::LoadU(Bytes(), row + kNibbles + 32 * pair + j);
                auto lower = masked(both, 15), upper = hn::ShiftRight<4>(both);
                if constexpr (kHigh) {
                    const auto bits = hn::LoadU(Bytes(), row + 16 + j);
                    const auto fifth = [&](std::size_t place) {
                        const auto bit = hn::Set(Bytes(), static_cast<std::uint8_t>(1U << place));
                        const auto set = hn::Eq(hn::And(bits, bit), bit);
                        return hn::IfThenElseZero(set, hn::Set(Bytes(), std::uint8_t{16}));
                    };
                    lower = hn::Or(lower, fifth(2 * pair));
                    upper = hn::Or(upper, fifth(2 * pair + 1));
                }
                const float* const at = x + 64 * pair + j;
                low = hn::MulAdd(unsigned_numbers(lower), hn::LoadU(d, at), low);
                high = hn::MulAdd(unsigned_numbers(upper), hn::LoadU(d, at + 32), high);
            }
            total = hn::MulAdd(low, hn::Set(d, steps.scales[2 * pair]), total);
            total = hn::MulAdd(high, hn::Set(d, steps.scales[2 * pair + 1]), total);
        }
        least += least_total(steps, sums);
    }
    return total_of(total) - least;
}
float dot_q4_k(Row row, const float* x, const float* sums, std::int64_t columns) {
    return dot_k<false>(row, x, sums, columns);
}
float dot_q5_k(Row row, const float* x, const float* sums, std::int64_t columns) {
    return dot_k<true>(row, x, sums, columns);
}

// Of each half: lower and upper halves of 64 bytes, two bits more of each in 32 bytes, a scale for each 16 elements.
float dot_q6_k(Row row, const float* x, const float*, std::int64_t columns) {
    const Floats d;
    auto total = hn::Zero(d);
    for (std::int64_t i = 0; i < columns; i += 256, row += 210) {
        const float scale = hn::GetLane(half_in_all(row + 208));
        HWY_ALIGN float scales[kRun];
        for (std::size_t j = 0; j < kRun; j += hn::Lanes(d))
            hn::Store(hn::Mul(signed_numbers(hn::LoadU(Bytes(), row + 192 + j)), hn::Set(d, scale)), d, scales + j);
        for (std::size_t half = 0; half < 2; ++half, x += 128) {
            for (std::size_t run = 0; run < 2; ++run) {
                hn::Vec<Floats> sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
                for (std::size_t j = run * kRun; j < (run + 1) * kRun; j += hn::Lanes(d)) {
                    const auto first = hn::LoadU(Bytes(), row + 64 * half + j);
                    const auto second = hn::LoadU(Bytes(), row + 64 * half + 32 + j);
                    const auto more = hn::LoadU(Bytes(), row + 128 + 32 * half + j);
                    const auto add = [&](hn::Vec<Bytes> low, hn::Vec<Bytes> bits, std::size_t part) {
                        sums[part] = hn::MulAdd(numbers_less(hn::Or(low, bits), 32), hn::LoadU(d, x + 32 * part + j),
                                                sums[part]);
                    };
                    add(masked(first, 15), masked(hn::ShiftLeft<4>(more), 48), 0);
                    add(masked(second, 15), masked(hn::ShiftLeft<2>(more), 48), 1);
                    add(hn::ShiftRight<4>(first), masked(more, 48), 2);
                    add(hn::ShiftRight<4>(second), masked(hn::ShiftRight<2>(more), 48), 3);
                }
                for (std::size_t part = 0; part < 4; ++part)
                    total = hn::MulAdd(sums[part], hn::Set(d, scales[8 * half + 2 * part + run]), total);
            }
        }
    }
    return total_of(total);
}

}  // namespace

PackedDot best_dot(std::uint32_t type) {
    switch (type) {
        case 2:
            return dot_q4_0;
        case 8:
            return dot_q8_0;
        case 12:
            return dot_q4_k;
        case 13:
            return dot_q5_k;
        case 14:
            return dot_q6_k;
        default:
            return nullptr;
    }
}

void sums_of_blocks(const float* x, std::int64_t columns, float* to) {
    const Floats d;
    for (std::int64_t i = 0; i < columns; i += 32) {
        auto sum = hn::Zero(d);
        for (std::size_t j = 0; j < 32; j += hn::Lanes(d)) sum = hn::Add(sum, hn::LoadU(d, x + i + j));
        *to++ = hn::GetLane(hn::SumOfLanes(d, sum));
    }
}

}  // namespace loupe::quantized_ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe::quantized_ops {

HWY_EXPORT(best_dot);
HWY_EXPORT(sums_of_blocks);

PackedDot packed_dot(const GgmlType& type) { return HWY_DYNAMIC_DISPATCH(best_dot)(type.number); }

void sums_of_blocks(const float* x, std::int64_t columns, float* to) {
    HWY_DYNAMIC_DISPATCH(sums_of_blocks)(x, columns, to);
}

}  // namespace loupe::quantized_ops
#endif
