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

// A sum for each input, which the loops below keep in registers.
template <int kInputs>
struct Sums {
    Numbers of[kInputs];

    HWY_INLINE Sums() {
#pragma GCC unroll 2
        for (int r = 0; r < kInputs; ++r) of[r] = hn::Zero(Floats());
    }
    // Of a part of the row the products with that part of each input.
    HWY_INLINE void add(Numbers weights, const float* x, std::int64_t stride) {
#pragma GCC unroll 2
        for (int r = 0; r < kInputs; ++r) of[r] = hn::MulAdd(weights, hn::LoadU(Floats(), x + r * stride), of[r]);
    }
    HWY_INLINE void add_scaled(const Sums& part, Numbers scale) {
#pragma GCC unroll 2
        for (int r = 0; r < kInputs; ++r) of[r] = hn::MulAdd(part.of[r], scale, of[r]);
    }
    HWY_INLINE void put(float* to, std::int64_t to_stride) const {
#pragma GCC unroll 2
        for (int r = 0; r < kInputs; ++r) to[r * to_stride] = hn::GetLane(hn::SumOfLanes(Floats(), of[r]));
    }
};

struct Q8Zero {
    template <int kInputs>
    static void dot(Row row, const float* x, const float*, std::int64_t columns, float* to, std::int64_t to_stride) {
        Sums<kInputs> total;
        for (std::int64_t i = 0; i < columns; i += 32, row += 34) {
            Sums<kInputs> sum;
            for (std::size_t j = 0; j < 32; j += hn::Lanes(Floats()))
                sum.add(signed_numbers(hn::LoadU(Bytes(), row + 2 + j)), x + i + j, columns);
            total.add_scaled(sum, half_in_all(row));
        }
        total.put(to, to_stride);
    }

    static void unpack(Row row, std::int64_t columns, float* to) {
        const Floats d;
        for (std::int64_t i = 0; i < columns; i += 32, row += 34) {
            const auto scale = half_in_all(row);
            for (std::size_t j = 0; j < 32; j += hn::Lanes(d))
                hn::StoreU(hn::Mul(signed_numbers(hn::LoadU(Bytes(), row + 2 + j)), scale), d, to + i + j);
        }
    }
};

// The lower halves of 16 bytes, then their upper ones.
struct Q4Zero {
    template <int kInputs>
    static void dot(Row row, const float* x, const float*, std::int64_t columns, float* to, std::int64_t to_stride) {
        Sums<kInputs> total;
        for (std::int64_t i = 0; i < columns; i += 32, row += 18) {
            Sums<kInputs> sum;
            for (std::size_t j = 0; j < kRun; j += hn::Lanes(Floats())) {
                const auto both = hn::LoadU(Bytes(), row + 2 + j);
                sum.add(numbers_less(masked(both, 15), 8), x + i + j, columns);
                sum.add(numbers_less(hn::ShiftRight<4>(both), 8), x + i + j + kRun, columns);
            }
            total.add_scaled(sum, half_in_all(row));
        }
        total.put(to, to_stride);
    }

    static void unpack(Row row, std::int64_t columns, float* to) {
        const Floats d;
        for (std::int64_t i = 0; i < columns; i += 32, row += 18) {
            const auto scale = half_in_all(row);
            for (std::size_t j = 0; j < kRun; j += hn::Lanes(d)) {
                const auto both = hn::LoadU(Bytes(), row + 2 + j);
                hn::StoreU(hn::Mul(numbers_less(masked(both, 15), 8), scale), d, to + i + j);
                hn::StoreU(hn::Mul(numbers_less(hn::ShiftRight<4>(both), 8), scale), d, to + i + j + kRun);
            }
        }
    }
};

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
struct QK {
    static constexpr std::size_t kBlock = kHigh ? 176 : 144, kNibbles = kHigh ? 48 : 16;

    static HWY_INLINE hn::Vec<Bytes> fifth(hn::Vec<Bytes> bits, std::size_t place) {
        const auto bit = hn::Set(Bytes(), static_cast<std::uint8_t>(1U << place));
        return hn::IfThenElseZero(hn::Eq(hn::And(bits, bit), bit), hn::Set(Bytes(), std::uint8_t{16}));
    }

