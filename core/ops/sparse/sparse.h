// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators on sparse tensors; dense operators dispatch here when an argument is sparse.

#include "core/dispatch/registry.h"
#include "core/tensor/sparse.h"

namespace loupe {

// Indices in order, each once, values of the same indices added; torch.Tensor.coalesce.
Tensor coalesced(const Tensor& t);
// The same elements in a dense tensor.
Tensor to_dense(const Tensor& t);

// The elements of a dense tensor at the indices of a sparse one; torch.Tensor.sparse_mask.
Tensor elements_at(const Tensor& t, const Tensor& mask);

// Does the operator read metadata only, or was it written for sparse tensors? Then it runs unchanged.
bool takes_sparse(const Operator& op);
// Runs an operator of which an argument is sparse. Throws Error (Unsupported) with PyTorch's message for most of them.
void call_on_sparse(const Operator& op, std::span<const IValue> arguments, IValue* results);

}  // namespace loupe
