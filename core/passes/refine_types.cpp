// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

// ---- tuples

void refine_tuple(Node* node) {
    const auto* type = node->output()->type()->as<TupleType>();
    if (type == nullptr) return;
    std::vector<TypePtr> elements;
    bool is_same = true;
    for (std::size_t i = 0; i < node->inputs().size(); ++i) {
        elements.push_back(node->input(i)->type());
        is_same = is_same && elements[i]->str() == type->contained()[i]->str();
        if (!elements[i]->is_subtype_of(*type->contained()[i])) return;
    }
    if (!is_same)
        node->output()->set_type(make_ptr<TupleType>(std::move(elements), std::string(type->name()), type->fields()));
}

// ---- integers

struct Equality {
    Value* value = nullptr;
    std::int64_t constant = 0;
};

// `value == constant` of an integer that is no constant itself.
std::optional<Equality> equality_of(const Node* node) {
    if (node->inputs().size() != 2 || node->outputs().size() != 1) return std::nullopt;
    for (const std::size_t side : {0U, 1U}) {
        const auto constant = constant_int(node->input(side));
        Value* value = node->input(1 - side);
        if (constant && !ir::is_constant(value) && value->type()->kind() == TypeKind::Int)
            return Equality{value, *constant};
    }
    return std::nullopt;
}

bool ends_in_exception(const Block* block) {
    const Node* last = block->return_node()->prev();
    return last->kind() == prim::RaiseException;
}

bool is_inside(const Node* node, const Block* block) {
    return node->block() != nullptr && node->block()->is_inside(block);
}

// In the nodes of a block, or behind a node.
template <typename Where>
void replace_uses(Graph& graph, const Equality& known, Node* origin, Node* before, const Where& where) {
    const std::vector<ir::Use> uses = known.value->uses();
    Value* constant = nullptr;
    for (const ir::Use& use : uses) {
        if (!where(use.user)) continue;
        if (constant == nullptr) {
            const ir::OriginScope scope(graph, {origin}, "RefineIntegerValues", "equal");
            constant = graph.create_constant(IValue(known.constant))->insert_before(before)->output();
        }
        use.user->replace_input(use.offset, constant);
    }
}

void refine_branches(Graph& graph, Node* branch) {
    static const Symbol kEq = Symbol::intern("aten::eq");
    static const Symbol kNe = Symbol::intern("aten::ne");
    Node* condition = branch->input(0)->node();
    const bool is_eq = condition->kind() == kEq;
    if (!is_eq && condition->kind() != kNe) return;
    const auto known = equality_of(condition);
    if (!known) return;
    Block* equal = branch->block_at(is_eq ? 0 : 1);
    const Block* unequal = branch->block_at(is_eq ? 1 : 0);
    replace_uses(graph, *known, condition, equal->param_node()->next(),
                 [&](const Node* user) { return is_inside(user, equal); });
    if (!ends_in_exception(unequal)) return;
    Node* next = branch->next();
    replace_uses(graph, *known, condition, next, [&](const Node* user) { return user->is_dominated_by(branch); });
}

}  // namespace

const Pass kRefineTupleTypes{"RefineTupleTypes", "Tuples know what is known of their elements.",
                             [](Graph& graph, const PassContext&) {
                                 for_each_node(graph.block(), [](Node* node) {
                                     if (node->kind() == prim::TupleConstruct) refine_tuple(node);
                                 });
                             }};

const Pass kRefineIntegerValues{"RefineIntegerValues",
                                "Where an integer was found equal to a constant, it is that constant.",
                                [](Graph& graph, const PassContext&) {
                                    for_each_node(graph.block(), [&graph](Node* node) {
                                        if (node->kind() == prim::If) refine_branches(graph, node);
                                    });
                                }};

}  // namespace loupe::passes
