// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights that a hook computes before every forward: torch.nn.utils.weight_norm and spectral_norm.

#include <optional>
#include <string>

#include "core/nn/module.h"

namespace loupe::nn {

// name_g and name_v replace the parameter; dim: the dimension over which norms are not taken, none: one norm of all.
// Throw Error (Run) or TypedError with PyTorch's messages: twice on one parameter, parameters without a shape.
void weight_norm(Module& module, const std::string& name = "weight", std::optional<std::int64_t> dim = 0);
void remove_weight_norm(Module& module, const std::string& name = "weight");

// name_orig replaces the parameter, name_u and name_v are buffers. dim: 0, of transposed convolutions 1.
void spectral_norm(Module& module, const std::string& name = "weight", std::int64_t n_power_iterations = 1,
                   double eps = 1e-12, std::optional<std::int64_t> dim = {});
void remove_spectral_norm(Module& module, const std::string& name = "weight");

// "weight_norm of weight", "spectral_norm of weight": descriptions of such hooks, for display.
std::vector<std::string> norm_hooks_of(Module& module);

}  // namespace loupe::nn
