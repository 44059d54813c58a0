// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_DISTRIBUTED_RECORDS(FILE) FILE(functional_records)

namespace loupe::distributed_ops {

LOUPE_DISTRIBUTED_RECORDS(LOUPE_DECLARE_RECORDS)

// How operators of other families take DTensors; see sharded.cpp.
void install_sharded_rules();

}  // namespace loupe::distributed_ops
