// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.autograd: grad_fn objects, backward and grad, what the grad modes are as objects, handles of hooks.

#include <functional>

#include "core/autograd/node.h"
#include "core/autograd/variable.h"
#include "core/python/language/class.h"
#include "core/python/language/operations.h"

namespace loupe::python {

// t.grad_fn: a class of its own for each node name, with name() and next_functions. None for no node.
IValue node_object(const Ptr<Node>& node);

// What register_hook() gives: remove(), and a context manager.
IValue handle_object(RemovableHandle handle);

// Tensor.backward and torch.autograd.backward: roots is a tensor or a sequence of them.
void run_backward(const IValue& roots, const IValue& gradients, const IValue& retain_graph, bool create_graph,
                  const IValue& inputs);
// torch.autograd.grad.
IValue run_grad(CallArguments arguments);

// torch.is_anomaly_enabled.
bool is_anomaly_enabled();

// A tensor's hook that calls a function of the program.
std::function<Tensor(const Tensor&)> tensor_hook(IValue function);

// Fills torch.autograd; torch.no_grad and its like go to torch too.
void fill_autograd_module(PythonModule& module);
void define_grad_modes(PythonModule& module);

}  // namespace loupe::python
