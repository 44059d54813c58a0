// SPDX-License-Identifier: Apache-2.0
#include "core/nn/functional/families.h"

namespace loupe::nn {

std::span<const FunctionFamily> functional_families() {
    using namespace functional;
    static const FunctionFamily all[] = {
        activation_records(), attention_records(), convolution_records(),   distance_records(), dropout_records(),
        embedding_records(),  loss_records(),      normalization_records(), pooling_records(),  vision_records(),
    };
    return all;
}

}  // namespace loupe::nn
