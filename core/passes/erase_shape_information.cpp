// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;

// The type without shape facts of tensors in it; null when it has none.
TypePtr unshaped(const TypePtr& type) {
    if (type->kind() == TypeKind::Tensor) return type->as<TensorType>()->is_refined() ? types::tensor() : nullptr;
    if (type->kind() != TypeKind::List && type->kind() != TypeKind::Optional) return nullptr;
    const TypePtr element = unshaped(type->element());
    if (!element) return nullptr;
    return type->kind() == TypeKind::List ? types::list(element) : types::optional(element);
}

void erase(Value* value) {
    if (TypePtr type = unshaped(value->type())) value->set_type(std::move(type));
}

void erase(Block* block) {
    for (Value* input : block->inputs()) erase(input);
    for (Node* node : block->nodes()) {
        for (Value* output : node->outputs()) erase(output);
        for (std::size_t i = 0; i < node->block_count(); ++i) erase(node->block_at(i));
        if (node->has_attribute(ir::attr::Subgraph)) erase(node->g(ir::attr::Subgraph)->block());
    }
}

}  // namespace

const Pass kEraseShapeInformation{"EraseShapeInformation",
                                  "Forgets dtypes, sizes, strides and devices of all tensors, in groups too.",
                                  [](ir::Graph& graph, const PassContext&) { erase(graph.block()); }};

}  // namespace loupe::passes
