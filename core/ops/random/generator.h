// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random numbers as PyTorch's CPU generator gives them for a seed (torch.Generator, torch.manual_seed).

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/ref_counted.h"
#include "core/base/scoped_value.h"
#include "core/value/ivalue.h"

namespace loupe {

// Mersenne twister MT19937 (Matsumoto, Nishimura 1998), and the second half of the last pair of normal numbers.
class Generator final : public RefCounted {
  public:
    static constexpr std::uint64_t kDefaultSeed = 67280421310721;

    explicit Generator(std::uint64_t seed = kDefaultSeed) { set_seed(seed); }

    void set_seed(std::uint64_t seed);
    std::uint64_t seed() const { return seed_; }

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

    // The complete state.
    static constexpr std::size_t kWords = 624;
    struct State {
        std::array<std::uint32_t, kWords> words{};
        std::size_t next = kWords;
        std::uint64_t seed = 0;
        std::optional<double> spare_normal;
    };
    State state() const { return {words_, next_, seed_, spare_normal_}; }
    void set_state(const State& state) {
        words_ = state.words;
        next_ = state.next;
        seed_ = state.seed;
        spare_normal_ = state.spare_normal;
    }

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

// torch.default_generator: of the process, or this thread's replacement.
Generator& default_generator();

// Sets this thread's default generator, for workers that prepare data. Null: the process's.
class DefaultGeneratorScope {
  public:
    explicit DefaultGeneratorScope(Ptr<Generator> generator);

  private:
    Ptr<Generator> generator_;
    ScopedValue<Generator*> scope_;
};
// The generator that an operator was given; the default one for None. Throws Error (Run) for anything else.
Generator& generator_of(const IValue& value);

}  // namespace loupe
