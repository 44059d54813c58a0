// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// x + tensor(2) with a constant of no dimensions is x + 2.
void take_number(ir::Graph& graph, Node* node) {
    const auto constant = constant_tensor(node->input(1));
    if (!constant || constant->dim() != 0 || constant->device().type != DeviceType::Cpu) return;
    const Scalar number = item(*constant);
    const bool is_number = number.kind() == Scalar::Kind::Int || number.kind() == Scalar::Kind::Double;
    if (!is_number || !can_be_constant(IValue(*constant))) return;
    const ir::OriginScope origin(graph, {node}, "CanonicalizeOps", "number");
    const ir::InsertPointScope place(graph, node);
    const IValue value = number.kind() == Scalar::Kind::Int ? IValue(number.to_int()) : IValue(number.to_double());
    node->replace_input(1, graph.insert_constant(value));
}

// The node that unpacks the list; null when it has other uses.
Node* unpacked(const Value* list, std::int64_t count) {
    if (list->uses().size() != 1) return nullptr;
    Node* user = list->uses()[0].user;
    return user->kind() == prim::ListUnpack && static_cast<std::int64_t>(user->outputs().size()) == count ? user
                                                                                                          : nullptr;
}

// An unpacked list of chunks becomes that many results.
void take_chunks(ir::Graph& graph, Node* node) {
    const auto chunks = constant_int(node->input(1));
    const auto dim = constant_int(node->input(2));
    if (!chunks || !dim) return;
    Node* parts = unpacked(node->output(), *chunks);
    if (parts == nullptr) return;
    const ir::OriginScope origin(graph, {node}, "CanonicalizeOps", "chunk");
    Node* constant = graph.create(prim::ConstantChunk, {node->input(0)}, parts->outputs().size())->insert_before(node);
    constant->set_i(ir::attr::chunks, *chunks)->set_i(ir::attr::dim, *dim);
    for (std::size_t i = 0; i < parts->outputs().size(); ++i) constant->output(i)->set_type(parts->output(i)->type());
    parts->replace_all_uses_with(constant);
    parts->destroy();
    node->destroy();
}

void run(ir::Graph& graph, const PassContext&) {
    for_each_node(graph.block(), [&graph](Node* node) {
        const bool is_arithmetic = node->is("aten::add.Tensor") || node->is("aten::sub.Tensor") ||
                                   node->is("aten::mul.Tensor") || node->is("aten::div.Tensor");
        if (is_arithmetic) take_number(graph, node);
    });
    // Readers of a chunk's list go with it, so the chunks are gathered first.
    std::vector<Node*> chunks;
    for_each_node(graph.block(), [&chunks](Node* node) {
        if (node->is("aten::chunk")) chunks.push_back(node);
    });
    for (Node* node : chunks) take_chunks(graph, node);
}

}  // namespace

const Pass kCanonicalizeOps{"CanonicalizeOps",
                            "Numbers in place of tensors that hold one, chunks as results in place of a list.", run};

}  // namespace loupe::passes
