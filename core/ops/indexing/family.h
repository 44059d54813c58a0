// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record lists of this family, one per file.

#include <span>

#include "core/dispatch/record.h"

namespace loupe::indexing {

std::span<const OperatorRecord> advanced_records();
std::span<const OperatorRecord> index_dim_records();
std::span<const OperatorRecord> gather_records();
std::span<const OperatorRecord> masked_records();
std::span<const OperatorRecord> take_records();
std::span<const OperatorRecord> search_records();
std::span<const OperatorRecord> index_reduce_records();
std::span<const OperatorRecord> embedding_records();
std::span<const OperatorRecord> embedding_bag_records();

}  // namespace loupe::indexing
