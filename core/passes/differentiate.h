// SPDX-License-Identifier: Apache-2.0
#pragma once
// The backward pass of a graph as a graph. The derivatives are the operators' own (their records'): the graph is run on
// fakes, forward and backward, and what that calls is recorded.

#include <cstdint>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

// As PyTorch's Gradient. f: the graph in operators that have derivatives of their own; its outputs are the graph's, then
// what df needs of the values between. df: from gradients of outputs to gradients of inputs; its inputs are gradients,
// captured inputs of f, captured outputs of f, in this order. Views of gradients hold for the strides that df's inputs say.
struct Gradient {
    Ptr<ir::Graph> f;
    Ptr<ir::Graph> df;
    std::size_t f_real_outputs = 0;
    std::vector<std::int64_t> df_input_vjps;              // outputs of f whose gradients df takes
    std::vector<std::int64_t> df_input_captured_inputs;   // inputs of f
    std::vector<std::int64_t> df_input_captured_outputs;  // outputs of f
    std::vector<std::int64_t> df_output_vjps;             // inputs of f whose gradients df gives
};

// For a graph without control flow, effects and writes. inputs: one per graph input, tensors with or without elements (only
// metadata count; see fake_tensor), numbers as they will be. The gradients of those that `wanted` says are computed.
// Holds for inputs of these shapes and dtypes and these numbers. Throws Error (Unsupported) with the reason when there is
// no such graph, and what running the graph throws.
Gradient differentiate(const ir::Graph& graph, const std::vector<IValue>& inputs, const std::vector<bool>& wanted);

}  // namespace loupe::passes
