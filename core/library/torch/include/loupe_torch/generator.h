// SPDX-License-Identifier: Apache-2.0
#pragma once
// at::Generator: a source of random numbers.

#include <cstdint>
#include <utility>

#include "core/value/ivalue.h"

namespace at {

class Generator {
  public:
    Generator() = default;
    explicit Generator(loupe::IValue engine) : engine_(std::move(engine)) {}
    bool defined() const { return !engine_.is_none(); }
    void set_current_seed(std::uint64_t seed);
    std::uint64_t current_seed() const;
    const loupe::IValue& engine() const { return engine_; }

  private:
    loupe::IValue engine_;
};

// A generator of its own for the CPU. at::detail::createCPUGenerator.
namespace detail {
Generator createCPUGenerator(std::uint64_t seed = 67280421310721);
}
void manual_seed(std::uint64_t seed);

}  // namespace at

namespace torch {
using Generator = at::Generator;
}  // namespace torch
