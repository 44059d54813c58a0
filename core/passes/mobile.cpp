// SPDX-License-Identifier: Apache-2.0
// The passes of optimize_for_mobile that do not depend on mobile kernels.
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

// [n] as [first, n].
Value* two_of(Graph& graph, Value* list, std::int64_t first) {
    Node* unpack = graph.insert(graph.create(prim::ListUnpack, {list}, 1));
    unpack->output()->set_type(types::integer());
    Node* both =
        graph.insert(graph.create(prim::ListConstruct, {graph.insert_constant(IValue(first)), unpack->output()}));
    both->output()->set_type(types::list(types::integer()));
    return both->output();
}

// A convolution over one dimension as one over two, of which the first is 1. As PyTorch's, for batches.
void transform_conv1d(Graph& graph, Node* node) {
    const ir::OriginScope origin(graph, {node}, "TransformConv1dToConv2d", "conv1d");
    const ir::InsertPointScope place(graph, node);
    Value* stride = two_of(graph, node->input(3), 1);
    Value* padding = two_of(graph, node->input(4), 0);
    Value* dilation = two_of(graph, node->input(5), 1);
    Value* dim = graph.insert_constant(IValue(2));
    const Symbol unsqueeze = Symbol::intern("aten::unsqueeze");
    Value* input = graph.insert_op(unsqueeze, {node->input(0), dim});
    Value* weight = graph.insert_op(unsqueeze, {node->input(1), dim});
    Value* result = graph.insert_op(Symbol::intern("aten::conv2d"),
                                    {input, weight, node->input(2), stride, padding, dilation, node->input(6)});
    Value* squeezed = graph.insert_op(Symbol::intern("aten::squeeze"), {result, dim});
    squeezed->set_type(node->output()->type());
    node->output()->replace_all_uses_with(squeezed);
    node->destroy();
}

// relu(a + b), where only the relu reads the sum.
void fuse_add_relu(Graph& graph, Node* node) {
    const bool in_place = node->is("aten::relu_");
    if (!in_place && !node->is("aten::relu")) return;
    Node* sum = node->input(0)->node();
    if (sum->block() != node->block() || sum->output()->uses().size() != 1) return;
    const bool adds_in_place = sum->is("aten::add_.Tensor");
    if (!sum->is("aten::add.Tensor") && !(adds_in_place && in_place)) return;
    // Nodes between must not write to the sum's operands.
    for (const Node* between = sum->next(); between != node; between = between->next()) {
        if (between->has_side_effects() || between->block_count() > 0) return;
    }
    const ir::OriginScope origin(graph, {node, sum}, "FuseAddRelu", "fuse");
    const ir::InsertPointScope place(graph, node);
    const Symbol kind = Symbol::intern(adds_in_place ? "aten::_add_relu_" : "aten::_add_relu");
    Value* result = graph.insert_op(kind, {sum->input(0), sum->input(1), sum->input(2)});
    result->set_type(node->output()->type());
    node->output()->replace_all_uses_with(result);
    node->destroy();
    sum->destroy();
}

}  // namespace

const Pass kTransformConv1dToConv2d{"TransformConv1dToConv2d",
                                    "Convolutions over one dimension become convolutions over two.",
                                    [](Graph& graph, const PassContext&) {
                                        for_each_node(graph.block(), [&graph](Node* node) {
                                            if (node->is("aten::conv1d")) transform_conv1d(graph, node);
                                        });
                                    }};

const Pass kFuseAddRelu{"FuseAddRelu", "Sums that only a relu reads become one operator with it.",
                        [](Graph& graph, const PassContext&) {
                            for_each_node(graph.block(), [&graph](Node* node) { fuse_add_relu(graph, node); });
                        }};

}  // namespace loupe::passes
