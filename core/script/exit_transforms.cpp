// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <utility>
#include <vector>

#include "core/script/builder.h"
#include "core/script/convert_to_ssa.h"

namespace loupe::script {
namespace {

// Does a block reach the exit that is being lowered? Throws: it raises before it could.
enum class Status : std::uint8_t { Will, Might, Wont, Throws };

// Whether the exit was reached, as a bool of the graph, and the values that it takes along.
struct Exit {
    Status status = Status::Wont;
    ir::Value* reached = nullptr;
    std::vector<ir::Value*> values = {};
};

// Lowers all exits of one kind: ReturnStmt, whose target is the graph's or a closure's block, or LoopContinuation,
// whose target is the body of the loop around it.
class ExitTransformer {
  public:
    ExitTransformer(ir::Graph& graph, ir::Symbol kind) : graph_(graph), kind_(kind) {
        const ir::InsertPointScope scope(graph_, graph_.param_node()->next());
        true_ = graph_.insert_constant(IValue(true));
        false_ = graph_.insert_constant(IValue(false));
        throws_ = any_value(types::boolean());
    }
    void run() { visit(graph_.block()); }

  private:
    Exit wont() const { return {Status::Wont, false_}; }
    Exit throws() const { return {Status::Throws, throws_}; }

    bool is_target(const ir::Block* block) const {
        const ir::Node* owner = block->owning_node();
        if (kind_ == ir::prim::LoopContinuation) return owner != nullptr && owner->kind() == ir::prim::Loop;
        return owner == nullptr || owner->kind() == ir::prim::Closure;
    }

    Exit visit(ir::Block* block) {
        Exit exit = wont();
        for (ir::Node* node = block->param_node()->next(); node != block->return_node();) {
            ir::Node* next = node->next();
            exit = visit_node(node, std::move(exit));
            if (exit.status == Status::Will || exit.status == Status::Throws) {
                remove_from(block, next);
                break;
            }
            if (exit.status == Status::Might) {
                if (next != block->return_node()) exit = guard_rest(block, exit, next);
                break;
            }
            node = next;
        }
        if (!is_target(block)) return exit;
        // The exit ends here: its values are the block's results.
        if (exit.status == Status::Might) {
            ir::Node* choice = graph_.create(ir::prim::If, {exit.reached}, 0)->insert_before(block->return_node());
            choice->add_block();
            choice->add_block();
            add_if_outputs(choice, exit.values, block->outputs());
            replace_outputs(block, choice->outputs());
        } else if (exit.status == Status::Will) {
            replace_outputs(block, exit.values);
        }
        return wont();
    }

    Exit visit_node(ir::Node* node, Exit before) {
        if (node->kind() == ir::prim::RaiseException) return throws();
        if (node->kind() == kind_) {
            Exit exit{Status::Will, true_, node->inputs()};
            node->destroy();
            return exit;
        }
        if (node->kind() == ir::prim::If) return visit_if(node);
        if (node->kind() == ir::prim::With) return visit(node->block_at(0));
        if (node->kind() == ir::prim::Loop) return visit_loop(node);
        if (node->kind() == ir::prim::Closure) visit(node->block_at(0));
        return before;
    }

    Exit visit_if(ir::Node* node) {
        Exit if_true = visit(node->block_at(0));
        Exit if_false = visit(node->block_at(1));
        const Status status = join(if_true.status, if_false.status);
        if (status == Status::Throws) return throws();
        if (status == Status::Wont) return wont();
        // Values of the branch that does not exit are unused.
        if (is_without_values(if_true.status))
            if_true.values = any_values(if_false.values);
        else if (is_without_values(if_false.status))
            if_false.values = any_values(if_true.values);
        Exit exit{status, true_};
        if (status != Status::Will) {
            add_if_outputs(node, {{if_true.reached}}, {{if_false.reached}});
            exit.reached = node->outputs().back();
        }
        const std::size_t first = node->outputs().size();
        add_if_outputs(node, if_true.values, if_false.values);
        exit.values.assign(node->outputs().begin() + static_cast<std::ptrdiff_t>(first), node->outputs().end());
        return exit;
    }

