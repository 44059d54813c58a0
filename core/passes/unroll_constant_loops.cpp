// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// PyTorch's limit.
constexpr std::int64_t kMostRepeats = 63;
// Nested loops multiply.
constexpr std::size_t kMostNodes = 10000;

std::size_t size_of(const Block* block) {
    std::size_t size = 0;
    for (const Node* node : block->nodes()) {
        ++size;
        for (std::size_t i = 0; i < node->block_count(); ++i) size += size_of(node->block_at(i));
    }
    return size;
}

bool can_unroll(const Node* loop) {
    const auto trips = constant_int(loop->input(0));
    if (!trips || *trips < 0 || *trips > kMostRepeats) return false;
    if (!constant_bool(loop->input(1)).value_or(false)) return false;
    const Block* body = loop->block_at(0);
    return constant_bool(body->outputs()[0]).value_or(false) &&
           size_of(body) * static_cast<std::size_t>(*trips) <= kMostNodes;
}

void unroll(Node* loop) {
    ir::Graph& graph = *loop->graph();
    const Block* body = loop->block_at(0);
    const ir::OriginScope origin(graph, {loop}, "UnrollConstantLoops", "unroll");
    std::vector<Value*> carried(loop->inputs().begin() + 2, loop->inputs().end());
    const std::int64_t trips = *constant_int(loop->input(0));
    for (std::int64_t trip = 0; trip < trips; ++trip) {
        ir::ValueMap map;
        map[body->inputs()[0]] = graph.create_constant(IValue(trip))->insert_before(loop)->output();
        for (std::size_t i = 0; i < carried.size(); ++i) map[body->inputs()[i + 1]] = carried[i];
        const auto mapped = [&map](Value* value) {
            const auto found = map.find(value);
            return found == map.end() ? value : found->second;
        };
        for (const Node* node : body->nodes()) {
            Node* copied = graph.create_copy(*node, mapped, false)->insert_before(loop);
            for (std::size_t i = 0; i < node->outputs().size(); ++i) map[node->output(i)] = copied->output(i);
            for (std::size_t i = 0; i < node->block_count(); ++i)
                copied->add_block()->copy_from(*node->block_at(i), map);
        }
        for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = mapped(body->outputs()[i + 1]);
    }
    for (std::size_t i = 0; i < carried.size(); ++i) loop->output(i)->replace_all_uses_with(carried[i]);
    loop->destroy();
}

void visit(Block* block) {
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        if (node->kind() == prim::Loop && can_unroll(node)) unroll(node);
    }
}

}  // namespace

const Pass kUnrollConstantLoops{"UnrollConstantLoops",
                                "Repeats the body of loops with a small constant number of rounds.",
                                [](ir::Graph& graph, const PassContext&) {
                                    visit(graph.block());
                                    remove_dead_code(graph);
                                }};

}  // namespace loupe::passes
