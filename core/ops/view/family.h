// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record lists of this family, one per file.

#include <span>

#include "core/dispatch/record.h"

namespace loupe::views {

std::span<const OperatorRecord> reshape_records();
std::span<const OperatorRecord> dimension_records();
std::span<const OperatorRecord> expand_records();
std::span<const OperatorRecord> slice_records();
std::span<const OperatorRecord> diagonal_records();
std::span<const OperatorRecord> strided_records();
std::span<const OperatorRecord> split_records();
std::span<const OperatorRecord> detach_records();
std::span<const OperatorRecord> scatter_view_records();
std::span<const OperatorRecord> view_copy_records();

}  // namespace loupe::views
