// SPDX-License-Identifier: Apache-2.0
#include "core/passes/constant_propagation.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

// The same arguments may give something else another time.
bool depends_on_state(const Node* node) {
    static const Symbol kAutogradZero = Symbol::intern("prim::AutogradZero");
    return node->kind() == kAutogradZero || (node->op() != nullptr && node->op()->record->depends_on_state);
}

}  // namespace

std::optional<std::vector<IValue>> evaluate_structure(const Node* node, const std::vector<IValue>& inputs) {
    const Symbol kind = node->kind();
    if (kind == prim::TupleConstruct) {
        const TypePtr& type = node->output()->type();
        return std::vector<IValue>{make_ptr<TupleObject>(inputs, type->name().empty() ? nullptr : type)};
    }
    if (kind == prim::ListConstruct) {
        return std::vector<IValue>{make_ptr<ListObject>(node->output()->type()->element(), inputs)};
    }
    if (kind == prim::DictConstruct) {
        const TypePtr& type = node->output()->type();
        auto dict = make_ptr<DictObject>(type->contained()[0], type->contained()[1]);
        for (std::size_t i = 0; i + 1 < inputs.size(); i += 2) dict->set(inputs[i], inputs[i + 1]);
        return std::vector<IValue>{dict};
    }
    if (kind == prim::TupleUnpack) return inputs[0].to_tuple().elements;
    if (kind == prim::ListUnpack) return inputs[0].to_list().elements;
    if (kind == prim::unchecked_cast) return inputs;
    if (kind == prim::TupleIndex) {
        const auto& elements = inputs[0].to_tuple().elements;
        std::int64_t index = inputs[1].to_int();
        if (index < 0) index += static_cast<std::int64_t>(elements.size());
        if (index < 0 || index >= static_cast<std::int64_t>(elements.size())) return std::nullopt;
        return std::vector<IValue>{elements[static_cast<std::size_t>(index)]};
    }
    if (kind == prim::isinstance) {
        const auto& types = node->tys(ir::attr::types);
        return std::vector<IValue>{std::any_of(types.begin(), types.end(),
                                               [&](const TypePtr& type) { return is_instance(inputs[0], *type); })};
    }
    return std::nullopt;
}

std::optional<std::vector<IValue>> evaluate(const Node* node) {
    if (node->block_count() > 0 || node->has_side_effects() || node->is_random() || depends_on_state(node)) {
        return std::nullopt;
    }
    std::vector<IValue> inputs;
    for (const Value* input : node->inputs()) {
        const auto constant = ir::constant_of(input);
        if (!constant) return std::nullopt;
        inputs.push_back(*constant);
    }
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    try {
        std::optional<std::vector<IValue>> results = evaluate_structure(node, inputs);
        if (results || node->op() == nullptr || node->op()->schema.has_write()) return results;
        if (node->op()->schema.is_vararg) return std::nullopt;  // as PyTorch leaves them: aten::format
        results.emplace(node->op()->result_count());
        call_operator(*node->op(), inputs, results->data());
        return results;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return std::nullopt;  // it fails at run time
    }
}

namespace {

class ConstantPropagation {
  public:
    ConstantPropagation(ir::Graph& graph, bool immutable_only)
        : graph_(graph), aliases_(graph), immutable_only_(immutable_only) {
        visit_block(graph.block());
    }
    bool changed() const { return changed_; }

  private:
    void visit_block(Block* block) {
        // The list grows when an If is inlined, so it is walked by links.
        for (Node* node = *block->nodes().begin(); node != block->return_node();) {
            Node* next = node->next();
            visit(node);
            node = next;
        }
    }

    void visit(Node* node) {
        if (node->kind() == prim::If) {
            visit_if(node);
        } else if (node->kind() == prim::Loop) {
            visit_loop(node);
        } else if (node->kind() != prim::Constant && node->kind() != prim::Uninitialized && has_constant_inputs(node)) {
            fold(node);
        } else {
            for (std::size_t i = 0; i < node->block_count(); ++i) visit_block(node->block_at(i));
        }
    }

    static bool has_constant_inputs(const Node* node) {
        return std::all_of(node->inputs().begin(), node->inputs().end(),
                           [](const Value* v) { return ir::is_constant(v); });
    }

