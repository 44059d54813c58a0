// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/mersenne_twister.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace loupe {

void MersenneTwister::set_seed(std::uint64_t seed) {
    seed_ = seed;
    spare_normal_.reset();
    words_[0] = static_cast<std::uint32_t>(seed);
    for (std::size_t i = 1; i < kWords; ++i) {
        words_[i] = 1812433253U * (words_[i - 1] ^ (words_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
    }
    next_ = kWords;
}

void MersenneTwister::refill() {
    constexpr std::size_t kShift = 397;
    std::uint32_t* w = words_.data();
    const auto twisted = [w](std::size_t i, std::size_t next, std::size_t other) {
        const std::uint32_t joined = (w[i] & 0x80000000U) | (w[next] & 0x7fffffffU);
        return w[other] ^ (joined >> 1) ^ (-(joined & 1U) & 0x9908b0dfU);
    };
    // In runs without a modulus, that vectors fit.
    for (std::size_t i = 0; i < kWords - kShift; ++i) w[i] = twisted(i, i + 1, i + kShift);
    for (std::size_t i = kWords - kShift; i + 1 < kWords; ++i) w[i] = twisted(i, i + 1, i + kShift - kWords);
    w[kWords - 1] = twisted(kWords - 1, 0, kShift - 1);
    next_ = 0;
}

void MersenneTwister::fill(std::span<std::uint32_t> to) {
    while (!to.empty()) {
        if (next_ == kWords) refill();
        const std::size_t count = std::min(to.size(), kWords - next_);
        std::transform(words_.data() + next_, words_.data() + next_ + count, to.data(), tempered);
        next_ += count;
        to = to.subspan(count);
    }
}

double MersenneTwister::normal() {
    if (spare_normal_) {
        const double value = *spare_normal_;
        spare_normal_.reset();
        return value;
    }
    const double u1 = uniform_double();
    const double u2 = uniform_double();
    const double radius = std::sqrt(-2 * std::log1p(-u2));
    const double angle = 2 * std::numbers::pi * u1;
    spare_normal_ = radius * std::sin(angle);
    return radius * std::cos(angle);
}

GeneratorState MersenneTwister::state() const { return TwisterState{words_, next_, seed_, spare_normal_}; }

void MersenneTwister::set_state(const GeneratorState& given) {
    const auto* const state = std::get_if<TwisterState>(&given);
    if (state == nullptr) throw Error(ErrorKind::Run, "the state is of another kind of generator than a CPU's");
    words_ = state->words;
    next_ = state->next;
    seed_ = state->seed;
    spare_normal_ = state->spare_normal;
}

}  // namespace loupe