    static bool is_without_values(Status status) { return status == Status::Wont || status == Status::Throws; }

    static Status join(Status a, Status b) {
        if (a == Status::Throws) return b;
        if (b == Status::Throws) return a;
        return a == b ? a : Status::Might;
    }

    // An exit to outside of the loop also ends the loop.
    Exit visit_loop(ir::Node* node) {
        ir::Block* body = node->block_at(0);
        const Exit exit = visit(body);
        // The loop may run no time at all.
        if (is_without_values(exit.status)) return wont();
        const ir::InsertPointScope scope(graph_, body);
        ir::Node* choice = graph_.insert(graph_.create(ir::prim::If, {exit.reached}, 0));
        choice->add_block()->add_output(false_);
        choice->add_block()->add_output(body->outputs().front());
        body->replace_output(0, choice->add_output()->set_type(types::boolean()));
        const auto carry = [&](ir::Value* before, ir::Value* after, const TypePtr& type) {
            node->add_input(before);
            body->add_input()->set_type(type);
            body->add_output(after);
            return node->add_output()->set_type(type);
        };
        Exit outer{Status::Might, carry(false_, exit.reached, types::boolean())};
        for (ir::Value* value : exit.values) {
            outer.values.push_back(carry(any_value(value->type()), value, value->type()));
        }
        return outer;
    }

    // The nodes from `first` on run only when the exit was not reached.
    Exit guard_rest(ir::Block* block, const Exit& exit, ir::Node* first) {
        ir::Node* choice = graph_.create(ir::prim::If, {exit.reached}, 0)->insert_before(first);
        ir::Block* exited = choice->add_block();
        ir::Block* rest = choice->add_block();
        while (first != block->return_node()) {
            ir::Node* next = first->next();
            first->move_before(rest->return_node());
            first = next;
        }
        const std::vector<ir::Value*> results = block->outputs();
        for (ir::Value* result : results) {
            exited->add_output(any_value(result->type()));
            rest->add_output(result);
            choice->add_output()->set_type(result->type());
        }
        replace_outputs(block, choice->outputs());
        graph_.create(kind_, exit.values, 0)->insert_before(exited->return_node());
        return visit_if(choice);
    }

    void remove_from(ir::Block* block, ir::Node* first) {
        for (ir::Node* node = block->return_node()->prev(); first != block->return_node();) {
            ir::Node* before = node->prev();
            const bool is_last = node == first;
            for (ir::Value* output : node->outputs()) {
                if (output->has_uses()) output->replace_all_uses_with(any_value(output->type()));
            }
            node->destroy();
            if (is_last) break;
            node = before;
        }
    }

    void add_if_outputs(ir::Node* node, std::span<ir::Value* const> if_true, std::span<ir::Value* const> if_false) {
        for (std::size_t i = 0; i < if_true.size(); ++i) {
            node->block_at(0)->add_output(if_true[i]);
            node->block_at(1)->add_output(if_false[i]);
            node->add_output()->set_type(unify_or_union(if_true[i]->type(), if_false[i]->type()));
        }
    }

    static void replace_outputs(ir::Block* block, std::vector<ir::Value*> outputs) {
        while (!block->outputs().empty()) block->erase_output(block->outputs().size() - 1);
        for (ir::Value* output : outputs) block->add_output(output);
    }

    // A placeholder value; one per type.
    ir::Value* any_value(const TypePtr& type) {
        for (const auto& [each, value] : any_values_) {
            if (each->equals(*type)) return value;
        }
        ir::Node* node = graph_.create(ir::prim::Uninitialized)->insert_after(graph_.param_node());
        any_values_.emplace_back(type, node->output()->set_type(type));
        return node->output();
    }
    std::vector<ir::Value*> any_values(const std::vector<ir::Value*>& like) {
        std::vector<ir::Value*> values;
        for (const ir::Value* value : like) values.push_back(any_value(value->type()));
        return values;
    }

