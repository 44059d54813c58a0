// SPDX-License-Identifier: Apache-2.0
#include "core/nn/backward_hook.h"

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"

namespace loupe::nn {
namespace {

// Passes its gradients on, as the hooks changed them.
class PassThrough final : public Node {
  public:
    PassThrough(Ptr<BackwardHookState> state, bool is_input) : state_(std::move(state)), is_input_(is_input) {}
    std::string name() const override { return "BackwardHookFunctionBackward"; }
    TensorList apply(TensorList grads) override {
        return is_input_ ? state_->inputs_arrived(grads) : state_->outputs_arrived(grads);
    }

  private:
    Ptr<BackwardHookState> state_;
    bool is_input_;
};

// Passes the tensors inside value that require grad through node.
IValue wrapped(const IValue& value, const Ptr<PassThrough>& node, std::vector<Edge>& edges) {
    if (value.is_tensor() && requires_grad(value.to_tensor())) {
        const Tensor t = value.to_tensor();
        edges.push_back(gradient_edge(t));
        const Tensor out = t.shallow_copy();
        set_history(out, node);
        return out;
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(wrapped(element, node, edges));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    return value;
}

}  // namespace

std::vector<IValue> BackwardHookState::wrap_inputs(std::vector<IValue> inputs) {
    if (!GradMode::is_enabled()) return inputs;
    input_count_ = inputs.size();
    const auto node = make_ptr<PassThrough>(Ptr<BackwardHookState>(this), true);
    std::vector<Edge> edges;
    for (IValue& input : inputs) input = wrapped(input, node, edges);
    has_input_node_ = !edges.empty();
    node->set_next_edges(std::move(edges));
    return inputs;
}

IValue BackwardHookState::wrap_output(IValue output) {
    if (!GradMode::is_enabled()) return output;
    const auto node = make_ptr<PassThrough>(Ptr<BackwardHookState>(this), false);
    std::vector<Edge> edges;
    IValue result = wrapped(output, node, edges);
    node->set_next_edges(std::move(edges));
    return result;
}

TensorList BackwardHookState::outputs_arrived(const TensorList& grads) {
    grad_outputs_ = fire_pre_(grads);
    // No input requires grad: the hooks fire now, with no gradients for the inputs, as in PyTorch.
    if (!has_input_node_) fire_(TensorList(input_count_), grad_outputs_);
    return grad_outputs_;
}

TensorList BackwardHookState::inputs_arrived(const TensorList& grads) { return fire_(grads, grad_outputs_); }

}  // namespace loupe::nn
