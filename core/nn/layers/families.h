// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of torch.nn, a family a file.

#include <span>

#include "core/nn/layer.h"

namespace loupe::nn {

using LayerFamily = std::span<const LayerRecord>;
std::span<const LayerFamily> layer_families();

namespace layers {
LayerFamily activation_layers();
LayerFamily adaptive_layers();
LayerFamily attention_layers();
LayerFamily container_layers();
LayerFamily convolution_layers();
LayerFamily distance_layers();
LayerFamily dropout_layers();
LayerFamily embedding_layers();
LayerFamily lazy_layers();
LayerFamily linear_layers();
LayerFamily loss_layers();
LayerFamily normalization_layers();
LayerFamily padding_layers();
LayerFamily parametrization_layers();
LayerFamily pooling_layers();
LayerFamily recurrent_layers();
LayerFamily transformer_layers();
LayerFamily vision_layers();
}  // namespace layers

}  // namespace loupe::nn
