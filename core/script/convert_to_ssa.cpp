// SPDX-License-Identifier: Apache-2.0
#include "core/script/convert_to_ssa.h"

#include <cassert>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/script/builder.h"
#include "core/script/environment.h"
#include "core/script/symbols.h"

namespace loupe::script {
namespace {

// Variables of nested blocks. Sorted, so that graphs are deterministic.
template <typename T>
struct Frame {
    const Frame* parent = nullptr;
    std::map<std::string, T> variables = {};

    const T* find(const std::string& name) const {
        for (const Frame* frame = this; frame != nullptr; frame = frame->parent) {
            const auto found = frame->variables.find(name);
            if (found != frame->variables.end()) return &found->second;
        }
        return nullptr;
    }
};

std::vector<ir::Node*> nodes_of(const ir::Block* block) {
    std::vector<ir::Node*> nodes;
    for (ir::Node* node : block->nodes()) nodes.push_back(node);
    return nodes;
}

ir::Node* create_load(ir::Graph& graph, const std::string& name, const TypePtr& type) {
    ir::Node* node = graph.create(ir::prim::Load);
    node->set_s(ir::attr::name, name);
    node->output()->set_type(type);
    return node;
}

// Gives If and Loop nodes outputs for the variables that are assigned inside, as loads before the end of a block and
// stores after the node.
class ControlFlowLoadStores {
  public:
    explicit ControlFlowLoadStores(ir::Graph& graph) : graph_(graph) {}
    void run() { visit(graph_.block(), nullptr); }

  private:
    using Types = Frame<TypePtr>;

    Types visit(ir::Block* block, const Types* parent) {
        Types frame{parent};
        for (ir::Node* node : nodes_of(block)) {
            if (node->kind() == ir::prim::If) {
                visit_if(node, frame);
            } else if (node->kind() == ir::prim::Loop) {
                visit_loop(node, frame);
            } else if (node->kind() == ir::prim::Closure || node->kind() == symbols().comprehension_scope) {
                visit(node->block_at(0), &frame);
            } else if (node->kind() == ir::prim::Store) {
                frame.variables[node->s(ir::attr::name)] = node->input()->type();
            }
        }
        return frame;
    }

    void visit_if(ir::Node* node, Types& frame) {
        const Types if_true = visit(node->block_at(0), &frame);
        const Types if_false = visit(node->block_at(1), &frame);
        std::set<std::string> names;
        for (const auto& [name, type] : if_true.variables) {
            if (if_false.find(name) != nullptr) names.insert(name);
        }
        for (const auto& [name, type] : if_false.variables) {
            if (if_true.find(name) != nullptr) names.insert(name);
        }
        ir::Node* after = node;
        for (const std::string& name : names) {
            const TypePtr& true_type = *if_true.find(name);
            const TypePtr& false_type = *if_false.find(name);
            auto unified = unify_types(true_type, false_type);
            if (!unified && frame.find(name) != nullptr) unified = unify_or_union(true_type, false_type);
            if (!unified) continue;
            add_block_output(node->block_at(0), name, true_type);
            add_block_output(node->block_at(1), name, false_type);
            after = add_node_output(node, after, name, *unified);
            frame.variables[name] = *unified;
        }
    }

    void visit_loop(ir::Node* node, Types& frame) {
        ir::Block* body = node->block_at(0);
        const Types inner = visit(body, &frame);
        ir::Node* after = node;
        ir::Node* first = body->param_node();
        for (const auto& [name, type] : inner.variables) {
            const TypePtr* outer = frame.find(name);
            if (outer == nullptr) continue;
            const TypePtr unified = unify_or_union(*outer, type);
            ir::Node* load = create_load(graph_, name, *outer);
            node->add_input(load->insert_before(node)->output());
            ir::Value* carried = body->add_input(is_meaningful_name(name) || name.front() == '_' ? name : "");
            carried->set_type(unified);
            ir::Node* store = create_store(graph_, name, carried);
            first = store->insert_after(first);
            add_block_output(body, name, type);
            after = add_node_output(node, after, name, unified);
            frame.variables[name] = unified;
        }
    }

    void add_block_output(ir::Block* block, const std::string& name, const TypePtr& type) {
        block->add_output(block->append(create_load(graph_, name, type))->output());
    }

    // Returns the store that was put after `after`.
    ir::Node* add_node_output(ir::Node* node, ir::Node* after, const std::string& name, const TypePtr& type) {
        ir::Value* output = node->add_output()->set_type(type);
        if (is_meaningful_name(name)) output->set_name(name);
        return create_store(graph_, name, output)->insert_after(after);
    }

