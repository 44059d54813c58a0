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

// PyTorch's numbers.
constexpr std::int64_t kFactor = 8;
constexpr std::size_t kLargestBody = 32;
constexpr std::int64_t kMostRepeats = 8;

std::size_t size_of(const Block* block) {
    std::size_t size = 0;
    for (const Node* node : block->nodes()) {
        if (node->kind() != prim::Constant) ++size;
        for (std::size_t i = 0; i < node->block_count(); ++i) size += size_of(node->block_at(i));
    }
    return size;
}

bool is_kind(const Value* value, const char* kind) { return value->node()->kind().str() == kind; }

// Of a loop that was unrolled before: n // 8 rounds, and the n - n // 8 * 8 left.
bool is_unrolled(const Node* loop) {
    const Value* trips = loop->input(0);
    const auto is_eighth = [](const Value* v) {
        return is_kind(v, "aten::__round_to_zero_floordiv") && constant_int(v->node()->input(1)) == kFactor;
    };
    if (is_eighth(trips)) return true;
    if (!is_kind(trips, "aten::sub")) return false;
    const Value* done = trips->node()->input(1);
    return is_kind(done, "aten::mul") && is_eighth(done->node()->input(0));
}

bool is_for(const Node* loop) {
    return constant_bool(loop->input(1)).value_or(false) &&
           constant_bool(loop->block_at(0)->outputs()[0]).value_or(false);
}

// A carried counter, from which the remaining iterations continue.
void carry_counter(Graph& graph, Node* loop) {
    Block* body = loop->block_at(0);
    Value* zero = graph.create_constant(IValue(0))->insert_before(loop)->output();
    loop->insert_input(2, zero);
    loop->insert_output(0)->set_type(types::integer());
    Value* counter = body->insert_input(1)->set_type(types::integer());
    body->inputs()[0]->replace_all_uses_with(counter);
    const ir::InsertPointScope place(graph, body);
    Value* one = graph.insert_constant(IValue(1));
    body->insert_output(1, graph.insert_op(Symbol::intern("aten::add"), {counter, one}));
}

// Copies the body this many times before `place` or at the end of `to`.
std::vector<Value*> repeat(Graph& graph, const Block* body, std::int64_t times, Value* index,
                           std::vector<Value*> carried, const std::function<void(Node*)>& put) {
    for (std::int64_t time = 0; time < times; ++time) {
        ir::ValueMap map;
        map[body->inputs()[0]] = index;
        for (std::size_t i = 0; i < carried.size(); ++i) map[body->inputs()[i + 1]] = carried[i];
        const auto mapped = [&map](Value* value) {
            const auto found = map.find(value);
            return found == map.end() ? value : found->second;
        };
        for (const Node* node : body->nodes()) {
            Node* copied = graph.create_copy(*node, mapped, false);
            put(copied);
            for (std::size_t i = 0; i < node->outputs().size(); ++i) map[node->output(i)] = copied->output(i);
            for (std::size_t i = 0; i < node->block_count(); ++i)
                copied->add_block()->copy_from(*node->block_at(i), map);
        }
        for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = mapped(body->outputs()[i + 1]);
    }
    return carried;
}

void unroll_whole(Graph& graph, Node* loop, std::int64_t trips) {
    std::vector<Value*> carried(loop->inputs().begin() + 2, loop->inputs().end());
    carried = repeat(graph, loop->block_at(0), trips, loop->input(0), std::move(carried),
                     [loop](Node* node) { node->insert_before(loop); });
    for (std::size_t i = 0; i < carried.size(); ++i) loop->output(i)->replace_all_uses_with(carried[i]);
    loop->destroy();
}

void unroll_by_factor(Graph& graph, Node* loop) {
    Node* rest = graph.create_copy(*loop, [](Value* value) { return value; })->insert_after(loop);
    for (std::size_t i = 0; i < loop->outputs().size(); ++i) {
        loop->output(i)->replace_all_uses_with(rest->output(i));
        rest->replace_input(i + 2, loop->output(i));
    }
    const Block* body = loop->block_at(0);
    Block* repeated = loop->add_block();
    Value* index = repeated->add_input()->set_type(types::integer());
    std::vector<Value*> carried;
    for (std::size_t i = 1; i < body->inputs().size(); ++i)
        carried.push_back(repeated->add_input()->set_type(body->inputs()[i]->type()));
    repeated->add_output(body->outputs()[0]);
    carried =
        repeat(graph, body, kFactor, index, std::move(carried), [repeated](Node* node) { repeated->append(node); });
    for (Value* value : carried) repeated->add_output(value);
    loop->erase_block(0);

    const ir::InsertPointScope place(graph, loop);
    Value* trips = loop->input(0);
    Value* factor = graph.insert_constant(IValue(kFactor));
    Value* rounds = graph.insert_op(Symbol::intern("aten::__round_to_zero_floordiv"), {trips, factor});
    loop->replace_input(0, rounds);
    Value* again = graph.insert_constant(IValue(kFactor));
    Value* done = graph.insert_op(Symbol::intern("aten::mul"), {rounds, again});
    rest->replace_input(0, graph.insert_op(Symbol::intern("aten::sub"), {trips, done}));
}

void unroll(Graph& graph, Node* loop) {
    const Block* body = loop->block_at(0);
    const bool continues_outside = body->outputs()[0]->node()->block() != body;
    if (size_of(body) > kLargestBody || !is_for(loop) || is_unrolled(loop) || !continues_outside) return;
    const ir::OriginScope origin(graph, {loop}, "UnrollLoops", "unroll");
    if (body->inputs()[0]->has_uses()) carry_counter(graph, loop);
    const auto trips = constant_int(loop->input(0));
    if (trips && *trips < kMostRepeats)
        unroll_whole(graph, loop, std::max<std::int64_t>(*trips, 0));
    else
        unroll_by_factor(graph, loop);
}

void run(Graph& graph, const PassContext&) {
    std::vector<Node*> loops;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->kind() == prim::Loop && node->block_count() == 1) loops.push_back(node);
    });
    for (Node* loop : loops) unroll(graph, loop);
    if (!loops.empty()) remove_dead_code(graph);
}

}  // namespace

const Pass kUnrollLoops{"UnrollLoops",
                        "Repeats the body of short loops, eight rounds in one where the number is not known.", run};

}  // namespace loupe::passes
