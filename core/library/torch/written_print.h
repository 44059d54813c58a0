// SPDX-License-Identifier: Apache-2.0
#pragma once
// How LibTorch prints its layers, as statements of C++. Of write_layers.

#include <string>
#include <string_view>
#include <vector>

#include "core/library/torch/written_options.h"

namespace loupe::torch_api {

// Statements that write "torch::nn::Linear(in_features=3, ...)" of `options` to `out`.
std::string print_statements(std::string_view layer, const std::vector<Option>& options);

}  // namespace loupe::torch_api
