// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_FFT_RECORDS(FILE) \
    FILE(primitive_records)     \
    FILE(transform_records)     \
    FILE(frequency_records)     \
    FILE(window_records)        \
    FILE(short_time_records)

namespace loupe::fft {

LOUPE_FFT_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::fft
