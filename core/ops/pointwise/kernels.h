// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loops of the pointwise operators, by operator and compute type, for the best instruction set that the
// machine has. Null when an operator does not take the type.

#include "core/kernels/elementwise.h"
#include "core/ops/pointwise/operations.h"

namespace loupe {

// params of each: an array of Scalar.
ElementwiseKernel unary_kernel(UnaryOp op, ScalarType as);
// Kernels without vector forms; unary_kernel looks them up too.
ElementwiseKernel scalar_unary_kernel(UnaryOp op, ScalarType as);
// Input of the complex type `as`, output of its real type.
ElementwiseKernel complex_part_kernel(ComplexPartOp op, ScalarType as);
ElementwiseKernel test_kernel(TestOp op, ScalarType as);
ElementwiseKernel activation_kernel(ActivationOp op, ScalarType as);
ElementwiseKernel binary_kernel(BinaryOp op, ScalarType as);
ElementwiseKernel compare_kernel(CompareOp op, ScalarType as);
ElementwiseKernel ternary_kernel(TernaryOp op, ScalarType as);
// out = condition ? a : b; condition of type bool, the others of any one dtype.
ElementwiseKernel where_kernel(ScalarType dtype);

}  // namespace loupe
