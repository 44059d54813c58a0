// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks and gradients that the matrix operators share.

#include "core/dispatch/boxing.h"
#include "core/dispatch/gradient_context.h"
#include "core/tensor/tensor.h"

namespace loupe::matrix {

// Throws "expected scalar type Float but found Double" when the dtypes differ, and for dtypes without a product.
void check_product_dtypes(const char* kernel_name, const Tensor& a, const Tensor& b);
void check_matrix(const Tensor& t, const char* name);  // "self must be a matrix"
// alpha * t, t itself for 1; recorded.
Tensor times(const Tensor& t, const Scalar& alpha);
Tensor adjoint(const Tensor& t);    // of a matrix or a batch; conjugated when complex
Tensor conjugate(const Tensor& t);  // t itself when real
Scalar conjugate(const Scalar& s);
// FLOPs of products with `inner` terms an element of the result.
Cost product_cost(double inner, Arguments arguments, std::span<const IValue> results);

}  // namespace loupe::matrix
