// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators on tensors that are no plain arrays, and what the records of other operators say of such arguments:
//
//     .sparse = {.run = on_sparse::values}

#include "core/dispatch/record.h"
#include "core/ops/sparse/coalesce.h"
#include "core/tensor/sparse.h"

namespace loupe {

// The same elements in a dense tensor.
Tensor to_dense(const Tensor& t);

// The elements of a dense tensor at the indices of a sparse one; torch.Tensor.sparse_mask.
Tensor elements_at(const Tensor& t, const Tensor& mask);

// SparseForm::run. Each throws Error with PyTorch's message where it takes no such arguments.
namespace on_sparse {
// The operator on the values alone: -x, x.to(dtype).
void values(const Operator& op, Arguments arguments, IValue* results);
// The same where values of equal indices must be added before: sqrt, pow. Not in place.
void coalesced_values(const Operator& op, Arguments arguments, IValue* results);
void add(const Operator& op, Arguments arguments, IValue* results);
void sub(const Operator& op, Arguments arguments, IValue* results);
// mul and div by a number, or by a tensor of one element.
void scale(const Operator& op, Arguments arguments, IValue* results);
// A reduction to one element, to which zeros add nothing.
void norm(const Operator& op, Arguments arguments, IValue* results);
void copy(const Operator& op, Arguments arguments, IValue* results);
void clone(const Operator& op, Arguments arguments, IValue* results);
void same(const Operator& op, Arguments arguments, IValue* results);    // another tensor with the same parts
void itself(const Operator& op, Arguments arguments, IValue* results);  // the first argument
void empty_like(const Operator& op, Arguments arguments, IValue* results);
void zero(const Operator& op, Arguments arguments, IValue* results);
// Transposes and products with matrices: compressed sparse tensors only.
void mm(const Operator& op, Arguments arguments, IValue* results);
void mv(const Operator& op, Arguments arguments, IValue* results);
void addmm(const Operator& op, Arguments arguments, IValue* results);
void linear(const Operator& op, Arguments arguments, IValue* results);
void embedding(const Operator& op, Arguments arguments, IValue* results);  // of packed weights only
void transpose(const Operator& op, Arguments arguments, IValue* results);
void t(const Operator& op, Arguments arguments, IValue* results);
// Of (self, dim, which): select, slice, index_select. Packed weights have them along their rows.
void rows(const Operator& op, Arguments arguments, IValue* results);
}  // namespace on_sparse

}  // namespace loupe
