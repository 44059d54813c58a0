// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors of a module as functions of other tensors: torch.nn.utils.parametrize and torch.nn.utils.parametrizations.
//
//     register_parametrization(*linear, "weight", symmetric);   // linear.weight is symmetric(weight) from now on
//     linear->attribute("weight");                               // computed whenever it is read
//
// A parametrization is a module; one with a method "right_inverse" (Module::set_method, or its layer's) can be assigned
// to.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/nn/module.h"

namespace loupe::nn {

// Throws TypedError (ValueError) with PyTorch's messages: no such tensor, a result of another shape or dtype (unless
// unsafe).
void register_parametrization(Module& module, const std::string& tensor_name, const ModulePtr& parametrization,
                              bool unsafe = false);
// Restores a plain tensor, with its current value or the original one. Throws TypedError.
void remove_parametrizations(Module& module, const std::string& tensor_name, bool leave_parametrized = true);
bool is_parametrized(const Module& module);
bool is_parametrized(const Module& module, std::string_view tensor_name);
// The parametrizations of one tensor (a ParametrizationList); null when there are none.
ModulePtr parametrization_list(const Module& module, std::string_view tensor_name);
// "Linear" of a ParametrizedLinear.
std::string class_name_before_parametrizations(const Module& module);
void transfer_parametrizations_and_params(Module& from, Module& to, std::optional<std::string> tensor_name = {});

// The parametrizations of a module's tensors, for display.
struct ParametrizationInfo {
    std::string tensor_name;
    std::vector<std::string> originals;         // "parametrizations.weight.original0"
    std::vector<std::string> parametrizations;  // printed: "_WeightNorm()", in order of application
    bool is_unsafe = false;
};
std::vector<ParametrizationInfo> parametrizations_of(const Module& module);

// In this scope each parametrized tensor is computed once; torch.nn.utils.parametrize.cached.
class ParametrizationCache {
  public:
    ParametrizationCache();
    ParametrizationCache(const ParametrizationCache&) = delete;
    ParametrizationCache& operator=(const ParametrizationCache&) = delete;
    ~ParametrizationCache();
};

// torch.nn.utils.parametrizations. orthogonal_map: "matrix_exp", "cayley" or "householder"; by default the first for
// square or complex matrices, the last for others.
void orthogonal(Module& module, const std::string& name = "weight", std::optional<std::string> orthogonal_map = {},
                bool use_trivialization = true);
void spectral_norm_parametrization(Module& module, const std::string& name = "weight",
                                   std::int64_t n_power_iterations = 1, double eps = 1e-12,
                                   std::optional<std::int64_t> dim = {});
// dim: the dimension over which norms are not taken; -1: one norm of all.
void weight_norm_parametrization(Module& module, const std::string& name = "weight", std::int64_t dim = 0);

}  // namespace loupe::nn
