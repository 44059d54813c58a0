// SPDX-License-Identifier: Apache-2.0
#pragma once
// Builds the `model` of a source that is imports and one constructor call, through the records of core/nn.

#include <filesystem>

#include "core/nn/module.h"

namespace loupe::test {

// The value of a call: nn.NAME makes a layer, F.NAME and init.NAME call a function; T(2, 3) is randn of the shape,
// I(5, 2, 3) randint below 5, E(2, 3) zeros.
IValue evaluate_call(const std::string& call);
// "nn.Linear(3, 4)".
nn::ModulePtr build_layer(const std::string& call);
nn::ModulePtr build_model(const std::filesystem::path& source);

}  // namespace loupe::test
