// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/generator.h"

#include <algorithm>
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

void Generator::fill(std::span<std::uint32_t> to) {
    while (!to.empty()) {
        if (next_ == kWords) refill();
        const std::size_t count = std::min(to.size(), kWords - next_);
        std::transform(words_.data() + next_, words_.data() + next_ + count, to.data(), tempered);
        next_ += count;
        to = to.subspan(count);
    }
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

namespace {

thread_local Generator* generator_of_thread = nullptr;

}  // namespace

DefaultGeneratorScope::DefaultGeneratorScope(Ptr<Generator> generator)
    : generator_(std::move(generator)),
      scope_(generator_of_thread, generator_ ? generator_.get() : generator_of_thread) {}

Generator& default_generator() {
    if (generator_of_thread != nullptr) return *generator_of_thread;
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
