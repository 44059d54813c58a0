// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record lists of this family, one per file.

#include <span>

#include "core/dispatch/record.h"

namespace loupe::sorting {

std::span<const OperatorRecord> sort_records();
std::span<const OperatorRecord> selection_records();
std::span<const OperatorRecord> unique_records();

}  // namespace loupe::sorting
