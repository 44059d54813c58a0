// SPDX-License-Identifier: Apache-2.0
// prim::profile marks where the profiling executor records tensor types: those of inputs and of shape propagation.
#include "core/passes/profile.h"

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

bool is_complete(const TensorType& type) {
    if (!type.dtype || !type.device || !type.sizes || !type.strides || type.sizes->size() != type.strides->size())
        return false;
    for (const auto& size : *type.sizes) {
        if (!size || *size < 0) return false;
    }
    for (const auto& stride : *type.strides) {
        if (!stride) return false;
    }
    return true;
}

bool is_autograd_kind(Symbol kind) { return kind.str().starts_with("prim::Autograd"); }

namespace {

const Symbol& seen_none() {
    static const Symbol kName = Symbol::intern("seen_none");
    return kName;
}

bool is_profiled(const Node* node) {
    return is_pointwise(node) || is_autograd_kind(node->kind()) || node->kind() == prim::DifferentiableGraph;
}

void note(Graph& graph, Node* user, std::size_t offset) {
    Value* value = user->input(offset);
    if (value->type()->kind() != TypeKind::Tensor || value->node()->kind() == prim::profile ||
        value->node()->kind() == prim::Constant)
        return;
    Node* profile = graph.create(prim::profile, {value})->insert_before(user);
    profile->set_ty(profiled_type_attribute(), value->type());
    profile->set_i(seen_none(), 0);
    profile->output()->set_type(types::tensor());
    user->replace_input(offset, profile->output());
}

void instrument(Graph& graph, Block* block) {
    for (Node* node : block->nodes()) {
        if (is_profiled(node)) {
            for (std::size_t i = 0; i < node->inputs().size(); ++i) note(graph, node, i);
        }
        for (std::size_t i = 0; i < node->block_count(); ++i) instrument(graph, node->block_at(i));
    }
    // On results too, so that a use is in the block of its definition.
    for (std::size_t i = 0; i < block->outputs().size(); ++i) {
        if (is_profiled(block->outputs()[i]->node())) note(graph, block->return_node(), i);
    }
}

bool has_profiles(Graph& graph) {
    bool found = false;
    for_each_node(graph.block(), [&found](const Node* node) { found = found || node->kind() == prim::profile; });
    return found;
}

void insert_profiles(Graph& graph, const PassContext&) {
    if (has_profiles(graph)) return;
    instrument(graph, graph.block());
    // Counts the runs.
    graph.create(prim::profile, 0)->insert_before(graph.return_node());
}

void remove(Node* profile) {
    if (!profile->outputs().empty()) profile->output()->replace_all_uses_with(profile->input());
    profile->destroy();
}

// The common type of a value's profiles; none where they differ.
void specialize(Graph& graph, const PassContext&) {
    std::vector<Node*> profiles;
    std::unordered_map<Value*, TypePtr> seen;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->kind() != prim::profile) return;
        profiles.push_back(node);
        if (node->inputs().empty() || !node->has_attribute(profiled_type_attribute())) return;
        const TypePtr& type = node->ty(profiled_type_attribute());
        const auto [place, is_new] = seen.try_emplace(node->input(), type);
        if (!is_new && place->second && place->second->str() != type->str()) place->second = nullptr;
    });
    for (Node* profile : profiles) remove(profile);
    for (const auto& [value, type] : seen) {
        if (type && type->as<TensorType>()->is_refined()) value->set_type(type);
    }
}

}  // namespace

const Pass kInsertProfileNodes{"InsertProfileNodes",
                               "Notes the types of the tensors that pointwise operators read, where they are read.",
                               insert_profiles};
const Pass kRemoveProfilingNodes{"RemoveProfilingNodes", "Takes the notes out and forgets them.",
                                 [](Graph& graph, const PassContext&) {
                                     for_each_node(graph.block(), [](Node* node) {
                                         if (node->kind() == prim::profile) remove(node);
                                     });
                                 }};
const Pass kRemoveProfileNodesAndSpecializeTypes{"RemoveProfileNodesAndSpecializeTypes",
                                                 "Takes the notes out: what they say are the types now.", specialize};

}  // namespace loupe::passes
