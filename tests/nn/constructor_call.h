// SPDX-License-Identifier: Apache-2.0
#pragma once
// Builds the `model` of a source that is imports and one constructor call, through the records of core/nn.

#include <filesystem>

#include "core/nn/module.h"

namespace loupe::test {

// "nn.Linear(3, 4)".
nn::ModulePtr build_layer(const std::string& call);
nn::ModulePtr build_model(const std::filesystem::path& source);

}  // namespace loupe::test
