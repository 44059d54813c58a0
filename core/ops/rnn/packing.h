// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the rows of packed sequences stand in a padded batch. Lengths are read on the host, the rows stay where they
// are.

#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::rnn {

// Row i of the packed data is row places[i] of the padded batch, whose first two dimensions are counted as one.
struct PackedRows {
    std::vector<std::int64_t> places;
    std::vector<std::int64_t> batch_sizes;  // how many sequences each step has
    Dims data;                              // sizes of the packed data
    Dims padded;                            // and of the padded batch
};
// All throw Error (Run) in PyTorch's words for lengths that do not fit.
PackedRows rows_to_pack(const Tensor& input, const Tensor& lengths, bool batch_first);
// Of a padded batch of these sizes.
PackedRows rows_to_unpack(const Tensor& data, const Dims& padded, const Tensor& batch_sizes, bool batch_first);
// total_length 0: as long as the longest.
PackedRows rows_to_pad(const Tensor& data, const Tensor& batch_sizes, bool batch_first, std::int64_t total_length);
// How long each sequence is, on the host: what batch_sizes say.
Tensor lengths_of(const std::vector<std::int64_t>& batch_sizes);

}  // namespace loupe::rnn
