// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reductions, by operator and compute type.

#include "core/kernels/reduce.h"

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
    Std,  // and mean; params: correction
};
// Other: params: p.
enum class NormOrder : std::uint8_t { Zero, One, Two, Infinity, MinusInfinity, Other };

// Null when the operator does not take the type. params of run_reduction: an array of double.
const Reduction* reduction_kernel(ReduceOp op, ScalarType as);
const Reduction* extremum_kernel(ReduceOp op, ScalarType as);  // Max, Min, ArgMax, ArgMin
const Reduction* moments_kernel(ReduceOp op, ScalarType as);   // Var, Std
// Results are real.
const Reduction* norm_kernel(NormOrder order, ScalarType as);

}  // namespace loupe
