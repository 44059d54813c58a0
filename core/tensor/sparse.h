// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sparse tensors in coordinate form: torch.sparse_coo. For gradients of embeddings; few operators take them.

#include "core/tensor/tensor.h"

namespace loupe {

struct SparseParts {
    Tensor indices;             // int64 [sparse dimensions, entries]
    Tensor values;              // [entries, sizes of the dense dimensions...]
    bool is_coalesced = false;  // indices in order, each once

    std::int64_t sparse_dim() const { return indices.size(0); }
    std::int64_t dense_dim() const { return values.dim() - 1; }
    std::int64_t entries() const { return indices.size(1); }
};

// Throws Error (Run) with PyTorch's messages when indices, values and sizes do not fit each other.
Tensor make_sparse(const Tensor& indices, const Tensor& values, IntSpan sizes, bool is_coalesced = false);
// Replaces a sparse tensor's parts, for changes in place.
void set_sparse_parts(const Tensor& t, SparseParts parts);

}  // namespace loupe
