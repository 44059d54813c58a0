// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "core/dispatch/record.h"

namespace loupe {

// Generator of samples; the same draws for the same seed.
class Random {
  public:
    explicit Random(std::uint32_t seed = 20220531) : engine_(seed) {}
    std::mt19937& engine() { return engine_; }

  private:
    std::mt19937 engine_;
};

}  // namespace loupe
