// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record lists of this family, one per file.

#include <span>

#include "core/dispatch/record.h"

namespace loupe::linalg {

std::span<const OperatorRecord> lu_records();
std::span<const OperatorRecord> triangular_records();
std::span<const OperatorRecord> solve_records();
std::span<const OperatorRecord> determinant_records();
std::span<const OperatorRecord> cholesky_records();
std::span<const OperatorRecord> ldl_records();
std::span<const OperatorRecord> qr_records();
std::span<const OperatorRecord> svd_records();
std::span<const OperatorRecord> eigen_records();
std::span<const OperatorRecord> least_squares_records();
std::span<const OperatorRecord> pseudo_inverse_records();
std::span<const OperatorRecord> norm_records();
std::span<const OperatorRecord> power_records();
std::span<const OperatorRecord> vector_records();
std::span<const OperatorRecord> distance_records();
std::span<const OperatorRecord> bilinear_records();
std::span<const OperatorRecord> out_form_records();

}  // namespace loupe::linalg
