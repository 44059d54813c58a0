// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs as PyTorch prints them: `graph(%x.1 : Tensor):\n  %3 : int = prim::Constant[value=1]() # file.py:3:4`.

#include <complex>
#include <string>

#include "core/ir/graph.h"

namespace loupe::ir {

struct PrintOptions {
    bool ranges = true;   // " # file.py:3:4" after a node
    bool scopes = false;  // ", scope: layer1.0" after a node
};

std::string print_graph(const Graph& graph, const PrintOptions& options = {});
// One node on one line, without its blocks and without a newline.
std::string print_node(const Node& node, const PrintOptions& options = {});
// "%3 : int"
std::string print_value(const Value& value);
// "value=1, name=\"x\"" as in the brackets of a node; empty without attributes.
std::string print_attributes(const Node& node);
// A constant as graphs write it: 100. for a float, "a\n" for a string, {3} or <Tensor> for tensors.
std::string print_constant(const IValue& value);
// A tensor of at most 10 elements on one line, as at::print writes it: " 1  2 [ CPULongType{2} ]".
std::string print_small_tensor(const Tensor& tensor);
// "1.+2.j"
std::string complex_text(std::complex<double> value);

}  // namespace loupe::ir