    void visit_if(Node* node) {
        if (const auto condition = constant_bool(node->input(0))) {
            Block* taken = node->block_at(*condition ? 0 : 1);
            visit_block(taken);
            inline_block_before(node, taken);
            changed_ = true;
            return;
        }
        visit_block(node->block_at(0));
        visit_block(node->block_at(1));
        for (std::size_t i = node->outputs().size(); i-- > 0;) {
            Value* value = same_result(node, i);
            if (value == nullptr) continue;
            node->output(i)->replace_all_uses_with(value);
            node->erase_output(i);
            changed_ = true;
            node->block_at(0)->erase_output(i);
            node->block_at(1)->erase_output(i);
        }
    }

    // The common result of both branches: an outer value, or equal constants. Null otherwise.
    Value* same_result(Node* node, std::size_t i) {
        Value* then = node->block_at(0)->outputs()[i];
        const Value* otherwise = node->block_at(1)->outputs()[i];
        if (then == otherwise) return then;
        const bool are_constants = ir::is_constant(then) && ir::is_constant(otherwise);
        if (!are_constants || is_mutable_type(*then->type()) || !same_computation(then->node(), otherwise->node()))
            return nullptr;
        const ir::OriginScope origin(graph_, {node}, "ConstantPropagation", "equal branches");
        return graph_.create_constant(*ir::constant_of(then), then->type())->insert_before(node)->output();
    }

    void visit_loop(Node* node) {
        const auto trips = constant_int(node->input(0));
        const auto condition = constant_bool(node->input(1));
        if ((trips && *trips < 1) || (condition && !*condition)) {
            for (std::size_t i = 0; i < node->outputs().size(); ++i) {
                node->output(i)->replace_all_uses_with(node->input(i + 2));
            }
            node->destroy();
            changed_ = true;
            return;
        }
        Block* body = node->block_at(0);
        visit_block(body);
        for (std::size_t i = node->outputs().size(); i-- > 0;) {
            if (body->inputs()[i + 1] != body->outputs()[i + 1]) continue;
            node->output(i)->replace_all_uses_with(node->input(i + 2));
            body->inputs()[i + 1]->replace_all_uses_with(node->input(i + 2));
            node->erase_output(i);
            node->remove_input(i + 2);
            body->erase_output(i + 1);
            body->erase_input(i + 1);
            changed_ = true;
        }
    }

    void fold(Node* node) {
        if (aliases_.has_writers(node)) return;
        for (const Value* output : node->outputs()) {
            if (!is_mutable_type(*output->type())) continue;
            // The caller may change results of the graph.
            const bool is_container =
                output->type()->kind() == TypeKind::List || output->type()->kind() == TypeKind::Dict;
            if (immutable_only_ || (is_container && aliases_.escapes(output))) return;
        }
        const auto results = evaluate(node);
        if (!results || !std::all_of(results->begin(), results->end(), can_be_constant)) return;
        const ir::OriginScope origin(graph_, {node}, "ConstantPropagation", "fold");
        for (std::size_t i = 0; i < results->size() && i < node->outputs().size(); ++i) {
            Value* old = node->output(i);
            const IValue& value = (*results)[i];
            Node* constant = graph_.create_constant(value, value.is_none() || value.is_tuple() ? old->type() : nullptr);
            constant->insert_before(node);
            old->replace_all_uses_with(constant->output());
        }
        node->destroy();
        changed_ = true;
    }

    ir::Graph& graph_;
    AliasAnalysis aliases_;
    bool immutable_only_;
    bool changed_ = false;
};

// Until a fixed point: folding removes writes.
void propagate(ir::Graph& graph, bool immutable_only) {
    while (ConstantPropagation(graph, immutable_only).changed()) remove_dead_code(graph);
}

}  // namespace

const Pass kConstantPropagation{"ConstantPropagation",
                                "Computes what depends on constants only, and takes the branches they decide.",
                                [](ir::Graph& graph, const PassContext&) { propagate(graph, false); }};

const Pass kConstantPropagationImmutableTypes{
    "ConstantPropagationImmutableTypes", "The same for numbers, strings and their like only; tensors and lists stay.",
    [](ir::Graph& graph, const PassContext&) { propagate(graph, true); }};

}  // namespace loupe::passes
