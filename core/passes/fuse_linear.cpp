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

// The operand of t(); null for other nodes, or a value known to be no matrix.
Value* transposed(const Value* value) {
    const Node* node = value->node();
    if (!node->is("aten::t")) return nullptr;
    const auto* type = node->input(0)->type()->as<TensorType>();
    return type != nullptr && type->sizes && type->sizes->size() != 2 ? nullptr : node->input(0);
}

class Fusion {
  public:
    explicit Fusion(Graph& graph) : graph_(graph), aliases_(graph) {}

    bool changed() const { return changed_; }
    void visit(Node* node) {
        if (node->is("aten::addmm"))
            fuse_addmm(node);
        else if (node->is("aten::add_.Tensor"))
            fuse_sum(node);
        else if (node->is("aten::matmul"))
            fuse_product(node);
    }

  private:
    Value* weight_of(const Value* value) const {
        Value* weight = transposed(value);
        return weight != nullptr && !aliases_.has_writers(weight) ? weight : nullptr;
    }

    void replace(Node* node, Value* input, Value* weight, Value* bias, const char* rule) {
        const ir::OriginScope origin(graph_, {node}, "FuseLinear", rule);
        const ir::InsertPointScope place(graph_, node);
        if (bias == nullptr) bias = graph_.insert_constant(IValue(), types::optional(types::tensor()));
        Value* linear = graph_.insert_op(Symbol::intern("aten::linear"), {input, weight, bias});
        linear->set_type(node->output()->type());
        node->output()->replace_all_uses_with(linear);
        node->destroy();
        changed_ = true;
    }

    // addmm(b, x, w.t())
    void fuse_addmm(Node* node) {
        Value* weight = weight_of(node->input(2));
        if (weight == nullptr || constant_number(node->input(3)) != 1.0 || constant_number(node->input(4)) != 1.0)
            return;
        const auto* bias = node->input(0)->type()->as<TensorType>();
        if (bias != nullptr && bias->sizes && bias->sizes->size() != 1) return;
        replace(node, node->input(1), weight, node->input(0), "addmm");
    }

    // matmul(x, w.t()).add_(b), where the product has no other use.
    void fuse_sum(Node* node) {
        Node* product = node->input(0)->node();
        if (!product->is("aten::matmul") || product->output()->uses().size() != 1 || product->block() != node->block())
            return;
        Value* weight = weight_of(product->input(1));
        if (weight == nullptr || constant_number(node->input(2)) != 1.0 ||
            node->input(1)->type()->kind() != TypeKind::Tensor)
            return;
        if (aliases_.has_writers(product->input(0))) return;
        replace(node, product->input(0), weight, node->input(1), "matmul and add_");
        product->destroy();
    }

    // matmul(x, w.t())
    void fuse_product(Node* node) {
        if (is_summed(node)) return;
        if (Value* weight = weight_of(node->input(1))) replace(node, node->input(0), weight, nullptr, "matmul");
    }

    // It is fused with its sum later.
    bool is_summed(const Node* node) const {
        if (node->output()->uses().size() != 1) return false;
        const Node* user = node->output()->uses()[0].user;
        return user->is("aten::add_.Tensor") && user->input(0) == node->output() && user->block() == node->block() &&
               constant_number(user->input(2)) == 1.0 && weight_of(node->input(1)) != nullptr &&
               !aliases_.has_writers(node->input(0));
    }

    Graph& graph_;
    AliasAnalysis aliases_;
    bool changed_ = false;
};

// Again after dead code elimination: dead nodes may have been writers.
void run(Graph& graph, const PassContext&) {
    bool found = true;
    while (found) {
        Fusion fusion(graph);
        for_each_node(graph.block(), [&](Node* node) { fusion.visit(node); });
        found = remove_dead_code(graph) || fusion.changed();
    }
}

}  // namespace

const Pass kFuseLinear{"FuseLinear", "Products with a transposed weight become linear layers.", run};

}  // namespace loupe::passes
