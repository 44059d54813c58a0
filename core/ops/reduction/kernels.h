// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reductions, by operator and compute type.

#include "core/kernels/reduce.h"
#include "core/ops/reduction/operations.h"

namespace loupe {

// Null when the operator does not take the type. params of run_reduction: an array of double.
const Reduction* reduction_kernel(ReduceOp op, ScalarType as);
const Reduction* extremum_kernel(ReduceOp op, ScalarType as);  // Max, Min, ArgMax, ArgMin
const Reduction* moments_kernel(ReduceOp op, ScalarType as);   // Var, Std
const Reduction* hash_kernel(ScalarType as);                   // ExclusiveOr; of float64 or int64
// Results are real.
const Reduction* norm_kernel(NormOrder order, ScalarType as);

}  // namespace loupe
