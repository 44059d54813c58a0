// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rules for jagged tensors share; see rules.cpp.

#include "core/ops/nested/call.h"

namespace loupe::nested_ops {

// Do the sizes up to the ragged dimension agree?
bool same_raggedness(const Tensor& a, IntSpan sizes);
// Views of the values, one a sequence.
TensorList components(const Tensor& t);
// The sequences of new offsets.
Tensor jagged_of(const TensorList& components, std::int64_t ragged);

// Element by element, of nested tensors of the same sequences and dense ones that are broadcast.
void pointwise_on_jagged(const Call& call, IValue* results);

void add_jagged_rules(RuleTable& table);
void add_jagged_broadcast_rules(RuleTable& table);

}  // namespace loupe::nested_ops
