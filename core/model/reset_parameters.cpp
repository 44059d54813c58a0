// SPDX-License-Identifier: Apache-2.0
#include "core/model/reset_parameters.h"

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/nn/layer.h"

namespace loupe::session {
namespace {

// A normalisation of a file keeps its tensors and little else.
bool reset_normalisation(const nn::Module& module) {
    if (module.class_name().find("Norm") == std::string::npos) return false;
    const auto fill = [](const nn::Named<Tensor>& tensors) {
        for (const auto& [name, t] : tensors) {
            const bool is_one = name == "weight" || name == "running_var";
            fn::copy_(t, scalar_tensor(is_one ? 1 : 0, t.dtype()));
        }
    };
    fill(module.own_parameters());
    fill(module.own_buffers());
    return true;
}

bool reset_one(nn::Module& module) {
    if (module.layer() != nullptr) return nn::reset_parameters(module);
    if (reset_normalisation(module)) return true;
    const nn::LayerRecord* record = nn::find_layer(module.class_name());
    return record != nullptr && !module.own_parameters().empty() && nn::reset_parameters(module, *record);
}

}  // namespace

bool reset_tree(nn::Module& root) {
    const GradModeScope no_grad(false);
    bool any = false;
    for (const auto& [name, module] : root.named_modules()) any |= reset_one(*module);
    return any;
}

}  // namespace loupe::session
