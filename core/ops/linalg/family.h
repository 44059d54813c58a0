// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_LINALG_RECORDS(FILE) \
    FILE(lu_records)               \
    FILE(triangular_records)       \
    FILE(solve_records)            \
    FILE(determinant_records)      \
    FILE(cholesky_records)         \
    FILE(ldl_records)              \
    FILE(qr_records)               \
    FILE(svd_records)              \
    FILE(eigen_records)            \
    FILE(least_squares_records)    \
    FILE(pseudo_inverse_records)   \
    FILE(polar_records)            \
    FILE(norm_records)             \
    FILE(power_records)            \
    FILE(vector_records)           \
    FILE(distance_records)         \
    FILE(bilinear_records)         \
    FILE(out_form_records)

namespace loupe::linalg {

LOUPE_LINALG_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::linalg
