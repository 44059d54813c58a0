// SPDX-License-Identifier: Apache-2.0
#pragma once
// For gradients of inputs alone.

#include <utility>
#include <vector>

#include "core/autograd/variable.h"
#include "core/nn/module.h"

namespace loupe::session {

// No parameter requires a gradient while it lives, but those that are given one.
class FrozenParameters {
  public:
    explicit FrozenParameters(const nn::Module& module) {
        for (const auto& [name, parameter] : module.named_parameters()) {
            before_.emplace_back(parameter, requires_grad(parameter));
            if (requires_grad(parameter) && is_leaf(parameter)) set_requires_grad(parameter, false);
        }
    }
    FrozenParameters(const FrozenParameters&) = delete;
    FrozenParameters& operator=(const FrozenParameters&) = delete;
    ~FrozenParameters() {
        for (const auto& [parameter, value] : before_)
            if (requires_grad(parameter) != value && is_leaf(parameter)) set_requires_grad(parameter, value);
    }

  private:
    std::vector<std::pair<Tensor, bool>> before_;
};

}  // namespace loupe::session
