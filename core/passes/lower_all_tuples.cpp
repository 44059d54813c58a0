// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

bool is_tuple(const Value* value, std::size_t size) {
    return value->type()->kind() == TypeKind::Tuple && value->type()->contained().size() == size;
}
bool is_tuple(const Value* value) { return value->type()->kind() == TypeKind::Tuple; }

class Lowering {
  public:
    explicit Lowering(Graph& graph) : graph_(graph) {}

    void run() {
        lower_inputs(graph_.block());
        visit(graph_.block());
        lower_outputs(graph_.block());
    }

  private:
    // The tuple's elements, from its TupleConstruct or by a TupleUnpack before `place`.
    std::vector<Value*> elements_of(Value* tuple, Node* place) {
        if (tuple->node()->kind() == prim::TupleConstruct) return tuple->node()->inputs();
        const auto& types = tuple->type()->contained();
        if (tuple->node()->kind() == prim::Uninitialized) {  // cannot be unpacked
            std::vector<Value*> elements;
            for (const TypePtr& type : types) {
                Node* element = graph_.create(prim::Uninitialized)->insert_before(tuple->node());
                elements.push_back(element->output()->set_type(type));
            }
            return elements;
        }
        Node* unpack = graph_.create(prim::TupleUnpack, {tuple}, types.size())->insert_before(place);
        for (std::size_t i = 0; i < types.size(); ++i) unpack->output(i)->set_type(types[i]);
        return unpack->outputs();
    }

    // Uses of the tuple read one that is constructed from these values before `place`.
    void put_together(Value* tuple, const std::vector<Value*>& elements, Node* place) {
        if (!tuple->has_uses()) return;
        Node* construct = graph_.create(prim::TupleConstruct, elements)->insert_before(place);
        construct->output()->set_type(tuple->type());
        tuple->replace_all_uses_with(construct->output());
    }

    // Replaces tuple output i of node (or a block's Param node) by a value per element.
    std::vector<Value*> add_outputs(Node* node, std::size_t i) {
        std::vector<Value*> elements;
        const TypePtr type = node->output(i)->type();
        for (std::size_t e = 0; e < type->contained().size(); ++e) {
            elements.push_back(node->insert_output(i + 1 + e)->set_type(type->contained()[e]));
        }
        return elements;
    }

    static void replace_input(Node* node, std::size_t i, const std::vector<Value*>& elements) {
        for (std::size_t e = 0; e < elements.size(); ++e) node->insert_input(i + 1 + e, elements[e]);
        node->remove_input(i);
    }

    void lower_inputs(Block* block) {
        const ir::OriginScope origin(graph_, {block->param_node()}, "LowerAllTuples", "inputs");
        for (std::size_t i = 0; i < block->inputs().size();) {
            if (!is_tuple(block->inputs()[i])) {
                ++i;
                continue;
            }
            Value* tuple = block->inputs()[i];
            put_together(tuple, add_outputs(block->param_node(), i), block->param_node()->next());
            block->param_node()->erase_output(i);
        }
    }

    void lower_outputs(Block* block) {
        Node* last = block->return_node();
        const ir::OriginScope origin(graph_, {last}, "LowerAllTuples", "outputs");
        for (std::size_t i = 0; i < last->inputs().size();) {
            if (is_tuple(last->input(i)))
                replace_input(last, i, elements_of(last->input(i), last));
            else
                ++i;
        }
    }

    // A tuple that is a constant is put together of constants.
    void expand_constant(Node* node) {
        if (!is_tuple(node->output()) || !node->output()->has_uses()) return;
        const auto value = ir::constant_of(node);
        if (!value || !value->is_tuple()) return;
        const ir::OriginScope origin(graph_, {node}, "LowerAllTuples", "constant");
        const auto& types = node->output()->type()->contained();
        std::vector<Value*> elements;
        for (std::size_t i = 0; i < types.size(); ++i) {
            const IValue& element = value->to_tuple().elements[i];
            Node* constant =
                graph_.create_constant(element, element.is_tensor() ? nullptr : types[i])->insert_before(node);
            elements.push_back(constant->output());
        }
        put_together(node->output(), elements, node->next());
        // Tuples in tuples, now that they are read.
        for (const Value* element : elements) expand_constant(element->node());
    }

    void visit(Block* block) {
        for (Node* node : block->nodes()) {
            if (node->kind() == prim::Constant) expand_constant(node);
            if (node->kind() == prim::If) lower_if(node);
            if (node->kind() == prim::Loop) lower_loop(node);
            for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        }
    }

    void lower_if(Node* node) {
        const ir::OriginScope origin(graph_, {node}, "LowerAllTuples", "branches");
        for (std::size_t i = 0; i < node->outputs().size();) {
            const std::size_t size = node->output(i)->type()->contained().size();
            const bool fits = is_tuple(node->output(i)) && is_tuple(node->block_at(0)->outputs()[i], size) &&
                              is_tuple(node->block_at(1)->outputs()[i], size);
            if (!fits) {
                ++i;
                continue;
            }
            put_together(node->output(i), add_outputs(node, i), node->next());
            node->erase_output(i);
            for (const std::size_t b : {0U, 1U}) {
                Node* last = node->block_at(b)->return_node();
                replace_input(last, i, elements_of(last->input(i), last));
            }
        }
    }

    void lower_loop(Node* node) {
        const ir::OriginScope origin(graph_, {node}, "LowerAllTuples", "carried");
        Block* body = node->block_at(0);
        for (std::size_t i = 0; i < node->outputs().size();) {
            const std::size_t size = node->output(i)->type()->contained().size();
            const bool fits = is_tuple(node->output(i)) && is_tuple(node->input(i + 2), size) &&
                              is_tuple(body->inputs()[i + 1], size) && is_tuple(body->outputs()[i + 1], size);
            if (!fits) {
                ++i;
                continue;
            }
            put_together(node->output(i), add_outputs(node, i), node->next());
            node->erase_output(i);
            put_together(body->inputs()[i + 1], add_outputs(body->param_node(), i + 1), body->param_node()->next());
            body->erase_input(i + 1);
            replace_input(node, i + 2, elements_of(node->input(i + 2), node));
            replace_input(body->return_node(), i + 1, elements_of(body->outputs()[i + 1], body->return_node()));
        }
    }

    Graph& graph_;
};

void run(Graph& graph, const PassContext& context) {
    Lowering(graph).run();
    kLowerSimpleTuples.run(graph, context);
}

}  // namespace

const Pass kLowerAllTuples{"LowerAllTuples", "Takes tuples apart everywhere, inputs and outputs of the graph too.",
                           run};

}  // namespace loupe::passes
