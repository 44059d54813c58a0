// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Node;
using ir::Symbol;
using ir::Value;

bool is_permute(const Node* node) {
    return node->is("aten::permute") || node->is("aten::transpose.int") || node->is("aten::t");
}

// Of permute, from its list of dimensions; 0 where the node does not say.
std::size_t rank_of(const Node* node) {
    if (!node->is("aten::permute")) return 0;
    const auto dims = constant_input(node, "dims");
    return dims ? dims->to_ints().size() : 0;
}

// Which dimension of the input each dimension of the result is; nullopt when unknown, or an error at run time.
std::optional<Dims> order_of(const Node* node, std::size_t rank) {
    const auto size = static_cast<std::int64_t>(rank);
    const auto wrapped = [&](std::int64_t d) { return d < 0 ? d + size : d; };
    Dims order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (node->is("aten::permute")) {
        const auto dims = constant_input(node, "dims");
        if (!dims || dims->to_ints().size() != rank) return std::nullopt;
        for (std::size_t i = 0; i < rank; ++i) order[i] = wrapped(dims->to_ints()[i]);
    } else {
        const bool is_t = node->is("aten::t");
        if (is_t && rank != 2) return std::nullopt;
        const auto first = is_t ? std::optional<std::int64_t>(0) : constant_int(node->input(1));
        const auto second = is_t ? std::optional<std::int64_t>(1) : constant_int(node->input(2));
        if (!first || !second) return std::nullopt;
        const std::int64_t a = wrapped(*first), b = wrapped(*second);
        if (std::min(a, b) < 0 || std::max(a, b) >= size) return std::nullopt;
        std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    }
    Dims sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < rank; ++i) {
        if (sorted[i] != static_cast<std::int64_t>(i)) return std::nullopt;
    }
    return order;
}

// Swaps that undo each other, of tensors of any number of dimensions.
bool undoes(const Node* after, const Node* before) {
    if (after->is("aten::t") && before->is("aten::t")) return true;
    if (!after->is("aten::transpose.int") || !before->is("aten::transpose.int")) return false;
    const auto a = constant_int(after->input(1)), b = constant_int(after->input(2));
    const auto c = constant_int(before->input(1)), d = constant_int(before->input(2));
    return a && b && c && d && std::minmax(*a, *b) == std::minmax(*c, *d);
}

class Composition {
  public:
    explicit Composition(ir::Graph& graph) : graph_(graph), aliases_(graph) {}

    void visit(Node* node) {
        if (!is_permute(node)) return;
        const Node* before = node->input(0)->node();
        if (!is_permute(before) || aliases_.has_writers(node)) return;
        Value* base = before->input(0);
        // What the graph returns stays a view: a tensor of its own.
        const auto& uses = node->output()->uses();
        const bool is_returned =
            std::ranges::any_of(uses, [](const ir::Use& use) { return use.user->kind() == ir::prim::Return; });
        if (undoes(node, before)) {
            if (!is_returned) node->output()->replace_all_uses_with(base);
            return;
        }
        const std::size_t rank = std::max(rank_of(node), rank_of(before));
        if (rank == 0) return;
        const auto first = order_of(before, rank), second = order_of(node, rank);
        if (!first || !second) return;
        Dims both(rank);
        for (std::size_t i = 0; i < rank; ++i) both[i] = (*first)[static_cast<std::size_t>((*second)[i])];
        if (std::ranges::is_sorted(both)) {
            if (!is_returned) node->output()->replace_all_uses_with(base);
            return;
        }
        const ir::OriginScope origin(graph_, {node, before}, "ComposePermutes", "permute of permute");
        const ir::InsertPointScope place(graph_, node);
        Value* dims = graph_.insert_constant(IValue(both));
        Value* composed = graph_.insert_op(Symbol::intern("aten::permute"), {base, dims});
        composed->set_type(node->output()->type());
        node->output()->replace_all_uses_with(composed);
    }

  private:
    ir::Graph& graph_;
    AliasAnalysis aliases_;
};

}  // namespace

const Pass kComposePermutes{"ComposePermutes", "Makes one permutation of several, and none of those that undo another.",
                            [](ir::Graph& graph, const PassContext&) {
                                Composition composition(graph);
                                for_each_node(graph.block(), [&](Node* node) { composition.visit(node); });
                                remove_dead_code(graph);
                            }};

}  // namespace loupe::passes
