// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/packed_sequence.h>

#include <utility>

#include "core/library/torch/packed_value.h"

using namespace loupe::torch_api;

namespace torch::nn::utils::rnn {

at::Tensor invert_permutation(const at::Tensor& permutation) {
    if (!permutation.defined()) return {};
    const at::Tensor places = at::arange(permutation.numel(), permutation.options());
    return at::empty_like(permutation).scatter_(0, permutation, places);
}

PackedSequence::PackedSequence(at::Tensor data, at::Tensor batch_sizes, at::Tensor sorted_indices,
                               at::Tensor unsorted_indices)
    : data_(std::move(data)),
      batch_sizes_(std::move(batch_sizes)),
      sorted_indices_(std::move(sorted_indices)),
      unsorted_indices_(unsorted_indices.defined() ? std::move(unsorted_indices)
                                                   : invert_permutation(sorted_indices_)) {
    TORCH_CHECK(batch_sizes_.device().is_cpu(), "batch_sizes should always be on CPU");
}

PackedSequence PackedSequence::to(const c10::TensorOptions& options) const {
    const at::Tensor data = data_.to(options);
    if (data.is_same(data_)) return *this;
    const auto follow = [&](const at::Tensor& indices) {
        return indices.defined() ? indices.to(data.device(), indices.scalar_type()) : indices;
    };
    return PackedSequence(data, batch_sizes_, follow(sorted_indices_), follow(unsorted_indices_));
}

PackedSequence pack_padded_sequence(const at::Tensor& input, const at::Tensor& lengths, bool batch_first,
                                    bool enforce_sorted) {
    return translated([&] {
        return torch_packed(
            loupe::nn::pack_padded_sequence(input.engine(), lengths.engine(), batch_first, enforce_sorted));
    });
}

std::tuple<at::Tensor, at::Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first,
                                                       double padding_value, std::optional<std::int64_t> total_length) {
    return translated([&]() -> std::tuple<at::Tensor, at::Tensor> {
        auto [padded, lengths] =
            loupe::nn::pad_packed_sequence(engine_packed(sequence), batch_first, padding_value, total_length);
        return {at::Tensor(std::move(padded)), at::Tensor(std::move(lengths))};
    });
}

at::Tensor pad_sequence(at::TensorList sequences, bool batch_first, double padding_value,
                        std::string_view padding_side) {
    return at::pad_sequence(sequences, batch_first, padding_value, padding_side);
}

PackedSequence pack_sequence(at::TensorList sequences, bool enforce_sorted) {
    return translated([&] {
        loupe::TensorList list;
        for (const at::Tensor& each : sequences) list.push_back(each.engine());
        return torch_packed(loupe::nn::pack_sequence(list, enforce_sorted));
    });
}

}  // namespace torch::nn::utils::rnn
