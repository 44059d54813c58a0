// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.parametrizations: the ones that come with PyTorch, put on a module's tensor.
#include <algorithm>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/nn/layer.h"
#include "core/nn/utils/parametrize.h"

namespace loupe::nn {
namespace {

Tensor named_tensor(const Module& module, const std::string& name) {
    const IValue* found = module.find_attribute(name);
    if (found == nullptr || !found->is_tensor()) {
        fail_with_value(concat("Module '", module.str(), "' has no parameter or buffer with name '", name, "'"));
    }
    return found->to_tensor();
}

// States of the older weight_norm have the length and the direction under other names.
void rename_older(Named<Tensor>& state, const std::string& prefix, const std::string& name) {
    const std::string from[] = {concat(prefix, name, "_g"), concat(prefix, name, "_v")};
    const auto find = [&](const std::string& key) {
        return std::ranges::find(state, key, [](const auto& entry) -> const std::string& { return entry.first; });
    };
    if (find(from[0]) == state.end() || find(from[1]) == state.end()) return;
    for (std::size_t i = 0; i < 2; ++i)
        find(from[i])->first = concat(prefix, "parametrizations.", name, ".original", i);
}

}  // namespace

void orthogonal(Module& module, const std::string& name, std::optional<std::string> orthogonal_map,
                bool use_trivialization) {
    const Tensor weight = named_tensor(module, name);
    if (weight.dim() < 2) {
        fail_with_value(
            concat("Expected a matrix or batch of matrices. Got a tensor of ", weight.dim(), " dimensions."));
    }
    if (!orthogonal_map) {
        const bool fits = weight.size(-2) == weight.size(-1) || is_complex(weight.dtype());
        orthogonal_map = fits ? "matrix_exp" : "householder";
    }
    if (*orthogonal_map != "matrix_exp" && *orthogonal_map != "cayley" && *orthogonal_map != "householder") {
        fail_with_value(concat("orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: ",
                               *orthogonal_map));
    }
    const ModulePtr step =
        make_layer("_Orthogonal", {weight, *orthogonal_map}, {{"use_trivialization", use_trivialization}});
    register_parametrization(module, name, step, true);
}

void spectral_norm_parametrization(Module& module, const std::string& name, std::int64_t n_power_iterations, double eps,
                                   std::optional<std::int64_t> dim) {
    const Tensor weight = named_tensor(module, name);
    if (!dim) {
        const auto is = [&](std::string_view layer) {
            return module.layer() != nullptr && is_derived(*module.layer(), layer);
        };
        dim = is("ConvTranspose1d") || is("ConvTranspose2d") || is("ConvTranspose3d") ? 1 : 0;
    }
    register_parametrization(module, name, make_layer("_SpectralNorm", {weight, n_power_iterations, *dim, eps}));
}

void weight_norm_parametrization(Module& module, const std::string& name, std::int64_t dim) {
    register_parametrization(module, name, make_layer("_WeightNorm", {dim}), true);
    module.register_load_state_dict_pre_hook([name](Module&, Named<Tensor>& state, const std::string& prefix, bool,
                                                    LoadReport&) { rename_older(state, prefix, name); });
}

}  // namespace loupe::nn
