// SPDX-License-Identifier: Apache-2.0
#pragma once
// The CPU's generator: random numbers as PyTorch's gives them for a seed.

#include <array>
#include <optional>
#include <span>

#include "core/ops/random/generator.h"

namespace loupe {

// Mersenne twister MT19937 (Matsumoto, Nishimura 1998), and the second half of the last pair of normal numbers.
class MersenneTwister final : public Generator {
  public:
    explicit MersenneTwister(std::uint64_t seed = kDefaultSeed) { set_seed(seed); }

    Device device() const override { return {}; }
    void set_seed(std::uint64_t seed) override;
    std::uint64_t seed() const override { return seed_; }
    std::uint64_t draw_seed() override { return next64(); }

    std::uint32_t next32() {
        if (next_ == kWords) refill();
        return tempered(words_[next_++]);
    }
    // As next32() for each, faster.
    void fill(std::span<std::uint32_t> to);
    std::uint64_t next64() {
        const std::uint64_t high = next32();
        return high << 32 | next32();
    }
    // In [0, 1): 53 and 24 random bits.
    double uniform_double() { return static_cast<double>(next64() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53; }
    float uniform_float() { return static_cast<float>(next32() & ((1U << 24) - 1)) * 0x1p-24F; }
    // Standard normal, by Box and Muller (1958).
    double normal();

    static constexpr std::size_t kWords = TwisterState::kWords;
    GeneratorState state() const override;
    void set_state(const GeneratorState& state) override;

  private:
    void refill();
    static std::uint32_t tempered(std::uint32_t y) {
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680U;
        y ^= (y << 15) & 0xefc60000U;
        return y ^ (y >> 18);
    }

    std::array<std::uint32_t, kWords> words_{};
    std::size_t next_ = kWords;
    std::uint64_t seed_ = 0;
    std::optional<double> spare_normal_;
};

}  // namespace loupe
