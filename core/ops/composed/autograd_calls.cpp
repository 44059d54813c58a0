// SPDX-License-Identifier: Apache-2.0
// torch.autograd.grad and backward, called from compiled code.

#include "core/autograd/engine.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

BackwardOptions options_of(const IValue& retain_graph, const IValue& create_graph) {
    BackwardOptions options;
    options.create_graph = create_graph.to_bool();
    options.retain_graph = retain_graph.is_none() ? options.create_graph : retain_graph.to_bool();
    return options;
}
TensorList list_of(const IValue& tensors) { return tensors.is_none() ? TensorList() : tensors.to_tensors(); }

// (outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused)
void grad(Arguments arguments, IValue* results) {
    const TensorList found = gradients_of(arguments[0].to_tensors(), arguments[1].to_tensors(), list_of(arguments[2]),
                                          options_of(arguments[3], arguments[4]), arguments[5].to_bool());
    results[0] = IValue(found);
}
// (self, gradient, retain_graph, create_graph)
void backward_from(Arguments arguments, IValue*) {
    const TensorList gradients = arguments[1].is_none() ? TensorList() : TensorList{arguments[1].to_tensor()};
    backward({arguments[0].to_tensor()}, gradients, options_of(arguments[2], arguments[3]));
}
// (tensors, grad_tensors, retain_graph, create_graph)
void backward_from_all(Arguments arguments, IValue*) {
    backward(arguments[0].to_tensors(), list_of(arguments[1]), options_of(arguments[2], arguments[3]));
}

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::grad(Tensor[] outputs, Tensor[] inputs, Tensor?[]? grad_outputs=None, bool? retain_graph=None, bool "
         "create_graph=False, bool allow_unused=False) -> Tensor?[]",
     .summary = "Gradients of outputs with respect to inputs.",
     .composite = grad},
    {.schema =
         "aten::backward(Tensor self, Tensor? gradient=None, bool? retain_graph=None, bool create_graph=False) -> ()",
     .summary = "Adds gradients up in the leaves that self came from.",
     .composite = backward_from},
    {.schema =
         "aten::backward.TensorList(Tensor[] tensors, Tensor?[]? grad_tensors=None, bool? retain_graph=None, bool "
         "create_graph=False) -> ()",
     .summary = "Adds gradients up in the leaves that the tensors came from.",
     .composite = backward_from_all},
};

}  // namespace

std::span<const OperatorRecord> autograd_call_records() { return kRecords; }

}  // namespace loupe::composed