    template <int kInputs>
    static void dot(Row row, const float* x, const float* sums, std::int64_t columns, float* to,
                    std::int64_t to_stride) {
        const Floats d;
        Sums<kInputs> total;
        float least[kInputs] = {};
        for (std::int64_t i = 0; i < columns; i += 256, row += kBlock, x += 256, sums += 8) {
            Steps steps;
            read_steps(row, steps);
            for (std::size_t pair = 0; pair < 4; ++pair) {
                Sums<kInputs> low, high;
                for (std::size_t j = 0; j < 32; j += hn::Lanes(d)) {
                    const auto both = hn::LoadU(Bytes(), row + kNibbles + 32 * pair + j);
                    auto lower = masked(both, 15), upper = hn::ShiftRight<4>(both);
                    if constexpr (kHigh) {
                        const auto bits = hn::LoadU(Bytes(), row + 16 + j);
                        lower = hn::Or(lower, fifth(bits, 2 * pair));
                        upper = hn::Or(upper, fifth(bits, 2 * pair + 1));
                    }
                    low.add(unsigned_numbers(lower), x + 64 * pair + j, columns);
                    high.add(unsigned_numbers(upper), x + 64 * pair + j + 32, columns);
                }
                total.add_scaled(low, hn::Set(d, steps.scales[2 * pair]));
                total.add_scaled(high, hn::Set(d, steps.scales[2 * pair + 1]));
            }
            for (int r = 0; r < kInputs; ++r) least[r] += least_total(steps, sums + r * (columns / 32));
        }
        total.put(to, to_stride);
        for (int r = 0; r < kInputs; ++r) to[r * to_stride] -= least[r];
    }

    static void unpack(Row row, std::int64_t columns, float* to) {
        const Floats d;
        for (std::int64_t i = 0; i < columns; i += 256, row += kBlock, to += 256) {
            Steps steps;
            read_steps(row, steps);
            for (std::size_t pair = 0; pair < 4; ++pair) {
                const auto scale = hn::Set(d, steps.scales[2 * pair]), least = hn::Set(d, steps.least[2 * pair]);
                const auto next_scale = hn::Set(d, steps.scales[2 * pair + 1]);
                const auto next_least = hn::Set(d, steps.least[2 * pair + 1]);
                for (std::size_t j = 0; j < 32; j += hn::Lanes(d)) {
                    const auto both = hn::LoadU(Bytes(), row + kNibbles + 32 * pair + j);
                    auto lower = masked(both, 15), upper = hn::ShiftRight<4>(both);
                    if constexpr (kHigh) {
                        const auto bits = hn::LoadU(Bytes(), row + 16 + j);
                        lower = hn::Or(lower, fifth(bits, 2 * pair));
                        upper = hn::Or(upper, fifth(bits, 2 * pair + 1));
                    }
                    hn::StoreU(hn::MulSub(unsigned_numbers(lower), scale, least), d, to + 64 * pair + j);
                    hn::StoreU(hn::MulSub(unsigned_numbers(upper), next_scale, next_least), d, to + 64 * pair + j + 32);
                }
            }
        }
    }
};

