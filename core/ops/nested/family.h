// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_NESTED_RECORDS(FILE) \
    FILE(jagged_records)           \
    FILE(strided_records)

namespace loupe::nested_ops {

LOUPE_NESTED_RECORDS(LOUPE_DECLARE_RECORDS)

// How operators of other families take nested tensors; see runner.cpp.
void install_rules();

}  // namespace loupe::nested_ops