    ir::Graph& graph_;
    ir::Symbol kind_;
    ir::Value* true_ = nullptr;
    ir::Value* false_ = nullptr;
    ir::Value* throws_ = nullptr;
    std::vector<std::pair<TypePtr, ir::Value*>> any_values_;
};

// When the two branches of an If each decide a following If on one of its outputs, that one's branches move into it.
// `if x: return 1` and `return 2` after it become one If again.
bool merge_with_next(ir::Node* first) {
    ir::Node* second = first->next();
    if (first->kind() != ir::prim::If || second->kind() != ir::prim::If || second->input()->node() != first)
        return false;
    const std::size_t offset = second->input()->offset();
    const auto if_true = ir::constant_of(first->block_at(0)->outputs()[offset]);
    const auto if_false = ir::constant_of(first->block_at(1)->outputs()[offset]);
    if (!if_true || !if_false || !if_true->is_bool() || !if_false->is_bool()) return false;
    if (if_true->to_bool() == if_false->to_bool()) return false;
    const IValue* decisions[] = {&*if_true, &*if_false};
    for (std::size_t i = 0; i < 2; ++i) {
        ir::Block* into = first->block_at(i);
        ir::ValueMap map;
        for (std::size_t j = 0; j < first->outputs().size(); ++j) map[first->output(j)] = into->outputs()[j];
        into->copy_from(*second->block_at(decisions[i]->to_bool() ? 0 : 1), map);
    }
    for (ir::Value* output : second->outputs()) {
        output->replace_all_uses_with(first->add_output()->copy_metadata(*output));
    }
    second->destroy();
    return true;
}

void merge_consecutive_ifs(ir::Block* block) {
    for (ir::Node* node = block->param_node()->next(); node != block->return_node();) {
        for (std::size_t i = 0; i < node->block_count(); ++i) merge_consecutive_ifs(node->block_at(i));
        if (!merge_with_next(node)) node = node->next();
    }
}

// Enter and Exit nodes that belong together, the innermost first.
using EnterExit = std::pair<ir::Node*, ir::Node*>;
void find_enter_exits(ir::Block* block, std::vector<ir::Node*>& open, std::vector<EnterExit>& found) {
    for (ir::Node* node : block->nodes()) {
        if (node->kind() == ir::prim::Enter) {
            open.push_back(node);
        } else if (node->kind() == ir::prim::Exit && !open.empty()) {
            found.emplace_back(open.back(), node);
            open.pop_back();
        }
        for (std::size_t i = 0; i < node->block_count(); ++i) find_enter_exits(node->block_at(i), open, found);
    }
}

// The nodes between Enter and Exit become a block of a With node, so that a guard around its rest excludes the
// Exit.
void wrap_withs(ir::Graph& graph) {
    std::vector<ir::Node*> open;
    std::vector<EnterExit> pairs;
    find_enter_exits(graph.block(), open, pairs);
    for (const auto& [enter, exit] : pairs) {
        ir::Node* with = graph.create(ir::prim::With, 0);
        ir::Block* body = with->add_block();
        ir::Block* leave = with->add_block();
        with->insert_after(enter);
        for (ir::Node* node = with->next(); node != exit;) {
            ir::Node* next = node->next();
            node->move_before(body->return_node());
            node = next;
        }
        exit->move_before(leave->return_node());
    }
}

void find_withs(ir::Block* block, std::vector<ir::Node*>& withs) {
    for (ir::Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) find_withs(node->block_at(i), withs);
        if (node->kind() == ir::prim::With) withs.push_back(node);
    }
}

void unwrap_withs(ir::Graph& graph) {
    std::vector<ir::Node*> withs;
    find_withs(graph.block(), withs);
    for (ir::Node* with : withs) {
        for (std::size_t i = 0; i < 2; ++i) {
            ir::Block* block = with->block_at(i);
            while (!block->nodes().empty()) block->param_node()->next()->move_before(with);
        }
        with->destroy();
    }
}

}  // namespace

void transform_exits(ir::Graph& graph) {
    wrap_withs(graph);
    ExitTransformer(graph, ir::prim::LoopContinuation).run();
    ExitTransformer(graph, ir::prim::ReturnStmt).run();
    merge_consecutive_ifs(graph.block());
    unwrap_withs(graph);
}

}  // namespace loupe::script
