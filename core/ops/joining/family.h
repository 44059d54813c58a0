// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record lists of this family, one per file.

#include <span>

#include "core/dispatch/record.h"

namespace loupe::joining {

std::span<const OperatorRecord> cat_records();
std::span<const OperatorRecord> stack_records();
std::span<const OperatorRecord> repeat_records();
std::span<const OperatorRecord> flip_records();
std::span<const OperatorRecord> constant_pad_records();
std::span<const OperatorRecord> mirror_pad_records();
std::span<const OperatorRecord> pad_records();
std::span<const OperatorRecord> grid_records();
std::span<const OperatorRecord> shuffle_records();

}  // namespace loupe::joining
