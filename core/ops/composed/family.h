// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record lists of this family, one per file.

#include <span>

#include "core/dispatch/record.h"

namespace loupe::composed {

std::span<const OperatorRecord> difference_records();
std::span<const OperatorRecord> statistics_records();
std::span<const OperatorRecord> comparison_records();
std::span<const OperatorRecord> resize_records();
std::span<const OperatorRecord> histogram_records();
std::span<const OperatorRecord> quantile_records();
std::span<const OperatorRecord> segment_records();
std::span<const OperatorRecord> other_name_records();
std::span<const OperatorRecord> older_name_records();
std::span<const OperatorRecord> made_into_records();
std::span<const OperatorRecord> foreach_records();
std::span<const OperatorRecord> gradient_call_records();
std::span<const OperatorRecord> interpolate_records();
std::span<const OperatorRecord> less_known_records();
std::span<const OperatorRecord> autograd_call_records();
std::span<const OperatorRecord> internal_call_records();

}  // namespace loupe::composed
