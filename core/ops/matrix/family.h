// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_MATRIX_RECORDS(FILE) \
    FILE(product_records)          \
    FILE(vector_records)           \
    FILE(matmul_records)           \
    FILE(einsum_records)           \
    FILE(scaled_product_records)   \
    FILE(linear_activation_records)

namespace loupe::matrix {

LOUPE_MATRIX_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::matrix
