// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/generator.h"

#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace loupe {

void Generator::set_seed(std::uint64_t seed) {
    seed_ = seed;
    spare_normal_.reset();
    words_[0] = static_cast<std::uint32_t>(seed);
    for (std::size_t i = 1; i < kWords; ++i) {
        words_[i] = 1812433253U * (words_[i - 1] ^ (words_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
    }
    next_ = kWords;
}

void Generator::refill() {
    constexpr std::size_t kShift = 397;
    for (std::size_t i = 0; i < kWords; ++i) {
        const std::uint32_t joined = (words_[i] & 0x80000000U) | (words_[(i + 1) % kWords] & 0x7fffffffU);
        const std::uint32_t twist = (joined & 1U) != 0 ? 0x9908b0dfU : 0U;
        words_[i] = words_[(i + kShift) % kWords] ^ (joined >> 1) ^ twist;
    }
    next_ = 0;
}

std::uint32_t Generator::next32() {
    if (next_ == kWords) refill();
    std::uint32_t y = words_[next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

double Generator::normal() {
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

Generator& default_generator() {
    static auto* generator = [] {
        auto* made = new Generator;
        intrusive_ptr_add_ref(made);
        return made;
    }();
    return *generator;
}

Generator& generator_of(const IValue& value) {
    if (value.is_none()) return default_generator();
    if (value.is_other()) {
        if (auto* generator = dynamic_cast<Generator*>(value.object_pointer())) return *generator;
    }
    throw Error(ErrorKind::Run, "Expected a 'Generator' for the argument generator");
}

}  // namespace loupe