// Of each half: lower and upper halves of 64 bytes, two bits more of each in 32 bytes, a scale for each 16 elements.
struct Q6K {
    template <int kInputs>
    static void dot(Row row, const float* x, const float*, std::int64_t columns, float* to, std::int64_t to_stride) {
        const Floats d;
        Sums<kInputs> total;
        for (std::int64_t i = 0; i < columns; i += 256, row += 210) {
            const auto scale = half_in_all(row + 208);
            HWY_ALIGN float scales[kRun];
            for (std::size_t j = 0; j < kRun; j += hn::Lanes(d))
                hn::Store(hn::Mul(signed_numbers(hn::LoadU(Bytes(), row + 192 + j)), scale), d, scales + j);
            for (std::size_t half = 0; half < 2; ++half, x += 128) {
                for (std::size_t run = 0; run < 2; ++run) {
                    Sums<kInputs> first_low, second_low, first_high, second_high;
                    for (std::size_t j = run * kRun; j < (run + 1) * kRun; j += hn::Lanes(d)) {
                        const auto first = hn::LoadU(Bytes(), row + 64 * half + j);
                        const auto second = hn::LoadU(Bytes(), row + 64 * half + 32 + j);
                        const auto more = hn::LoadU(Bytes(), row + 128 + 32 * half + j);
                        const auto numbers = [&](hn::Vec<Bytes> low, hn::Vec<Bytes> bits) {
                            return numbers_less(hn::Or(low, masked(bits, 48)), 32);
                        };
                        const float* const at = x + j;
                        first_low.add(numbers(masked(first, 15), hn::ShiftLeft<4>(more)), at, columns);
                        second_low.add(numbers(masked(second, 15), hn::ShiftLeft<2>(more)), at + 32, columns);
                        first_high.add(numbers(hn::ShiftRight<4>(first), more), at + 64, columns);
                        second_high.add(numbers(hn::ShiftRight<4>(second), hn::ShiftRight<2>(more)), at + 96, columns);
                    }
                    const float* const steps = scales + 8 * half + run;
                    total.add_scaled(first_low, hn::Set(d, steps[0]));
                    total.add_scaled(second_low, hn::Set(d, steps[2]));
                    total.add_scaled(first_high, hn::Set(d, steps[4]));
                    total.add_scaled(second_high, hn::Set(d, steps[6]));
                }
            }
        }
        total.put(to, to_stride);
    }

    static void unpack(Row row, std::int64_t columns, float* to) {
        const Floats d;
        for (std::int64_t i = 0; i < columns; i += 256, row += 210) {
            const auto scale = half_in_all(row + 208);
            HWY_ALIGN float scales[kRun];
            for (std::size_t j = 0; j < kRun; j += hn::Lanes(d))
                hn::Store(hn::Mul(signed_numbers(hn::LoadU(Bytes(), row + 192 + j)), scale), d, scales + j);
            for (std::size_t half = 0; half < 2; ++half, to += 128)
                for (std::size_t j = 0; j < 2 * kRun; j += hn::Lanes(d)) {
                    const auto first = hn::LoadU(Bytes(), row + 64 * half + j);
                    const auto second = hn::LoadU(Bytes(), row + 64 * half + 32 + j);
                    const auto more = hn::LoadU(Bytes(), row + 128 + 32 * half + j);
                    const float* const steps = scales + 8 * half + j / kRun;
                    const auto put = [&](hn::Vec<Bytes> low, hn::Vec<Bytes> bits, std::size_t place) {
                        const auto numbers = numbers_less(hn::Or(low, masked(bits, 48)), 32);
                        hn::StoreU(hn::Mul(numbers, hn::Set(d, steps[2 * place])), d, to + 32 * place + j);
                    };
                    put(masked(first, 15), hn::ShiftLeft<4>(more), 0);
                    put(masked(second, 15), hn::ShiftLeft<2>(more), 1);
                    put(hn::ShiftRight<4>(first), more, 2);
                    put(hn::ShiftRight<4>(second), hn::ShiftRight<2>(more), 3);
                }
        }
    }
};

template <class Type>
PackedDots dots_of() {
    return {Type::template dot<1>, Type::template dot<2>, Type::unpack};
}

}  // namespace

PackedDots best_dots(std::uint32_t type) {
    switch (type) {
        case 2:
            return dots_of<Q4Zero>();
        case 8:
            return dots_of<Q8Zero>();
        case 12:
            return dots_of<QK<false>>();
        case 13:
            return dots_of<QK<true>>();
        case 14:
            return dots_of<Q6K>();
        default:
            return {};
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

HWY_EXPORT(best_dots);
HWY_EXPORT(sums_of_blocks);

PackedDots packed_dots(const GgmlType& type) { return HWY_DYNAMIC_DISPATCH(best_dots)(type.number); }

void sums_of_blocks(const float* x, std::int64_t columns, float* to) {
    HWY_DYNAMIC_DISPATCH(sums_of_blocks)(x, columns, to);
}

}  // namespace loupe::quantized_ops
#endif
