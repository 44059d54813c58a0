// SPDX-License-Identifier: Apache-2.0
#include "core/passes/bailout_graph.h"

#include "core/base/error.h"
#include "core/base/strings.h"
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

// Copies the nodes after one of a graph to a new graph, including the continuation of its outer blocks.
class Rest {
  public:
    explicit Rest(const Node* node) : node_(node) {}

    // The inputs of the new graph, in this order; more follow for other values that it reads.
    void take(const Value* value) { capture(value); }
    void stands_for(const Value* value, const Value* known) { known_[value] = known_.at(known); }

    Ptr<Graph> build() {
        rest_of_block(node_->block(), node_->next());
        return graph_;
    }
    const std::vector<Value*>& captured() const { return captured_; }

  private:
    Value* capture(const Value* value) {
        captured_.push_back(const_cast<Value*>(value));
        Value* input = graph_->add_input({}, value->type());
        input->copy_metadata(*value);
        return known_[value] = input;
    }

    Value* find(const Value* value) {
        if (const auto found = known_.find(value); found != known_.end()) return found->second;
        if (value->node()->kind() != prim::Constant) return capture(value);
        Node* constant = graph_->create_copy(*value->node(), [](Value* input) { return input; });
        graph_->block()->prepend(constant);
        return known_[value] = constant->output();
    }

    void rest_of_block(const Block* block, const Node* first) {
        for (const Node* node = first; node != block->return_node(); node = node->next()) append(node);
        const Node* owner = block->owning_node();
        if (owner == nullptr) {
            for (const Value* output : block->outputs()) graph_->add_output(find(output));
            return;
        }
        if (owner->kind() == prim::Loop)
            go_on_with_loop(owner, block);
        else
            for (std::size_t i = 0; i < owner->outputs().size(); ++i)
                known_[owner->output(i)] = find(block->outputs()[i]);
        rest_of_block(owner->block(), owner->next());
    }

    void append(const Node* node) {
        if (node->kind() == prim::Constant) return;
        Node* copy = graph_->create_copy(*node, [this](Value* value) { return find(value); });
        graph_->block()->append(copy);
        for (std::size_t i = 0; i < node->outputs().size(); ++i) known_[node->output(i)] = copy->output(i);
    }

    // The remaining iterations of the loop, with continued counting.
    void go_on_with_loop(const Node* loop, const Block* body) {
        graph_->set_insert_point(graph_->block());
        Value* one = graph_->insert_constant(IValue(std::int64_t{1}));
        Value* done = graph_->insert_op(Symbol::intern("aten::add"), {find(body->inputs()[0]), one});
        std::vector<Value*> inputs{graph_->insert_op(Symbol::intern("aten::sub"), {find(loop->input(0)), done})};
        for (const Value* carried : body->outputs()) inputs.push_back(find(carried));
        Node* rest = graph_->create(prim::Loop, inputs, loop->outputs().size());
        rest->copy_metadata(*loop);
        graph_->block()->append(rest);
        copy_body(*body, rest->add_block());
        count_from(rest->block_at(0), done);
        for (std::size_t i = 0; i < loop->outputs().size(); ++i) {
            rest->output(i)->copy_metadata(*loop->output(i));
            known_[loop->output(i)] = rest->output(i);
        }
    }

    void copy_body(const Block& body, Block* to) {
        ir::ValueMap map;
        find_outer(body, body, map);
        to->copy_from(body, map);
    }

    void find_outer(const Block& body, const Block& inner, ir::ValueMap& map) {
        const auto look = [&](const Value* value) {
            if (!value->node()->block()->is_inside(&body)) map[value] = find(value);
        };
        for (const Node* node : inner.nodes()) {
            for (const Value* input : node->inputs()) look(input);
            for (std::size_t i = 0; i < node->block_count(); ++i) find_outer(body, *node->block_at(i), map);
        }
        for (const Value* output : inner.outputs()) look(output);
    }

    void count_from(Block* body, Value* done) {
        Value* index = body->inputs()[0];
        if (!index->has_uses()) return;
        Node* sum = graph_->create(Symbol::intern("aten::add"), {done, done});
        body->prepend(sum);
        sum->output()->set_type(types::integer());
        index->replace_all_uses_with(sum->output());
        sum->replace_input(0, index);
    }

    const Node* node_;
    Ptr<Graph> graph_ = make_ptr<Graph>();
    ir::ValueMap known_;
    std::vector<Value*> captured_;
};

Node* find_bailout(Graph& graph, std::int64_t index) {
    Node* found = nullptr;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->kind() == bailout_kind() && node->i(bailout_index()) == index) found = node;
    });
    if (found == nullptr)
        throw Error(ErrorKind::Internal, concat("the template of the graph has no prim::BailOut of index ", index));
    return found;
}

void let_all_pass(Graph& graph, const Node* except) {
    for_each_node(graph.block(), [except](Node* node) {
        if (node->kind() != bailout_kind() || node == except) return;
        node->output()->replace_all_uses_with(checked_value(node));
        node->destroy();
    });
}

}  // namespace

const Symbol& bailout_kind() {
    static const Symbol kKind = Symbol::intern("prim::BailOut");
    return kKind;
}

const Symbol& bailout_template_kind() {
    static const Symbol kKind = Symbol::intern("prim::BailoutTemplate");
    return kKind;
}

const Symbol& bailout_index() {
    static const Symbol kName = Symbol::intern("index");
    return kName;
}

Value* checked_value(const Node* bailout) {
    return bailout->input(bailout->input(0)->node()->kind() == bailout_template_kind() ? 1 : 0);
}

std::vector<Value*> live_after(const Node* node) {
    Rest rest(node);
    rest.build();
    return rest.captured();
}

Ptr<Graph> bailout_graph(const Graph& from_template, std::int64_t index) {
    const Ptr<Graph> whole = from_template.copy();
    Node* bailout = find_bailout(*whole, index);
    let_all_pass(*whole, bailout);
    Rest rest(bailout);
    for (const Value* input : bailout->inputs()) rest.take(input);
    rest.stands_for(bailout->output(), bailout->input(0));
    const Ptr<Graph> graph = rest.build();
    let_all_pass(*graph, nullptr);
    remove_dead_code(*graph);
    kEraseShapeInformation.run(*graph, {});
    return graph;
}

}  // namespace loupe::passes
