// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_breaks.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/passes/alias_analysis.h"
#include "core/passes/bailout_graph.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

bool gives_tensors(const Operator& op) {
    const auto& returns = op.schema.returns;
    return std::any_of(returns.begin(), returns.end(), [](const Argument& r) {
        const Type* type = r.type.get();
        while (type->kind() == TypeKind::Optional || type->kind() == TypeKind::List) type = type->element().get();
        return type->kind() == TypeKind::Tensor;
    });
}

class BreakFinder {
  public:
    explicit BreakFinder(const ir::Graph& graph) : aliases_(graph) {
        for (const Value* input : graph.inputs()) {
            if (may_hold_elements(input)) tainted_.insert(input);
        }
        visit(*graph.block());
    }
    std::vector<GraphBreak> breaks;

  private:
    static bool may_hold_elements(const Value* value) { return is_mutable_type(*value->type()); }

    bool is_tainted(const Value* value) const { return tainted_.contains(value); }
    bool reads_tainted(const Node* node) const {
        return std::any_of(node->inputs().begin(), node->inputs().end(),
                           [this](const Value* v) { return is_tainted(v); });
    }

    // Was there a break?
    bool visit(const Block& block) {
        bool any = false;
        for (const Node* node : block.nodes()) any |= visit(node);
        return any;
    }

    bool visit(const Node* node) {
        if (node->kind() == prim::Constant) return false;
        if (node->block_count() > 0) return visit_control_flow(node);
        const std::string reason = reason_against(node);
        const bool taints = !reason.empty() || node->kind() == prim::GetAttr || reads_tainted(node);
        for (const Value* output : node->outputs()) {
            // Numbers from an operator that does not break follow from shapes.
            if (taints && may_hold_elements(output)) tainted_.insert(output);
        }
        if (reason.empty()) return false;
        breaks.push_back({node, reason});
        return true;
    }

    bool visit_control_flow(const Node* node) {
        const std::size_t place = breaks.size();
        const bool taints = reads_tainted(node);
        bool any = false;
        // Values carried from the end of a loop's body to its beginning.
        for (std::size_t round = 0; round < (node->kind() == prim::Loop ? 2 : 1); ++round) {
            breaks.resize(place);
            any = false;
            for (std::size_t b = 0; b < node->block_count(); ++b) {
                const Block& block = *node->block_at(b);
                for (const Value* input : block.inputs()) {
                    if (taints || carries_taint_) taint(input);
                }
                any |= visit(block);
                for (std::size_t i = 0; i < block.outputs().size(); ++i)
                    carries_taint_ |= is_tainted(block.outputs()[i]);
            }
        }
        carries_taint_ = false;
        for (const Value* output : node->outputs()) {
            if (taints || blocks_taint(node)) taint(output);
        }
        if (any)
            breaks.insert(breaks.begin() + static_cast<std::ptrdiff_t>(place),
                          {node, concat("holds ", breaks[place].node->kind().str())});
        return any;
    }

    static bool gives_tainted(const Block& block, const std::unordered_set<const Value*>& tainted) {
        return std::any_of(block.outputs().begin(), block.outputs().end(),
                           [&](const Value* v) { return tainted.contains(v); });
    }
    bool blocks_taint(const Node* node) const {
        for (std::size_t b = 0; b < node->block_count(); ++b) {
            if (gives_tainted(*node->block_at(b), tainted_)) return true;
        }
        return false;
    }
    void taint(const Value* value) {
        if (may_hold_elements(value)) tainted_.insert(value);
    }

    std::string reason_against(const Node* node) const {
        const Symbol kind = node->kind();
        if (kind == prim::RaiseException) return {};  // ends the run
        if (kind == prim::CallMethod || kind == prim::CallFunction) return "a call that is not inlined";
        if (kind == prim::Enter || kind == prim::Exit) return "a context manager";
        if (kind == prim::fork || kind.str() == "aten::wait") return "runs beside the rest";
        if (kind == bailout_kind() || kind == bailout_template_kind())
            return "a guard that fails goes on with the rest of the graph as it was";
        if (kind == prim::SetAttr) return concat("sets attribute '", node->s(ir::attr::name), "'");
        if (kind == prim::CreateObject) return "makes an object";
        if (kind == prim::GetAttr) return {};
        if (kind == prim::tolist && reads_tainted(node)) return "a list of the elements";
        if (node->has_attribute(ir::attr::Subgraph)) return {};
        if (node->has_attribute(graph_break_attribute())) return node->s(graph_break_attribute());
        const Operator* op = node->op();
        if (node->has_side_effects() && (op == nullptr || !op->schema.has_write()))
            return concat(kind.str(), " has an effect each time");
        if (op == nullptr)
            return kind.space() == "prim" ? std::string() : concat("no operator ", kind.str(), " is known");
        if (node->is_random()) return concat(kind.str(), " draws random numbers");
        if (op->schema.has_write() && aliases_.writes_to_outside(node))
            return concat(kind.str(), " writes to memory from outside");
        if (!reads_tainted(node) || !reads_elements(*op)) return {};
        return concat("what ", kind.str(), " gives depends on elements");
    }

    AliasAnalysis aliases_;
    std::unordered_set<const Value*> tainted_;
    bool carries_taint_ = false;
};

}  // namespace

bool results_need_elements(const Operator& op) {
    if ((op.tensor_arguments | op.list_arguments) == 0) return false;
    if (op.record->results_from != ResultsFrom::Unsaid) return op.record->results_from == ResultsFrom::Elements;
    return !gives_tensors(op) && !op.schema.returns.empty();
}

bool reads_elements(const Operator& op) {
    if ((op.tensor_arguments | op.list_arguments) == 0) return false;
    if (op.record->results_from != ResultsFrom::Unsaid || !gives_tensors(op)) return results_need_elements(op);
    return !op.is_composite() && !op.record->kernel.fills && !op.is_view;
}

ir::Symbol graph_break_attribute() {
    static const ir::Symbol kName = ir::Symbol::intern("graph_break");
    return kName;
}

std::vector<GraphBreak> find_graph_breaks(const ir::Graph& graph) { return std::move(BreakFinder(graph).breaks); }

}  // namespace loupe::passes
