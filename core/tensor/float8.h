// SPDX-License-Identifier: Apache-2.0
#pragma once
// The floating-point types of eight bits, as storage with conversion to and from float: PyTorch's rounding (to nearest
// even) and its values beyond the range.

#include <bit>
#include <cstdint>
#include <limits>

namespace loupe {

enum class Float8Range : std::uint8_t {
    Ieee,          // infinities and NaN, as in IEEE 754; overflow is infinity
    Finite,        // no infinity, NaN has all bits set; overflow is the largest number
    UnsignedZero,  // no infinity, no negative zero: its bits are NaN; overflow is NaN
};

// A sign, an exponent and kMantissa bits.
template <int kMantissa, int kBias, Float8Range kRange>
struct Float8 {
    std::uint8_t bits = 0;

    Float8() = default;
    explicit Float8(float value) : bits(from_float(value)) {}
    operator float() const { return to_float(bits); }

    static constexpr std::uint8_t from_float(float value) {
        constexpr int kShift = 23 - kMantissa;
        const auto x = std::bit_cast<std::uint32_t>(value);
        const auto sign = static_cast<std::uint8_t>(x >> 24 & 0x80U);
        std::uint32_t magnitude = x & 0x7fffffffU;
        if (magnitude >= beyond()) {
            if (kRange == Float8Range::UnsignedZero) return 0x80;
            if (magnitude > 0x7f800000U) return sign | 0x7f;
            return sign | (kRange == Float8Range::Ieee ? 0x7c : 0x7e);
        }
        if (magnitude < std::uint32_t{128 - kBias} << 23) {
            // Subnormal: adding a number in whose last place its last place lies lets the FPU round.
            constexpr std::uint32_t kShifter = std::uint32_t{127 - kBias + kShift + 1} << 23;
            const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kShifter);
            const auto result = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(shifted) - kShifter);
            return kRange == Float8Range::UnsignedZero && result == 0 ? result : sign | result;
        }
        const std::uint32_t odd = magnitude >> kShift & 1U;
        magnitude -= std::uint32_t{127 - kBias} << 23;
        magnitude += (std::uint32_t{1} << (kShift - 1)) - 1 + odd;
        const auto result = static_cast<std::uint8_t>(magnitude >> kShift);
        return sign | (kRange == Float8Range::Finite && result == 0x7f ? 0x7e : result);
    }

    static constexpr float to_float(std::uint8_t byte) {
        const std::uint32_t sign = std::uint32_t{byte & 0x80U} << 24;
        const std::uint32_t magnitude = byte & 0x7fU;
        if (is_nan(byte)) return std::numeric_limits<float>::quiet_NaN();
        if (kRange == Float8Range::Ieee && magnitude == 0x7c) return std::bit_cast<float>(sign | 0x7f800000U);
        if (magnitude >> kMantissa == 0) {
            constexpr auto kUnit = std::bit_cast<float>(std::uint32_t{128 - kBias - kMantissa} << 23);
            return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * kUnit));
        }
        return std::bit_cast<float>(sign | ((magnitude << (23 - kMantissa)) + (std::uint32_t{127 - kBias} << 23)));
    }

    static constexpr bool is_nan(std::uint8_t byte) {
        if (kRange == Float8Range::UnsignedZero) return byte == 0x80;
        return (byte & 0x7fU) > (kRange == Float8Range::Ieee ? 0x7cU : 0x7eU);
    }

  private:
    // The bits of the first float that has no place in the range before rounding.
    static constexpr std::uint32_t beyond() {
        if (kRange == Float8Range::Finite) return std::bit_cast<std::uint32_t>(480.0F);
        const int exponents = 1 << (7 - kMantissa);
        const int last = exponents - 1 - kBias - (kRange == Float8Range::Ieee ? 1 : 0);
        return static_cast<std::uint32_t>(127 + last + 1) << 23;
    }
};

struct Float8E4M3FN : Float8<3, 7, Float8Range::Finite> {
    using Float8::Float8;
};
struct Float8E5M2 : Float8<2, 15, Float8Range::Ieee> {
    using Float8::Float8;
};
struct Float8E4M3FNUZ : Float8<3, 8, Float8Range::UnsignedZero> {
    using Float8::Float8;
};
struct Float8E5M2FNUZ : Float8<2, 16, Float8Range::UnsignedZero> {
    using Float8::Float8;
};

// A power of two: an exponent and nothing else. All bits set is NaN; there is no zero.
struct Float8E8M0FNU {
    std::uint8_t bits = 0;

    Float8E8M0FNU() = default;
    explicit Float8E8M0FNU(float value) : bits(from_float(value)) {}
    operator float() const { return to_float(bits); }

    // The sign is dropped; infinities are NaN.
    static constexpr std::uint8_t from_float(float value) {
        const auto x = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t exponent = x >> 23 & 0xffU;
        if (exponent == 0xff) return 0xff;
        const std::uint32_t fraction = x & 0x7fffffU;
        const bool rounds_up = fraction > 0x400000U || (fraction == 0x400000U && exponent > 0);
        return static_cast<std::uint8_t>(exponent + (rounds_up ? 1 : 0));
    }
    static constexpr float to_float(std::uint8_t byte) {
        if (byte == 0xff) return std::numeric_limits<float>::quiet_NaN();
        return std::bit_cast<float>(byte == 0 ? 0x400000U : std::uint32_t{byte} << 23);
    }
};

}  // namespace loupe
