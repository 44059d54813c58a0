// SPDX-License-Identifier: Apache-2.0
#pragma once
// Full backward hooks of a module: two pass-through nodes, at its inputs and at its outputs, run when the gradients of
// each have arrived; torch.utils.hooks.BackwardHook.

#include <functional>

#include "core/autograd/node.h"
#include "core/value/ivalue.h"

namespace loupe::nn {

class BackwardHookState final : public RefCounted {
  public:
    using Fire = std::function<TensorList(const TensorList& grad_inputs, const TensorList& grad_outputs)>;
    // Before the gradients enter the module; returns them or replacements.
    using FirePre = std::function<TensorList(const TensorList& grad_outputs)>;
    BackwardHookState(Fire fire, FirePre fire_pre) : fire_(std::move(fire)), fire_pre_(std::move(fire_pre)) {}

    // The tensors inside that require grad pass through a node; others stay.
    std::vector<IValue> wrap_inputs(std::vector<IValue> inputs);
    IValue wrap_output(IValue output);

    // Called by the nodes.
    TensorList outputs_arrived(const TensorList& grads);
    TensorList inputs_arrived(const TensorList& grads);

  private:
    Fire fire_;
    FirePre fire_pre_;
    TensorList grad_outputs_;
    std::size_t input_count_ = 0;
    bool has_input_node_ = false;
};

}  // namespace loupe::nn
