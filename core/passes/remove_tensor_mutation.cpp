// SPDX-License-Identifier: Apache-2.0
// Writes to tensors without aliases become new tensors.
#include <algorithm>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/passes/alias_analysis.h"
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

// The operator without the write; null when there is none or the node is no plain in-place call.
const Operator* functional_form(const Node* node) {
    const Operator* op = node->op();
    if (op == nullptr || op->written_arguments != 1 || op->written_elements != 0 || op->result_count() != 1)
        return nullptr;
    std::string name = op->schema.name;
    if (!name.ends_with('_') || name.ends_with("__") || op->result_alias[0] != 0) return nullptr;
    name.pop_back();
    const Operator* functional = find_operator(name, op->schema.overload);
    if (functional == nullptr || functional->argument_count() != op->argument_count() || !functional->is_pure())
        return nullptr;
    return functional->result_count() == 1 && functional->result_alias[0] < 0 ? functional : nullptr;
}

bool is_zero(const Node* node) { return node->kind().str() == "aten::zero_"; }
bool is_fill(const Node* node) { return node->is("aten::fill_.Scalar"); }

// Fresh memory: no input, no branch, no alias of its node's inputs.
bool is_fresh(const Value* value, const AliasAnalysis& aliases) {
    const Node* maker = value->node();
    if (maker->kind() == prim::Param || maker->block_count() > 0 || maker->has_attribute(ir::attr::Subgraph))
        return false;
    if (maker->kind() == prim::Constant || maker->has_side_effects() || maker->op() == nullptr) return false;
    return std::none_of(maker->inputs().begin(), maker->inputs().end(),
                        [&](const Value* input) { return aliases.may_alias(input, value); });
}

// Is there another name for the memory before the write?
bool is_shared_before(const Value* value, const Node* write, const AliasAnalysis& aliases) {
    return std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
        const Node* user = use.user;
        if (user == write || !user->is_before(write)) return false;
        if (user->kind() == prim::Return || user->block() != write->block()) return true;
        return std::any_of(user->outputs().begin(), user->outputs().end(),
                           [&](const Value* output) { return aliases.may_alias(output, value); });
    });
}

class Removal {
  public:
    Removal(Graph& graph, std::string_view pass, bool (*is_selected)(const Node*))
        : graph_(graph), pass_(pass), is_selected_(is_selected), aliases_(graph) {}

    void visit(Block* block) {
        for (Node* node : block->nodes()) {
            for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
            if (!is_selected_(node) || !can_remove(node)) continue;
            replace(node);
            replaced_ = true;
        }
    }
    bool replaced() const { return replaced_; }

  private:
    bool can_remove(const Node* node) const {
        const bool has_form = is_zero(node) || is_fill(node) || functional_form(node) != nullptr;
        if (!has_form || node->inputs().empty()) return false;
        const Value* target = node->input(0);
        if (target->node()->block() != node->block() || aliases_.writes_to_outside(node)) return false;
        if (made_.contains(target)) return !is_shared_by_schema(target, node);
        return is_fresh(target, aliases_) && !is_shared_before(target, node, aliases_);
    }

    // The same for a value that this pass created, unknown to the analysis: by the schemas of its uses.
    static bool is_shared_by_schema(const Value* value, const Node* write) {
        return std::any_of(value->uses().begin(), value->uses().end(), [&](const ir::Use& use) {
            if (use.user == write || !use.user->is_before(write)) return false;
            const Operator* op = use.user->op();
            if (op == nullptr || use.user->block() != write->block() || op->written_arguments != 0) return true;
            return std::any_of(op->result_alias.begin(), op->result_alias.end(),
                               [](std::int8_t alias) { return alias >= 0; });
        });
    }

    Node* make(Node* node) {
        if (!is_zero(node) && !is_fill(node)) {
            return graph_.create(Symbol::intern(functional_form(node)->schema.name), node->inputs());
        }
        std::vector<Value*> inputs(node->inputs());
        const std::size_t options = 5;
        for (std::size_t i = 0; i < options; ++i)
            inputs.push_back(graph_.create_constant(IValue())->insert_before(node)->output());
        return graph_.create(Symbol::intern(is_zero(node) ? "aten::zeros_like" : "aten::full_like"), inputs);
    }

    void replace(Node* node) {
        const ir::OriginScope origin(graph_, {node}, pass_, "out of place");
        Value* target = node->input(0);
        Node* made = make(node)->insert_before(node);
        made->output()->set_type(node->output()->type());
        made_.insert(made->output());
        target->replace_all_uses_after_with(node, made->output());
        node->output()->replace_all_uses_with(made->output());
        node->destroy();
    }

    Graph& graph_;
    std::string_view pass_;
    bool (*is_selected_)(const Node*);
    AliasAnalysis aliases_;
    std::unordered_set<const Value*> made_;
    bool replaced_ = false;
};

// Until a fixed point: new values are known to the next analysis only.
void remove(Graph& graph, std::string_view pass, bool (*is_selected)(const Node*)) {
    bool replaced = true;
    while (replaced) {
        Removal removal(graph, pass, is_selected);
        removal.visit(graph.block());
        replaced = removal.replaced();
    }
}

bool any(const Node*) { return true; }

// The operators of PyTorch's pass.
bool is_arithmetic(const Node* node) {
    static const std::unordered_set<Symbol> kKinds = {Symbol::intern("aten::add_"),  Symbol::intern("aten::sub_"),
                                                      Symbol::intern("aten::mul_"),  Symbol::intern("aten::div_"),
                                                      Symbol::intern("aten::zero_"), Symbol::intern("aten::fill_")};
    return kKinds.contains(node->kind());
}

}  // namespace

const Pass kRemoveTensorMutation{"RemoveTensorMutation",
                                 "Makes new tensors where one is written that has no other reader.",
                                 [](Graph& graph, const PassContext&) { remove(graph, "RemoveTensorMutation", any); }};

const Pass kRemoveInplaceOps{
    "RemoveInplaceOps", "The same for in-place arithmetic only, where it is safe.",
    [](Graph& graph, const PassContext&) { remove(graph, "RemoveInplaceOps", is_arithmetic); }};

}  // namespace loupe::passes
