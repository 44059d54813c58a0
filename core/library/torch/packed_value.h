// SPDX-License-Identifier: Apache-2.0
#pragma once
// LibTorch's PackedSequence and the engine's.

#include "core/library/torch/call.h"
#include "core/nn/utils/packed_sequence.h"

#include <loupe_torch/packed_sequence.h>

namespace loupe::torch_api {

inline nn::PackedSequence engine_packed(const torch::nn::utils::rnn::PackedSequence& packed) {
    return {packed.data().engine(), packed.batch_sizes().engine(), packed.sorted_indices().engine(),
            packed.unsorted_indices().engine()};
}
inline torch::nn::utils::rnn::PackedSequence torch_packed(const nn::PackedSequence& packed) {
    return torch::nn::utils::rnn::PackedSequence(at::Tensor(packed.data), at::Tensor(packed.batch_sizes),
                                                 at::Tensor(packed.sorted_indices),
                                                 at::Tensor(packed.unsorted_indices));
}

}  // namespace loupe::torch_api
