// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two 16-bit floating-point types, as storage with conversion to and from float (round to nearest even), and the
// complex number of two halves.

#include <bit>
#include <complex>
#include <cstdint>

namespace loupe {

// IEEE 754 binary16.
struct Half {
    std::uint16_t bits = 0;

    Half() = default;
    explicit Half(float value) : bits(from_float(value)) {}
    operator float() const { return to_float(bits); }

    static std::uint16_t from_float(float value) {
        const auto x = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t sign = (x >> 16) & 0x8000u;
        std::uint32_t magnitude = x & 0x7fffffffu;
        if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
        if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
        if (magnitude < 0x38800000u) {
            // Subnormal: adding 0.5 in units of the last place lets the FPU round.
            const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(0x3f000000u);
            return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
        }
        magnitude += 0xc8000fffu + ((magnitude >> 13) & 1u);
        return static_cast<std::uint16_t>(sign | (magnitude >> 13));
    }

    static float to_float(std::uint16_t h) {
        const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
        const std::uint32_t rest = h & 0x7fffu;
        std::uint32_t bits32 = 0;
        if (rest >= 0x7c00u) {
            bits32 = 0x7f800000u | ((rest & 0x3ffu) << 13);
        } else if (rest >= 0x400u) {
            bits32 = (rest << 13) + 0x38000000u;
        } else {
            bits32 = std::bit_cast<std::uint32_t>(static_cast<float>(rest) * 0x1p-24f);
        }
        return std::bit_cast<float>(sign | bits32);
    }
};

// The upper half of a binary32.
struct BFloat16 {
    std::uint16_t bits = 0;

    BFloat16() = default;
    explicit BFloat16(float value) : bits(from_float(value)) {}
    operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

    static std::uint16_t from_float(float value) {
        const auto x = std::bit_cast<std::uint32_t>(value);
        if ((x & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
        return static_cast<std::uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
    }
};

// torch.complex32: computed with as complex<float>.
struct ComplexHalf {
    using value_type = Half;

    ComplexHalf() = default;
    explicit ComplexHalf(Half re, Half im = Half()) : real_(re), imag_(im) {}
    template <typename Real>
    explicit ComplexHalf(const std::complex<Real>& value)
        : real_(static_cast<float>(value.real())), imag_(static_cast<float>(value.imag())) {}
    operator std::complex<float>() const { return {real_, imag_}; }

    Half real() const { return real_; }
    Half imag() const { return imag_; }
    friend bool operator==(ComplexHalf a, ComplexHalf b) { return std::complex<float>(a) == std::complex<float>(b); }

  private:
    Half real_;
    Half imag_;
};

}  // namespace loupe
