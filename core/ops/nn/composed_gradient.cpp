// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/composed_gradient.h"

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"

namespace loupe {

TensorList composed_gradients(const std::function<TensorList(const TensorList&)>& function, const TensorList& inputs,
                              const TensorList& cotangents) {
    const bool record = GradMode::is_enabled();
    TensorList variables;
    for (const Tensor& input : inputs) {
        if (!input.defined() || (record && requires_grad(input))) {
            variables.push_back(input);
            continue;
        }
        variables.push_back(detach(input));
        set_requires_grad(variables.back(), true);
    }
    TensorList outputs;
    {
        const GradModeScope recording(true);
        outputs = function(variables);
    }
    TensorList roots;
    TensorList gradients;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!cotangents[i].defined() || !outputs[i].defined()) continue;
        roots.push_back(outputs[i]);
        gradients.push_back(cotangents[i]);
    }
    TensorList wanted;
    for (const Tensor& variable : variables) {
        if (variable.defined()) wanted.push_back(variable);
    }
    TensorList results(inputs.size());
    if (roots.empty()) return results;
    BackwardOptions options;
    options.create_graph = record;
    options.retain_graph = record;
    const TensorList found = gradients_of(roots, wanted, gradients, options, true);
    std::size_t next = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (variables[i].defined()) results[i] = found[next++];
    }
    return results;
}

void set_composed_gradients(GradientContext& context, const std::function<TensorList(const TensorList&)>& function,
                            std::initializer_list<ArgumentPlace> arguments, const TensorList& cotangents) {
    TensorList inputs;
    for (const ArgumentPlace argument : arguments) inputs.push_back(context.argument(argument));
    const TensorList grads = composed_gradients(function, inputs, cotangents);
    std::size_t i = 0;
    for (const ArgumentPlace argument : arguments) {
        if (const Tensor& grad = grads[i++]; context.needs(argument)) context.set_grad(argument, grad);
    }
}

}  // namespace loupe
