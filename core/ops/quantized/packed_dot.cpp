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

// A scale in all lanes: where it is one already, or one that is read where it is needed.
HWY_INLINE Numbers in_all(Numbers scale) { return scale; }
HWY_INLINE Numbers in_all(const float* scale) { return hn::Set(Floats(), *scale); }

// A sum for each input, which the loops below keep in registers.
template <int kInputs>
struct Sums {
    Numbers of[kInputs];

    HWY_INLINE void clear() {
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

// Of two elements of 4 bits in each byte.
HWY_INLINE hn::Vec<Bytes> lower(hn::Vec<Bytes> both) { return masked(both, 15); }
HWY_INLINE hn::Vec<Bytes> upper(hn::Vec<Bytes> both) { return hn::ShiftRight<4>(both); }

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

// What becomes of a row's numbers, block by block: products with inputs, or the numbers themselves. A type's read()
// gives those of a block in groups, several at a time; a group is what has a scale, and a least value that is taken
// from it, in common. An element's place is within its block.
template <int kInputs>
struct Dot {
    const float* x;
    const float* sums;
    std::int64_t columns;
    Sums<kInputs> total;
    float least[kInputs] = {};

    HWY_INLINE Dot(const float* x_, const float* sums_, std::int64_t columns_) : x(x_), sums(sums_), columns(columns_) {
        total.clear();
    }

    template <int kGroups>
    struct Groups {
        Dot& into;
        const float* x;
        Sums<kInputs> sums[kGroups];

        HWY_INLINE Groups(Dot& dot, std::size_t first) : into(dot), x(dot.x + first) {
#pragma GCC unroll 4
            for (int group = 0; group < kGroups; ++group) sums[group].clear();
        }
        template <int kGroup, class... Scale>
        HWY_INLINE void take(std::size_t place, Numbers numbers, Scale...) {
            sums[kGroup].add(numbers, x + place, into.columns);
        }
        template <int kGroup, class Scale>
        HWY_INLINE void end(Scale scale) {
            into.total.add_scaled(sums[kGroup], in_all(scale));
        }
    };

    HWY_INLINE void take_least(const Steps& steps) {
        for (int r = 0; r < kInputs; ++r) least[r] += least_total(steps, sums + r * (columns / 32));
    }
    HWY_INLINE void next(std::int64_t elements) {
        x += elements;
        sums += elements / 32;
    }
    HWY_INLINE void put(float* to, std::int64_t to_stride) const {
        total.put(to, to_stride);
        for (int r = 0; r < kInputs; ++r) to[r * to_stride] -= least[r];
    }
};

struct Unpacked {
    float* to;

    template <int kGroups>
    struct Groups {
        float* to;

        HWY_INLINE Groups(Unpacked& out, std::size_t first) : to(out.to + first) {}
        template <int kGroup, class Scale>
        HWY_INLINE void take(std::size_t place, Numbers numbers, Scale scale) {
            hn::StoreU(hn::Mul(numbers, in_all(scale)), Floats(), to + place);
        }
        template <int kGroup, class Scale>
        HWY_INLINE void take(std::size_t place, Numbers numbers, Scale scale, Scale less) {
            hn::StoreU(hn::MulSub(numbers, in_all(scale), in_all(less)), Floats(), to + place);
        }
        template <int kGroup, class Scale>
        HWY_INLINE void end(Scale) {}
    };

    HWY_INLINE void take_least(const Steps&) {}
    HWY_INLINE void next(std::int64_t elements) { to += elements; }
};

struct Q8Zero {
    static constexpr std::int64_t kElements = 32, kBytes = 34;

    template <class Into>
    static HWY_INLINE void read(Row block, Into& into) {
        const auto scale = half_in_all(block);
        typename Into::template Groups<1> group(into, 0);
        for (std::size_t j = 0; j < 32; j += hn::Lanes(Floats()))
            group.template take<0>(j, signed_numbers(hn::LoadU(Bytes(), block + 2 + j)), scale);
        group.template end<0>(scale);
    }
};

// The lower halves of 16 bytes, then their upper ones.
struct Q4Zero {
    static constexpr std::int64_t kElements = 32, kBytes = 18;

    template <class Into>
    static HWY_INLINE void read(Row block, Into& into) {
        const auto scale = half_in_all(block);
        typename Into::template Groups<1> group(into, 0);
        for (std::size_t j = 0; j < kRun; j += hn::Lanes(Floats())) {
            const auto both = hn::LoadU(Bytes(), block + 2 + j);
            group.template take<0>(j, numbers_less(lower(both), 8), scale);
            group.template take<0>(j + kRun, numbers_less(upper(both), 8), scale);
        }
        group.template end<0>(scale);
    }
};

// kHigh: Q5_K, whose fifth bits stand by themselves.
template <bool kHigh>
struct QK {
    static constexpr std::int64_t kElements = 256, kBytes = kHigh ? 176 : 144;
    static constexpr std::size_t kNibbles = kHigh ? 48 : 16;

    static HWY_INLINE hn::Vec<Bytes> fifth(hn::Vec<Bytes> bits, std::size_t place) {
        const auto bit = hn::Set(Bytes(), static_cast<std::uint8_t>(1U << place));
        return hn::IfThenElseZero(hn::Eq(hn::And(bits, bit), bit), hn::Set(Bytes(), std::uint8_t{16}));
    }

    template <class Into>
    static HWY_INLINE void read(Row block, Into& into) {
        const Floats d;
        Steps steps;
        read_steps(block, steps);
        for (std::size_t pair = 0; pair < 4; ++pair) {
            const float* const scales = steps.scales + 2 * pair;
            const float* const least = steps.least + 2 * pair;
            typename Into::template Groups<2> groups(into, 64 * pair);
            for (std::size_t j = 0; j < 32; j += hn::Lanes(d)) {
                const auto both = hn::LoadU(Bytes(), block + kNibbles + 32 * pair + j);
                auto low = lower(both), high = upper(both);
                if constexpr (kHigh) {
                    const auto bits = hn::LoadU(Bytes(), block + 16 + j);
                    low = hn::Or(low, fifth(bits, 2 * pair));
                    high = hn::Or(high, fifth(bits, 2 * pair + 1));
                }
                groups.template take<0>(j, unsigned_numbers(low), scales, least);
                groups.template take<1>(j + 32, unsigned_numbers(high), scales + 1, least + 1);
            }
            groups.template end<0>(scales);
            groups.template end<1>(scales + 1);
        }
        into.take_least(steps);
    }
};

// Of each half: lower and upper halves of 64 bytes, two bits more of each in 32 bytes, a scale for each 16 elements.
struct Q6K {
    static constexpr std::int64_t kElements = 256, kBytes = 210;

    template <class Into>
    static HWY_INLINE void read(Row block, Into& into) {
        const Floats d;
        const auto scale = half_in_all(block + 208);
        HWY_ALIGN float scales[kRun];
        for (std::size_t j = 0; j < kRun; j += hn::Lanes(d))
            hn::Store(hn::Mul(signed_numbers(hn::LoadU(Bytes(), block + 192 + j)), scale), d, scales + j);
        for (std::size_t half = 0; half < 2; ++half)
            for (std::size_t run = 0; run < 2; ++run) {
                const float* const steps = scales + 8 * half + run;
                typename Into::template Groups<4> groups(into, 128 * half);
                for (std::size_t j = run * kRun; j < (run + 1) * kRun; j += hn::Lanes(d)) {
                    const auto first = hn::LoadU(Bytes(), block + 64 * half + j);
                    const auto second = hn::LoadU(Bytes(), block + 64 * half + 32 + j);
                    const auto more = hn::LoadU(Bytes(), block + 128 + 32 * half + j);
                    groups.template take<0>(j, numbers(lower(first), hn::ShiftLeft<4>(more)), steps);
                    groups.template take<1>(j + 32, numbers(lower(second), hn::ShiftLeft<2>(more)), steps + 2);
                    groups.template take<2>(j + 64, numbers(upper(first), more), steps + 4);
                    groups.template take<3>(j + 96, numbers(upper(second), hn::ShiftRight<2>(more)), steps + 6);
                }
                groups.template end<0>(steps);
                groups.template end<1>(steps + 2);
                groups.template end<2>(steps + 4);
                groups.template end<3>(steps + 6);
            }
    }

  private:
    static HWY_INLINE Numbers numbers(hn::Vec<Bytes> low, hn::Vec<Bytes> bits) {
        return numbers_less(hn::Or(low, masked(bits, 48)), 32);
    }
};

template <class Type, class Into>
HWY_INLINE void read_row(Row row, std::int64_t columns, Into& into) {
    for (std::int64_t i = 0; i < columns; i += Type::kElements, row += Type::kBytes) {
        Type::read(row, into);
        into.next(Type::kElements);
    }
}

template <class Type, int kInputs>
void dot(Row row, const float* x, const float* sums, std::int64_t columns, float* to, std::int64_t to_stride) {
    Dot<kInputs> into(x, sums, columns);
    read_row<Type>(row, columns, into);
    into.put(to, to_stride);
}

template <class Type>
void unpack(Row row, std::int64_t columns, float* to) {
    Unpacked into{to};
    read_row<Type>(row, columns, into);
}

template <class Type>
PackedDots dots_of() {
    return {dot<Type, 1>, dot<Type, 2>, unpack<Type>};
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
