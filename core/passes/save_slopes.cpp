// SPDX-License-Identifier: Apache-2.0
// gelu also returns its slope, at little extra cost: the backward pass is then one product.
#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

bool is_taken(const Value* value) {
    const auto* type = value->type()->as<TensorType>();
    const bool is_known = type != nullptr && type->dtype && type->device && type->device->type == DeviceType::Cpu;
    return is_known && (*type->dtype == ScalarType::Float32 || *type->dtype == ScalarType::Float64);
}

void run(Graph& graph, const PassContext&) {
    const AliasAnalysis aliases(graph);
    for_each_node(graph.block(), [&](Node* node) {
        if (!node->is("aten::gelu") || !is_taken(node->input(0)) || aliases.has_writers(node)) return;
        const ir::OriginScope origin(graph, {node}, "SaveSlopes", "gelu");
        const ir::InsertPointScope place(graph, node);
        Node* both = graph.create(Symbol::intern("loupe::gelu_with_slope"), {node->input(0), node->input(1)}, 2);
        graph.insert(both)->set_op(find_operator("loupe::gelu_with_slope", ""));
        for (const std::size_t i : {0U, 1U}) both->output(i)->set_type(node->output()->type());
        node->output()->replace_all_uses_with(both->output(0));
        node->destroy();
    });
}

}  // namespace

const Pass kSaveSlopes{
    "SaveSlopes", "Activations that are to be differentiated give their slope too: the backward pass is a product.",
    run};

}  // namespace loupe::passes
