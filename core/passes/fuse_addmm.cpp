// SPDX-License-Identifier: Apache-2.0
#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// The rank decides whether the summand is a number in a tensor, whose dtype counts less than that of a matrix.
bool has_rank(const Value* value) {
    const auto* type = value->type()->as<TensorType>();
    return type != nullptr && type->sizes && type->dtype && !type->sizes->empty();
}

bool has_dtype_of(const Value* matrix, const Value* summand) {
    const auto* type = matrix->type()->as<TensorType>();
    return type != nullptr && type->dtype && *type->dtype == *summand->type()->as<TensorType>()->dtype;
}

bool fuse(Graph& graph, Node* sum, const AliasAnalysis& aliases) {
    if (constant_number(sum->input(2)) != 1.0) return false;
    for (const std::size_t side : {0U, 1U}) {
        Node* product = sum->input(side)->node();
        Value* summand = sum->input(1 - side);
        if (!product->is("aten::mm") || !has_rank(summand) || aliases.has_writers(product)) continue;
        if (!has_dtype_of(product->input(0), summand) && !has_dtype_of(product->input(1), summand)) continue;
        const ir::OriginScope origin(graph, {sum, product}, "FuseAddMM", "addmm");
        const ir::InsertPointScope place(graph, sum);
        Value* one = graph.insert_constant(IValue(1));
        Value* fused =
            graph.insert_op(Symbol::intern("aten::addmm"), {summand, product->input(0), product->input(1), one, one});
        fused->set_type(sum->output()->type());
        sum->output()->replace_all_uses_with(fused);
        sum->destroy();
        return true;
    }
    return false;
}

}  // namespace

const Pass kFuseAddMM{"FuseAddMM", "A product and a sum of matrices become addmm, where the types say that they are.",
                      [](Graph& graph, const PassContext&) {
                          // Removing an unused product may allow fusing another.
                          for (bool found = true; found;) {
                              found = false;
                              const AliasAnalysis aliases(graph);
                              for_each_node(graph.block(), [&](Node* node) {
                                  found = (node->is("aten::add.Tensor") && fuse(graph, node, aliases)) || found;
                              });
                              if (found) remove_dead_code(graph);
                          }
                      }};

}  // namespace loupe::passes
