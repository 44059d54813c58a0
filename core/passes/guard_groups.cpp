// SPDX-License-Identifier: Apache-2.0
// A group specialised for input types runs for those; for others the unfused operators run.
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/profile.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

const Symbol& fallback_kind() {
    static const Symbol kKind = Symbol::intern("prim::FallbackGraph");
    return kKind;
}

struct Check {
    Symbol kind;
    const char* pass;
    // The type that an input is checked for; null when it is incomplete.
    TypePtr (*type_of)(const TypePtr& known);
};

// As in PyTorch: when both or neither was profiled the group is for inputs that require a gradient, others fall back.
TypePtr gradient_of(const TypePtr& known) {
    const auto* tensor = known->as<TensorType>();
    auto type = make_ptr<TensorType>();
    type->requires_grad = tensor->requires_grad.value_or(!tensor->dtype || is_differentiable(*tensor->dtype));
    return type;
}

TypePtr all_of(const TypePtr& known) { return is_complete(*known->as<TensorType>()) ? known : nullptr; }

bool is_guarded(const Node* group, Symbol check) {
    const Node* branch = group->owning_node();
    return branch != nullptr && branch->kind() == prim::If && branch->input(0)->node()->kind() == check;
}

// The operators without shape facts.
Ptr<Graph> unspecialized(const Graph& subgraph) {
    const Ptr<Graph> copy = subgraph.copy();
    kEraseShapeInformation.run(*copy, {});
    return copy;
}

class Guarding {
  public:
    Guarding(Graph& graph, Node* group, const Check& check) : graph_(graph), group_(group), check_(check) {}

    void run() {
        std::vector<Value*> checked;
        std::vector<TypePtr> wanted;
        for (Value* input : group_->inputs()) {
            if (input->type()->kind() != TypeKind::Tensor || input->node()->kind() == prim::Constant) continue;
            TypePtr each = check_.type_of(input->type());
            if (!each) return;
            checked.push_back(input);
            wanted.push_back(std::move(each));
        }
        if (checked.empty()) return;
        const ir::OriginScope origin(graph_, {group_}, check_.pass, "guard");
        Node* check = graph_.create(check_.kind, checked, checked.size() + 1)->insert_before(group_);
        check->set_attribute(ir::attr::types, wanted);
        for (std::size_t i = 0; i < checked.size(); ++i) check->output(i)->set_type(checked[i]->type());
        check->output(checked.size())->set_type(types::boolean());
        branch(check, checked);
    }

  private:
    void branch(Node* check, const std::vector<Value*>& checked) {
        Node* branch =
            graph_.create(prim::If, {check->output(checked.size())}, group_->outputs().size())->insert_before(group_);
        Block* as_seen = branch->add_block();
        Block* otherwise = branch->add_block();
        Node* fallback = otherwise->append(graph_.create(fallback_kind(), group_->inputs(), group_->outputs().size()));
        fallback->set_attribute(ir::attr::Subgraph, unspecialized(*group_->g(ir::attr::Subgraph)));
        for (std::size_t i = 0; i < group_->outputs().size(); ++i) {
            const bool is_tensor = group_->output(i)->type()->kind() == TypeKind::Tensor;
            const TypePtr type = is_tensor ? types::tensor() : group_->output(i)->type();
            branch->output(i)->set_type(type);
            fallback->output(i)->set_type(type);
            group_->output(i)->replace_all_uses_with(branch->output(i));
        }
        group_->move_before(as_seen->return_node());
        for (std::size_t i = 0; i < checked.size(); ++i) group_->replace_input_with(checked[i], check->output(i));
        for (Value* output : group_->outputs()) as_seen->add_output(output);
        for (Value* output : fallback->outputs()) otherwise->add_output(output);
    }

    Graph& graph_;
    Node* group_;
    const Check& check_;
};

void guard_all(Graph& graph, Symbol kind, const Check& check) {
    std::vector<Node*> groups;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->kind() == kind && node->has_attribute(ir::attr::Subgraph) && !is_guarded(node, check.kind))
            groups.push_back(node);
    });
    for (Node* group : groups) Guarding(graph, group, check).run();
}

}  // namespace

const Pass kGuardDifferentiableGraphs{
    "GuardDifferentiableGraphs",
    "Groups with a derivative run where what requires a gradient is what was seen; else a fallback.",
    [](Graph& graph, const PassContext&) {
        guard_all(graph, prim::DifferentiableGraph,
                  {Symbol::intern("prim::RequiresGradCheck"), "GuardDifferentiableGraphs", gradient_of});
    }};
const Pass kGuardFusionGroups{"GuardFusionGroups",
                              "Fusion groups run for tensors of the types that were seen; others take a fallback.",
                              [](Graph& graph, const PassContext&) {
                                  guard_all(graph, Symbol::intern("prim::TensorExprGroup"),
                                            {Symbol::intern("prim::TypeCheck"), "GuardFusionGroups", all_of});
                              }};

}  // namespace loupe::passes
