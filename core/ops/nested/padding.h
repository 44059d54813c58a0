// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between jagged values and arrays in which each sequence is filled up to one length.

#include "core/tensor/jagged.h"

namespace loupe {

// Begin and length of each sequence, read from offsets and lengths.
struct Sequence {
    std::int64_t start, length;
};
// Throws Error (Run) unless all lie in the values.
std::vector<Sequence> sequences_of(const Tensor& offsets, const Tensor& lengths, std::int64_t total);
std::vector<Sequence> sequences_of(const Tensor& t);
// The greatest length, kept once computed.
std::int64_t longest_sequence(const Tensor& t);

// values: [total, ...]. Returns [batch, most, ...], zeros of a sequence's end and what is beyond `most` left out.
Tensor padded_rows(const Tensor& values, const std::vector<Sequence>& sequences, std::int64_t most, double padding);
// padded: [batch, most, ...]. Returns [total, ...]; rows beyond `most`, and those of no sequence, are zero.
Tensor unpadded_rows(const Tensor& padded, const std::vector<Sequence>& sequences, std::int64_t total);
// dim: of values. The same tensor with that dimension first, or first to there.
Tensor ragged_first(const Tensor& values, std::int64_t dim);
// For each of `total` rows its sequence: int64 [total].
Tensor sequence_of_rows(const std::vector<Sequence>& sequences, std::int64_t total);
// All of a jagged tensor; most: as long as the longest sequence where not given.
Tensor to_padded(const Tensor& t, double padding, std::optional<std::int64_t> most = std::nullopt);

}  // namespace loupe
