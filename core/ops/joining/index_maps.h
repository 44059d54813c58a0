// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies in which each output index along a dimension has its own input index: flips, rolls, mirrored borders,
// index_select. One loop for all of them and all dtypes.

#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe {

// For each index along one dimension of the result, the index along that dimension of the source.
using IndexMap = std::vector<std::int64_t>;

// 0, 1, ..., size - 1.
IndexMap identity_map(std::int64_t size);

// out[i0, i1, ...] = in[maps[0][i0], maps[1][i1], ...]. out: contiguous, of in's dtype; maps[d] has out.size(d)
// entries, all of them valid indices.
void copy_mapped(const Tensor& out, const Tensor& in, std::span<const IndexMap> maps);
// The same with the source's strides multiplied in: out[i0, i1, ...] = from[offsets[0][i0] + offsets[1][i1] + ...],
// offsets in elements, from: the element at offset zero.
void copy_by_offsets(const Tensor& out, const void* from, std::vector<IndexMap> offsets);
// The adjoint: out[maps[0][i0], ...] += in[i0, ...] over all i. out: contiguous, floating or complex, zeroed first.
// The first `independent` maps must be identities; threads share the work along them.
void add_mapped(const Tensor& out, const Tensor& in, std::span<const IndexMap> maps, std::size_t independent);

}  // namespace loupe
