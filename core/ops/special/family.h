// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the family, one array a file.

#include "core/dispatch/record.h"

namespace loupe::special {

std::span<const OperatorRecord> unary_records();
std::span<const OperatorRecord> pair_records();
std::span<const OperatorRecord> polynomial_records();
std::span<const OperatorRecord> alias_records();

}  // namespace loupe::special
