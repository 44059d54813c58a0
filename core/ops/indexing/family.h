// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_INDEXING_RECORDS(FILE) \
    FILE(advanced_records)           \
    FILE(index_dim_records)          \
    FILE(gather_records)             \
    FILE(masked_records)             \
    FILE(take_records)               \
    FILE(search_records)             \
    FILE(index_reduce_records)       \
    FILE(embedding_records)          \
    FILE(embedding_bag_records)

namespace loupe::indexing {

LOUPE_INDEXING_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::indexing
