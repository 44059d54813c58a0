// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::utils::rnn: sequences of different lengths in one tensor.

#include <optional>
#include <string_view>
#include <tuple>

#include <loupe_torch/functions.h>

namespace torch::nn::utils::rnn {

// data: [sum of lengths, ...], time step by time step; batch_sizes: int64 on the CPU, how many sequences reach each
// step. The indices are undefined for sequences that came sorted by decreasing length.
class PackedSequence {
  public:
    // Without unsorted_indices they are found from sorted_indices. Throws c10::Error for batch_sizes of another device.
    explicit PackedSequence(at::Tensor data, at::Tensor batch_sizes, at::Tensor sorted_indices = {},
                            at::Tensor unsorted_indices = {});

    const at::Tensor& data() const { return data_; }
    const at::Tensor& batch_sizes() const { return batch_sizes_; }
    const at::Tensor& sorted_indices() const { return sorted_indices_; }
    const at::Tensor& unsorted_indices() const { return unsorted_indices_; }
    // The data with another dtype or on another device; the indices follow it to the device.
    PackedSequence to(const c10::TensorOptions& options) const;
    PackedSequence cuda() const { return to(c10::kCUDA); }
    PackedSequence cpu() const { return to(c10::kCPU); }
    bool is_cuda() const { return data_.is_cuda(); }

  private:
    at::Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

// The permutation that undoes another; undefined for an undefined one.
at::Tensor invert_permutation(const at::Tensor& permutation);
// input: [T, B, ...], or [B, T, ...] with batch_first; lengths: [B]. Throws c10::Error for lengths that do not decrease
// unless enforce_sorted is false.
PackedSequence pack_padded_sequence(const at::Tensor& input, const at::Tensor& lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
// The padded tensor, of total_length steps if given, and the lengths.
std::tuple<at::Tensor, at::Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first = false,
                                                       double padding_value = 0.0,
                                                       std::optional<std::int64_t> total_length = std::nullopt);
// padding_side: "right" or "left". Throws c10::Error for another.
at::Tensor pad_sequence(at::TensorList sequences, bool batch_first = false, double padding_value = 0,
                        std::string_view padding_side = "right");
PackedSequence pack_sequence(at::TensorList sequences, bool enforce_sorted = true);

}  // namespace torch::nn::utils::rnn
