// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nested tensors of the layout torch.jagged: a batch of tensors that differ in the size of one dimension, held as one
// array in which they follow each other along it.

#include "core/tensor/sparse.h"

namespace loupe {

// The ragged dimension's size, which differs from sequence to sequence, is a number below all sizes that stands for j1,
// j2, ...
constexpr std::int64_t kFirstRagged = -(std::int64_t{1} << 62);
constexpr std::int64_t ragged_size(std::int64_t id) { return kFirstRagged + id; }
constexpr bool is_ragged_size(std::int64_t size) { return size < kFirstRagged / 2; }
std::string size_text(std::int64_t size);  // "j1", "8"

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

    std::int64_t batch() const { return offsets.size(0) - 1; }
};

inline bool is_jagged(const Tensor& t) { return has_form(t, TensorForm::Jagged); }
// The tensor must be jagged.
inline const JaggedParts& jagged_parts(const Tensor& t) { return static_cast<const JaggedParts&>(*t.impl()->sparse); }
// The values of a jagged tensor; another one, and an undefined one, itself.
Tensor jagged_values_or_itself(const Tensor& t);

// Throws Error (Run) when the parts have not the dimensions that they need. What offsets hold is not read.
Tensor make_jagged(const Tensor& values, const Tensor& offsets, const Tensor& lengths, std::int64_t ragged,
                   std::shared_ptr<SequenceLengths> known);
// The same sequences with other values, of which dimension ragged - 1 holds them.
Tensor with_jagged_values(const Tensor& t, const Tensor& values, std::int64_t ragged);
Tensor with_jagged_values(const Tensor& t, const Tensor& values);

// Begin and length of each sequence, read from offsets and lengths.
struct Sequence {
    std::int64_t start, length;
};
// Throws Error (Run) unless all lie in the values.
std::vector<Sequence> sequences_of(const Tensor& offsets, const Tensor& lengths, std::int64_t total);
std::vector<Sequence> sequences_of(const Tensor& t);
// The greatest length, kept once computed.
std::int64_t longest_sequence(const Tensor& t);

}  // namespace loupe
