// SPDX-License-Identifier: Apache-2.0
#include "core/nn/layers/families.h"

namespace loupe::nn {

std::span<const LayerFamily> layer_families() {
    using namespace layers;
    static const LayerFamily all[] = {
        parametrization_layers(), activation_layers(),  adaptive_layers(),      attention_layers(), container_layers(),
        convolution_layers(),     distance_layers(),    dropout_layers(),       embedding_layers(), lazy_layers(),
        linear_layers(),          loss_layers(),        normalization_layers(), padding_layers(),   pooling_layers(),
        recurrent_layers(),       transformer_layers(), vision_layers(),
    };
    return all;
}

}  // namespace loupe::nn
