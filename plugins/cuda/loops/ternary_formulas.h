// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of three numbers. Includes nothing of the engine.

#include "plugins/cuda/loops/formula.h"

namespace loupe::cuda::ternary {

// From the nearer end, so that weight 1 gives b exactly.
template <typename T>
LOUPE_HD T lerp(T a, T b, T w) {
    return std::abs(w) < T(0.5) ? multiply_add(w, b - a, a) : multiply_add(a - b, T(1) - w, b);
}
// NaN in any of the three gives NaN; the upper bound wins where the bounds cross.
template <typename T>
LOUPE_HD T clamp(T x, T low, T high) {
    if (x != x) return x;
    if (low != low) return low;
    if (high != high) return high;
    const T raised = x < low ? low : x;
    return high < raised ? high : raised;
}

LOUPE_TERNARY(Addcmul, multiply_add(n.get<T>(0) * b, c, a))
LOUPE_TERNARY(Addcdiv, a + n.get<T>(0) * b / c)
LOUPE_TERNARY(Lerp, lerp(a, b, c))
LOUPE_TERNARY(Clamp, clamp(a, b, c))

}  // namespace loupe::cuda::ternary
