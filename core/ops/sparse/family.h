// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_SPARSE_RECORDS(FILE) FILE(coordinate_records) FILE(compressed_records)

namespace loupe::sparse_ops {

LOUPE_SPARSE_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::sparse_ops
