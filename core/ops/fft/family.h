// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the family, one array a file.

#include "core/dispatch/record.h"

namespace loupe::fft {

std::span<const OperatorRecord> primitive_records();
std::span<const OperatorRecord> transform_records();
std::span<const OperatorRecord> frequency_records();
std::span<const OperatorRecord> window_records();
std::span<const OperatorRecord> short_time_records();

}  // namespace loupe::fft
