// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

namespace loupe {

// Without what follows the point. NaN and what 64 bits do not hold become the least number, as on x86-64, and so in
// PyTorch; C++ leaves the conversion of these undefined.
constexpr std::int64_t truncated(double value) {
    const bool fits = value >= -0x1p63 && value < 0x1p63;
    return fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::min();
}

}  // namespace loupe
