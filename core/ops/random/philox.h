// SPDX-License-Identifier: Apache-2.0
#pragma once
// A generator for devices: each number is a function of the seed and its place, so that any number of threads draw at
// once. Seed and offset count as those of PyTorch's generator for CUDA.

#include <array>

#include "core/ops/random/generator.h"

namespace loupe {

// Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class Philox final : public Generator {
  public:
    explicit Philox(Device device, std::uint64_t seed = kDefaultSeed) : device_(device), state_{seed, 0} {}

    Device device() const override { return device_; }
    void set_seed(std::uint64_t seed) override;
    std::uint64_t seed() const override { return state_.seed; }
    std::uint64_t draw_seed() override;
    GeneratorState state() const override { return state_; }
    void set_state(const GeneratorState& state) override;

    // For a kernel of which each thread draws up to so many numbers: where they begin. The next kernel's begin behind
    // them. Offsets are multiples of four.
    PhiloxState take(std::uint64_t numbers);
    // Four numbers of a thread: those at `offset`, a multiple of four.
    static std::array<std::uint32_t, 4> at(const PhiloxState& state, std::uint64_t thread);

  private:
    Device device_;
    PhiloxState state_;
};

}  // namespace loupe
