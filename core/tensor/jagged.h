// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nested tensors of the layout torch.jagged: a batch of tensors that differ in the size of one dimension, held as one
// array in which they follow each other along it.

#include "core/tensor/ragged_size.h"
#include "core/tensor/sparse.h"

namespace loupe {

struct SequenceLengths {
    std::optional<std::int64_t> least, most;  // where they are known
};

// Of a tensor of sizes [batch, ..., ragged, ...].
struct JaggedParts final : SparseParts {
    JaggedParts() : SparseParts(TensorForm::Jagged) {}

    Tensor values;   // the sizes without the batch; the ragged dimension holds all sequences. It has the history
    Tensor offsets;  // int64 or int32 [batch + 1]: where each sequence begins
    Tensor lengths;  // [batch]; undefined where each sequence ends at the next one's begin
    std::int64_t ragged = 1;  // the ragged dimension, of the whole tensor
    std::int64_t id = 0;      // j1, j2, ...: the same for tensors with the same offsets (lengths, where there are some)
    std::shared_ptr<SequenceLengths> known;  // shared by tensors that are made of each other

    Tensor elements() const override { return values; }
    std::int64_t batch() const { return offsets.size(0) - 1; }
};

inline bool is_jagged(const Tensor& t) { return has_form(t, TensorForm::Jagged); }
// The tensor must be jagged.
inline const JaggedParts& jagged_parts(const Tensor& t) { return static_cast<const JaggedParts&>(*t.impl()->sparse); }

// Throws Error (Run) when the parts have not the dimensions that they need. What offsets hold is not read.
Tensor make_jagged(const Tensor& values, const Tensor& offsets, const Tensor& lengths, std::int64_t ragged,
                   std::shared_ptr<SequenceLengths> known);
// The same sequences with other values, of which dimension ragged - 1 holds them.
Tensor with_jagged_values(const Tensor& t, const Tensor& values, std::int64_t ragged);
Tensor with_jagged_values(const Tensor& t, const Tensor& values);

}  // namespace loupe
