// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sequences of different lengths in one tensor: torch.nn.utils.rnn.

#include <optional>
#include <string_view>
#include <utility>

#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe::nn {

// As a value it is the named tuple torch.nn.utils.rnn.PackedSequence.
struct PackedSequence {
    Tensor data;            // [sum of lengths, ...], time step by time step
    Tensor batch_sizes;     // int64 on the CPU: how many sequences reach each step
    Tensor sorted_indices;  // by decreasing length; undefined when they came sorted
    Tensor unsorted_indices;

    IValue to_value() const;
};
bool is_packed_sequence(const IValue& value);
// Throws Error (Run) for another value.
PackedSequence packed_sequence_of(const IValue& value);

// input: [T, B, ...], or [B, T, ...] with batch_first; lengths: one per sequence. Throws Error (Run) when they are not
// sorted and enforce_sorted is set.
PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
// The padded tensor and the lengths, in the order before sorting.
std::pair<Tensor, Tensor> pad_packed_sequence(const PackedSequence& packed, bool batch_first = false,
                                              const Scalar& padding_value = 0.0,
                                              std::optional<std::int64_t> total_length = {});
// padding_side: "right" or "left".
Tensor pad_sequence(const TensorList& sequences, bool batch_first = false, double padding_value = 0,
                    std::string_view padding_side = "right");
TensorList unpad_sequence(const Tensor& padded, const Tensor& lengths, bool batch_first = false);
PackedSequence pack_sequence(const TensorList& sequences, bool enforce_sorted = true);
TensorList unpack_sequence(const PackedSequence& packed);

}  // namespace loupe::nn
