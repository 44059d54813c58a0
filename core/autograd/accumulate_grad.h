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

  private:
    Tensor variable_;
};

}  // namespace loupe
