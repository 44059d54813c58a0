// SPDX-License-Identifier: Apache-2.0
#pragma once
// When PyTorch runs attention and encoder layers as one fused operator. Here it matters for nested tensors alone, which
// have no other way: other tensors take the operators one by one, which give the same numbers and are seen.

#include "core/nn/layers/support.h"

namespace loupe::nn::layers {

// Each empty, or why not, in PyTorch's words.
std::string why_not_fast_attention(const Module& self, const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& padding, const Tensor& mask);
std::string why_not_fast_encoder_layer(const Module& self, const Tensor& src, const Tensor& mask,
                                       const Tensor& padding);
// Of an encoder's layers: whether TransformerEncoder may leave padding out.
std::string why_not_nested_layers(const Module& layer);
std::string why_not_nested_encoder(const Module& self, const Tensor& src, const Tensor& mask, const Tensor& padding);

// The fused operator with the layer's parameters.
Tensor run_fast_encoder_layer(const Module& self, const Tensor& src);

}  // namespace loupe::nn::layers
