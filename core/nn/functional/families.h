// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions of torch.nn.functional, a family a file.

#include <span>

#include "core/nn/native_function.h"

namespace loupe::nn {

using FunctionFamily = std::span<const NativeFunction>;
std::span<const FunctionFamily> functional_families();

namespace functional {
FunctionFamily activation_records();
FunctionFamily attention_records();
FunctionFamily convolution_records();
FunctionFamily distance_records();
FunctionFamily dropout_records();
FunctionFamily embedding_records();
FunctionFamily loss_records();
FunctionFamily normalization_records();
FunctionFamily pooling_records();
FunctionFamily vision_records();
}  // namespace functional

}  // namespace loupe::nn
