// SPDX-License-Identifier: Apache-2.0
// Dropout in training: a node draws the mask, as dropout does; the rest is arithmetic.
#include <algorithm>

#include "core/dispatch/registry.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// With all that the mask's tensor takes.
const TensorType* known_type(const Value* value) {
    const auto* type = value->type()->as<TensorType>();
    if (type == nullptr || !type->dtype || !is_floating(*type->dtype) || !type->sizes || !type->device ||
        type->device->type != DeviceType::Cpu)
        return nullptr;
    const bool is_known =
        std::all_of(type->sizes->begin(), type->sizes->end(), [](const auto& size) { return size && *size > 0; });
    return is_known ? type : nullptr;
}

Value* insert_call(Graph& graph, const char* name, const char* overload, std::initializer_list<Value*> inputs,
                   const TypePtr& type) {
    Node* node = graph.insert(graph.create(Symbol::intern(name), inputs));
    node->set_op(find_operator(name, overload));
    node->output()->set_type(type);
    return node->output();
}

void decompose(Graph& graph, Node* node) {
    if (!node->is("aten::dropout")) return;
    const auto train = constant_bool(node->input(2));
    const auto p = constant_number(node->input(1));
    if (!train || !p) return;
    Value* const x = node->input(0);
    if (!*train || *p == 0) {
        node->output()->replace_all_uses_with(x);
        node->destroy();
        return;
    }
    const TensorType* const type = known_type(x);
    if (type == nullptr || *p < 0 || *p >= 1) return;
    const ir::OriginScope origin(graph, {node}, "DecomposeDropout", "mask");
    const ir::InsertPointScope place(graph, node);
    Dims sizes;
    for (const auto& size : *type->sizes) sizes.push_back(*size);
    Value* const none = graph.insert_constant(IValue());
    Value* const empty =
        insert_call(graph, "aten::empty", "memory_format",
                    {graph.insert_constant(IValue(sizes)),
                     graph.insert_constant(IValue(static_cast<std::int64_t>(*type->dtype))), none, none, none, none},
                    types::tensor());
    Value* const mask = insert_call(graph, "aten::bernoulli", "p", {empty, graph.insert_constant(IValue(1 - *p)), none},
                                    types::tensor());
    Value* const scaled =
        insert_call(graph, "aten::div", "Scalar", {mask, graph.insert_constant(IValue(1 - *p))}, types::tensor());
    node->output()->replace_all_uses_with(
        insert_call(graph, "aten::mul", "Tensor", {x, scaled}, node->output()->type()));
    node->destroy();
}

}  // namespace

const Pass kDecomposeDropout{
    "DecomposeDropout", "Dropout in training becomes a mask that is drawn and a product with it, which may be fused.",
    [](Graph& graph, const PassContext&) {
        for_each_node(graph.block(), [&](Node* node) { decompose(graph, node); });
    }};

}  // namespace loupe::passes
