// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reductions that have a kernel. Includes nothing of the engine: kernels of devices name them too.

#include <cstdint>

namespace loupe {

enum class ReduceOp : std::uint8_t {
    Sum,
    Mean,
    NanSum,
    Prod,
    Max,
    Min,  // values; NaN wins
    ArgMax,
    ArgMin,  // value and index of the first; NaN wins
    Any,
    All,
    CountNonzero,
    Var,
    Std,          // and mean; params: correction
    ExclusiveOr,  // of the elements' bits
};
// Other: params: p.
enum class NormOrder : std::uint8_t { Zero, One, Two, Infinity, MinusInfinity, Other };

}  // namespace loupe
