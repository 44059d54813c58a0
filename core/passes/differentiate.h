// SPDX-License-Identifier: Apache-2.0
#pragma once
// The backward pass of a graph as a graph. The derivatives are the operators' own (their records'): the graph is run on
// fakes, forward and backward, and the calls are recorded.

#include <cstdint>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

// As PyTorch's Gradient. f: the graph in differentiable operators; its outputs are the graph's, then the intermediates
// that df needs. df: from gradients of outputs to gradients of inputs; its inputs are gradients, captured inputs of f,
// captured outputs of f, in this order. Views of gradients are valid for the strides of df's input types.
struct Gradient {
    Ptr<ir::Graph> f;
    Ptr<ir::Graph> df;
    std::size_t f_real_outputs = 0;
    std::vector<std::int64_t> df_input_vjps;              // outputs of f whose gradients df takes
    std::vector<std::int64_t> df_input_captured_inputs;   // inputs of f
    std::vector<std::int64_t> df_input_captured_outputs;  // outputs of f
    std::vector<std::int64_t> df_output_vjps;             // inputs of f whose gradients df returns
};

// For a graph without control flow, effects and writes. inputs: one per graph input, tensors with or without elements
// (only metadata count; see fake_tensor), numbers of the run. Gradients are computed for the inputs in `wanted`.
// Valid for inputs of these shapes and dtypes and these numbers. Throws Error (Unsupported) with the reason when there
// is no such graph, and the errors of running it.
Gradient differentiate(const ir::Graph& graph, const std::vector<IValue>& inputs, const std::vector<bool>& wanted);

}  // namespace loupe::passes
