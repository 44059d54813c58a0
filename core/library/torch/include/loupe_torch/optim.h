// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::optim: the optimisers of the engine. Their options and classes are written from their records: optimizers.inc.

#include <functional>
#include <tuple>
#include <vector>

#include "core/optim/optimizer.h"

#include <loupe_torch/nn.h>

namespace torch::optim {

class Optimizer {
  public:
    virtual ~Optimizer() = default;
    void zero_grad(bool set_to_none = true);
    // closure: computes the loss and its gradients; its value is returned.
    at::Tensor step(const std::function<at::Tensor()>& closure = nullptr);
    // Sets an option of every group: "lr".
    void set_option(const char* name, double value);
    const loupe::Ptr<loupe::optim::Optimizer>& engine() const { return engine_; }

  protected:
    Optimizer(const char* record, const std::vector<at::Tensor>& parameters, const nn::detail::Options& options);

  private:
    loupe::Ptr<loupe::optim::Optimizer> engine_;
};

#include <loupe_torch/optimizers.inc>

}  // namespace torch::optim