    ir::Graph& graph_;
};

// break and continue become LoopContinuation nodes: whether the loop continues, and its carried values.
class LoopContinuations {
  public:
    explicit LoopContinuations(ir::Graph& graph) : graph_(graph) {}
    void run(ir::Block* block) {
        const ir::InsertPointScope scope(graph_, block->param_node()->next());
        never_ = graph_.insert_constant(IValue(false));
        visit(block);
    }

  private:
    void visit(ir::Block* block) {
        for (ir::Node* node : nodes_of(block)) {
            if (node->kind() == ir::prim::If) {
                visit(node->block_at(0));
                visit(node->block_at(1));
            } else if (node->kind() == ir::prim::Closure) {
                LoopContinuations(graph_).run(node->block_at(0));
            } else if (node->kind() == symbols().comprehension_scope) {
                visit(node->block_at(0));
            } else if (node->kind() == ir::prim::Loop) {
                ir::Node* outer = std::exchange(loop_, node);
                visit(node->block_at(0));
                loop_ = outer;
            } else if (node->kind() == ir::prim::ContinueStmt) {
                ir::Node* exit = graph_.create(ir::prim::LoopContinuation, 0)->insert_after(node);
                exit->add_input(copy_condition(node));
                add_carried(exit);
                node->destroy();
            } else if (node->kind() == ir::prim::BreakStmt) {
                ir::Node* exit = graph_.create(ir::prim::LoopContinuation, 0)->insert_after(node);
                exit->add_input(never_);
                add_carried(exit);
                node->destroy();
            }
        }
    }

    // The condition of the loop, evaluated before the node.
    ir::Value* copy_condition(ir::Node* before) {
        const ir::Block* condition = loop_->block_at(1);
        ir::ValueMap map;
        copy_nodes_before(before, *condition, map);
        ir::Value* value = condition->outputs().front();
        return map.contains(value) ? map[value] : value;
    }

    void add_carried(ir::Node* exit) {
        for (const ir::Value* output : loop_->block_at(0)->outputs()) {
            ir::Node* load = create_load(graph_, output->node()->s(ir::attr::name), output->type());
            exit->add_input(load->insert_before(exit)->output());
        }
    }

    ir::Graph& graph_;
    ir::Value* never_ = nullptr;
    ir::Node* loop_ = nullptr;
};

// The condition block of a loop is evaluated before the loop and at the end of its body.
void inline_loop_condition(ir::Node* loop) {
    ir::Block* body = loop->block_at(0);
    ir::Block* condition = loop->block_at(1);
    ir::ValueMap map;
    copy_nodes_before(loop, *condition, map);
    ir::Value* value = condition->outputs().front();
    loop->insert_input(1, map.contains(value) ? map[value] : value);
    for (ir::Node* node : nodes_of(condition)) node->move_before(body->return_node());
    body->insert_output(0, condition->outputs().front());
    loop->erase_block(1);
}

void inline_loop_conditions(ir::Block* block) {
    for (ir::Node* node : nodes_of(block)) {
        for (std::size_t i = 0; i < node->block_count(); ++i) inline_loop_conditions(node->block_at(i));
        if (node->kind() == ir::prim::Loop) inline_loop_condition(node);
    }
}

// Replaces each load by the variable's value.
class EraseLoadStores {
  public:
    void visit(ir::Block* block, const Frame<ir::Value*>* parent) {
        Frame<ir::Value*> frame{parent};
        for (ir::Node* node : nodes_of(block)) {
            if (node->kind() == ir::prim::Store) {
                frame.variables[node->s(ir::attr::name)] = node->input();
                node->destroy();
            } else if (node->kind() == ir::prim::Load) {
                ir::Value* const* value = frame.find(node->s(ir::attr::name));
                assert(value != nullptr);
                node->output()->replace_all_uses_with(*value);
                node->destroy();
            } else if (node->kind() == symbols().comprehension_scope) {
                visit(node->block_at(0), &frame);
                for (ir::Node* inner : nodes_of(node->block_at(0))) inner->move_before(node);
                node->destroy();
            } else {
                for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i), &frame);
            }
        }
    }
};

}  // namespace

void convert_to_ssa(ir::Graph& graph) {
    ControlFlowLoadStores(graph).run();
    LoopContinuations(graph).run(graph.block());
    inline_loop_conditions(graph.block());
    EraseLoadStores().visit(graph.block(), nullptr);
    transform_exits(graph);
}

}  // namespace loupe::script
