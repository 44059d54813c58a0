// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two directions in which rows differ most (principal component analysis), and groups of rows that lie together.

#include <array>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::session {

struct PrincipalAxes {
    Tensor scores;                  // [rows, 2]: of the rows less their mean
    Tensor components;              // [2, width], orthonormal
    std::array<double, 2> share{};  // of the variance
};

// rows: [rows, width], float64, at least two rows. Each component's element of the greatest magnitude is positive, as
// sklearn.utils.extmath.svd_flip(u_based_decision=False). Throws Error (Run) for NaN and Inf.
PrincipalAxes principal_axes(const Tensor& rows);

// k-means (Lloyd), begun with rows far from each other: a group for each row, 0 first.
std::vector<int> groups_of(const Tensor& rows, int count);

}  // namespace loupe::session
