// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

constexpr std::int64_t kRounds = 1;

// Carried gradients are undefined in the first iteration and defined in later ones.
bool is_undefined(const Value* value) {
    const auto* type = value->type()->as<TensorType>();
    if (type == nullptr) return false;
    if (type->undefined) return true;
    if (value->node()->kind() != prim::profile || !value->node()->has_attribute(Symbol::intern("profiled_type")))
        return false;
    const auto* profiled = value->node()->ty(Symbol::intern("profiled_type"))->as<TensorType>();
    return profiled != nullptr && profiled->undefined;
}

// Created by peeling.
bool is_peeled(const Node* loop) {
    const Node* trips = loop->input(0)->node();
    return trips->kind() == prim::min && trips->inputs().size() == 2 && constant_int(trips->input(1)) == kRounds;
}

bool is_peelable(const Node* loop) {
    return loop->kind() == prim::Loop && !is_peeled(loop) && loop->block_count() == 1 &&
           std::any_of(loop->inputs().begin() + 2, loop->inputs().end(), is_undefined);
}

// Its last condition is a result of the loop, for the remaining loop.
void give_condition(Node* loop) {
    Block* body = loop->block_at(0);
    loop->add_input(loop->input(1));
    body->add_input()->set_type(types::boolean());
    body->add_output(body->outputs()[0]);
    loop->add_output()->set_type(types::boolean());
}

// A copy of the loop that runs at most this many iterations, and the loop for the remaining ones.
void peel(Graph& graph, Node* loop) {
    const ir::OriginScope origin(graph, {loop}, "PeelProfilingLoops", "peel");
    const ir::InsertPointScope place(graph, loop);
    Value* rounds = graph.insert_constant(IValue(kRounds));
    Value* first_trips = graph.insert_op(prim::min, {loop->input(0), rounds});
    Node* first = graph.insert(graph.create_copy(*loop, [](Value* value) { return value; }));
    give_condition(first);
    first->replace_input(0, first_trips);
    loop->replace_input(0, graph.insert_op(Symbol::intern("aten::sub"), {loop->input(0), first_trips}));
    const std::size_t carried = loop->outputs().size();
    loop->replace_input(1, first->output(carried));
    for (std::size_t i = 0; i < carried; ++i) loop->replace_input(i + 2, first->output(i));
    Block* body = loop->block_at(0);
    Value* counter = body->inputs()[0];
    if (!counter->has_uses()) return;
    const ir::InsertPointScope start(graph, body->param_node()->next());
    Value* counted = graph.insert_op(Symbol::intern("aten::add"), {counter, first_trips});
    counter->replace_all_uses_after_with(counted->node(), counted);
}

}  // namespace

const Pass kPeelProfilingLoops{"PeelProfilingLoops",
                               "The first round of loops that carry what is not yet defined stands alone.",
                               [](Graph& graph, const PassContext&) {
                                   std::vector<Node*> loops;
                                   for_each_node(graph.block(), [&loops](Node* node) {
                                       if (is_peelable(node)) loops.push_back(node);
                                   });
                                   for (Node* loop : loops) peel(graph, loop);
                               }};

}  // namespace loupe::passes
