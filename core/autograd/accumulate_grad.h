// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/autograd/node.h"

namespace loupe {

// The sink of a leaf: adds the gradient to the leaf's grad; torch's AccumulateGrad.
class AccumulateGrad final : public Node {
  public:
    explicit AccumulateGrad(Tensor variable);
    ~AccumulateGrad() override;

    std::string name() const override { return "AccumulateGrad"; }
    TensorList apply(TensorList grads) override;
    const Tensor& variable() const { return variable_; }
    // The hooks of the leaf, which see and may change its gradient, also where it is asked for and not accumulated.
    void run_leaf_hooks(Tensor& grad) const;

  private:
    Tensor variable_;
};

}  // namespace loupe
