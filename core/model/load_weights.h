// SPDX-License-Identifier: Apache-2.0
#pragma once
// A checkpoint into a model that is there.

#include <filesystem>

#include "core/model/weights.h"
#include "core/nn/module.h"

namespace loupe::session {

// As load_state_dict does; what a wrapper ("module.", "_orig_mod.") put before all names is dropped unless the model
// has such names itself. A file that does not fit changes nothing; the report's error says why. Throws what
// reading the file throws.
WeightsReport load_weights(nn::Module& module, const std::filesystem::path& file, bool strict);

// The tensors of a checkpoint by the model's names, as load_weights takes them.
nn::Named<Tensor> read_named_weights(nn::Module& module, const std::filesystem::path& file);

// Of those tensors the ones that have a name and shape of the model; the report lists the others, never its error.
WeightsReport load_fitting(nn::Module& module, const nn::Named<Tensor>& tensors);

// "fc.weight is 10x64, was 10x32; head.bias is new; old.weight is gone", the first few.
std::string differences_text(const std::vector<WeightDifference>& differences);

}  // namespace loupe::session
