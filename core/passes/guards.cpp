// SPDX-License-Identifier: Apache-2.0
// prim::Guard returns a tensor of its type and fails for another.
#include <algorithm>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/profile.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

void guard(Graph& graph, Node* profile) {
    const bool has_type = !profile->inputs().empty() && profile->has_attribute(profiled_type_attribute());
    const auto* type = has_type ? profile->ty(profiled_type_attribute())->as<TensorType>() : nullptr;
    if (type != nullptr && is_complete(*type)) {
        const ir::OriginScope origin(graph, {profile}, "InsertGuards", "guard");
        Node* made = graph.create(prim::Guard, {profile->input()})->insert_before(profile);
        made->output()->set_type(profile->ty(profiled_type_attribute()));
        profile->output()->replace_all_uses_with(made->output());
    } else if (!profile->outputs().empty()) {
        profile->output()->replace_all_uses_with(profile->input());
    }
    profile->destroy();
}

void drop(Node* redundant, Value* instead) {
    redundant->output()->replace_all_uses_with(instead);
    redundant->destroy();
}

// Redundant after a dominating guard of the same type.
bool remove_if_dominated(Node* node) {
    const std::string type = node->output()->type()->str();
    for (const ir::Use& use : node->input()->uses()) {
        Node* other = use.user;
        if (other == node || other->kind() != prim::Guard || other->output()->type()->str() != type ||
            !node->is_dominated_by(other))
            continue;
        drop(node, other->output());
        return true;
    }
    return false;
}

bool is_settled(const Value* value) {
    return value->type()->kind() != TypeKind::Tensor || value->node()->kind() == prim::Guard ||
           value->node()->kind() == prim::Constant;
}

// The result type of a pointwise operator follows from its inputs.
bool follows_from_inputs(const Node* node) {
    const Node* maker = node->input()->node();
    if (!is_pointwise(maker) || maker->block() != node->block()) return false;
    const bool reads_a_guarded = std::any_of(maker->inputs().begin(), maker->inputs().end(),
                                             [](const Value* value) { return value->node()->kind() == prim::Guard; });
    return reads_a_guarded && std::all_of(maker->inputs().begin(), maker->inputs().end(), is_settled);
}

void eliminate(Graph& graph, const PassContext&) {
    for_each_node(graph.block(), [](Node* node) {
        if (node->kind() != prim::Guard) return;
        if (node->input()->node()->kind() == prim::Guard &&
            node->input()->type()->str() == node->output()->type()->str()) {
            drop(node, node->input());
        } else if (!remove_if_dominated(node) && follows_from_inputs(node)) {
            // The value comes from a guarded operator: a guard of its input replaces this one.
            node->input()->set_type(node->output()->type());
        }
    });
    std::vector<Node*> guards;
    for_each_node(graph.block(), [&guards](Node* node) {
        if (node->kind() == prim::Guard && follows_from_inputs(node)) guards.push_back(node);
    });
    // From the end, so that guards are checked while those that they depend on exist.
    for (auto node = guards.rbegin(); node != guards.rend(); ++node) drop(*node, (*node)->input());
}

}  // namespace

const Pass kInsertGuards{"InsertGuards", "Notes of profiling become guards of the types that were seen.",
                         [](Graph& graph, const PassContext&) {
                             std::vector<Node*> profiles;
                             for_each_node(graph.block(), [&profiles](Node* node) {
                                 if (node->kind() == prim::profile) profiles.push_back(node);
                             });
                             for (Node* profile : profiles) guard(graph, profile);
                         }};
const Pass kEliminateRedundantGuards{"EliminateRedundantGuards", "Guards that follow from others go.", eliminate};

}  // namespace loupe::passes
