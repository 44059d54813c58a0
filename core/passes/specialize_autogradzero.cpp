// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/profile.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

struct Kinds {
    Symbol grad_of = Symbol::intern("prim::GradOf");
    Symbol zero = Symbol::intern("prim::AutogradZero");
    Symbol add = Symbol::intern("prim::AutogradAdd");
    Symbol any_nonzero = Symbol::intern("prim::AutogradAnyNonZero");
    Symbol all_nonzero = Symbol::intern("prim::AutogradAllNonZero");
    Symbol all_zero = Symbol::intern("prim::AutogradAllZero");
};
const Kinds& kinds() {
    static const Kinds kKinds;
    return kKinds;
}

// Is the gradient defined? Results of operators are; inputs by their types.
enum class State { Zero, Nonzero, Unknown };

class Specializer {
  public:
    explicit Specializer(Graph& graph) : graph_(graph) {}

    void run() {
        for (Value* input : graph_.inputs()) {
            const auto* type = input->type()->as<TensorType>();
            if (type == nullptr) continue;
            const bool is_known = type->dtype && type->sizes;
            states_[input] = type->undefined ? State::Zero : is_known ? State::Nonzero : State::Unknown;
        }
        visit(graph_.block());
    }

  private:
    State state(const Value* value) const {
        const auto found = states_.find(value);
        return found == states_.end() ? State::Unknown : found->second;
    }
    bool all(const Node* node, State wanted) const {
        return std::all_of(node->inputs().begin(), node->inputs().end(),
                           [&](const Value* value) { return state(value) == wanted; });
    }
    bool any(const Node* node, State wanted) const {
        return std::any_of(node->inputs().begin(), node->inputs().end(),
                           [&](const Value* value) { return state(value) == wanted; });
    }

    void visit(Block* block) {
        for (Node* node : block->nodes()) visit(node);
    }

    void visit(Node* node) {
        const Kinds& k = kinds();
        if (node->kind() == k.grad_of) return visit_grad_of(node);
        if (node->kind() == k.add) return visit_add(node);
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        if (node->kind() == k.zero) {
            states_[node->output()] = State::Zero;
        } else if (node->kind() == prim::profile || node->kind() == prim::Guard) {
            if (!node->outputs().empty()) states_[node->output()] = state(node->input());
        } else if (node->kind() == k.any_nonzero) {
            decide(node, any(node, State::Nonzero), all(node, State::Zero));
        } else if (node->kind() == k.all_nonzero) {
            decide(node, all(node, State::Nonzero), any(node, State::Zero));
        } else if (node->kind() == k.all_zero) {
            decide(node, all(node, State::Zero), any(node, State::Nonzero));
        } else if (node->op() != nullptr && node->kind().space() == "aten") {
            // An operator returns a defined tensor for any input.
            for (const Value* output : node->outputs()) {
                if (output->type()->kind() == TypeKind::Tensor) states_[output] = State::Nonzero;
            }
        }
    }

    void decide(Node* node, bool is_true, bool is_false) {
        if (!is_true && !is_false) return;
        const ir::OriginScope origin(graph_, {node}, "SpecializeAutogradZero", "decided");
        node->output()->replace_all_uses_with(graph_.create_constant(IValue(is_true))->insert_before(node)->output());
        node->destroy();
    }

    void visit_add(Node* node) {
        const State a = state(node->input(0));
        const State b = state(node->input(1));
        if (a == State::Zero || b == State::Zero) {
            node->output()->replace_all_uses_with(node->input(a == State::Zero ? 1 : 0));
            node->destroy();
        } else if (a == State::Nonzero && b == State::Nonzero) {
            const ir::OriginScope origin(graph_, {node}, "SpecializeAutogradZero", "sum");
            const ir::InsertPointScope place(graph_, node);
            Value* one = graph_.insert_constant(IValue(1));
            Value* sum = graph_.insert_op(Symbol::intern("aten::add"), {node->input(0), node->input(1), one});
            sum->set_type(node->output()->type());
            states_[sum] = State::Nonzero;
            node->output()->replace_all_uses_with(sum);
            node->destroy();
        } else if (a == State::Nonzero || b == State::Nonzero) {
            states_[node->output()] = State::Nonzero;
        }
    }

    void visit_grad_of(Node* node) {
        if (all(node, State::Zero)) {
            const ir::OriginScope origin(graph_, {node}, "SpecializeAutogradZero", "nothing");
            Node* zero = graph_.create(kinds().zero)->insert_before(node);
            zero->output()->set_type(types::tensor());
            states_[zero->output()] = State::Zero;
            for (Value* output : node->outputs()) output->replace_all_uses_with(zero->output());
            node->destroy();
            return;
        }
        Block* body = node->block_at(0);
        visit(body);
        if (!any(node, State::Nonzero)) return;
        for (std::size_t i = 0; i < node->outputs().size(); ++i) states_[body->outputs()[i]] = State::Nonzero;
        inline_block_before(node, body);
    }

    Graph& graph_;
    std::unordered_map<const Value*, State> states_;
};

}  // namespace

const Pass kSpecializeAutogradZero{"SpecializeAutogradZero",
                                   "Sums and branches of gradients, where it is known whether there is one.",
                                   [](Graph& graph, const PassContext&) { Specializer(graph).run(); }};

}  // namespace loupe::passes
