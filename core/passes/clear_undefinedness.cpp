// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Value;

bool is_tensor_list(const Type& type) {
    return type.kind() == TypeKind::List && type.element()->kind() == TypeKind::Tensor;
}

void clear_undefined(Value* value) {
    const Type& type = *value->type();
    if (const auto* tensor = type.as<TensorType>(); tensor != nullptr && tensor->is_refined())
        value->set_type(types::tensor());
    if (is_tensor_list(type)) value->set_type(types::list(types::tensor()));
}

void run(ir::Graph& graph, const PassContext&) {
    for (Value* input : graph.inputs()) clear_undefined(input);
    for_each_node(graph.block(), [](ir::Node* node) {
        for (Value* output : node->outputs()) clear_undefined(output);
    });
}

}  // namespace

const Pass kClearUndefinedness{"ClearUndefinedness",
                               "Forgets what types of tensors say, also that a gradient is undefined.", run};

}  // namespace loupe::passes
