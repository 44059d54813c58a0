// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loops of special functions, by function and compute type: float32 or float64, null for others.

#include "core/kernels/elementwise.h"
#include "core/ops/special/operations.h"

namespace loupe {

ElementwiseKernel special_kernel(SpecialOp op, ScalarType as);
ElementwiseKernel special_pair_kernel(SpecialPairOp op, ScalarType as);
ElementwiseKernel special_triple_kernel(SpecialTripleOp op, ScalarType as);
ElementwiseKernel polynomial_kernel(PolynomialOp op, ScalarType as);  // of x and the degree, as an element

}  // namespace loupe
