// SPDX-License-Identifier: Apache-2.0
#pragma once
// For runs that measure something and must leave no trace.

#include <utility>
#include <vector>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/nn/module.h"
#include "core/ops/random/generator.h"

namespace loupe::session {

// Gradients, buffers and random numbers as they were, at the end of a scope; in it there are no gradients.
class KeptState {
  public:
    explicit KeptState(const nn::Module& module) : random_(random_state()) {
        const GradModeScope no_grad(false);
        for (const auto& [name, buffer] : module.named_buffers()) buffers_.emplace_back(buffer, fn::clone(buffer));
        for (const auto& [name, parameter] : module.named_parameters())
            gradients_.emplace_back(parameter, grad_of(parameter));
    }
    KeptState(const KeptState&) = delete;
    KeptState& operator=(const KeptState&) = delete;
    ~KeptState() {
        const GradModeScope no_grad(false);
        for (const auto& [buffer, before] : buffers_) fn::copy_(buffer, before);
        for (const auto& [parameter, gradient] : gradients_) set_grad(parameter, gradient);
        set_random_state(random_);
    }
    void forget_gradients() const {
        for (const auto& [parameter, gradient] : gradients_) set_grad(parameter, Tensor());
    }

  private:
    std::vector<std::pair<Tensor, Tensor>> buffers_;
    std::vector<std::pair<Tensor, Tensor>> gradients_;
    RandomState random_;
};

}  // namespace loupe::session
