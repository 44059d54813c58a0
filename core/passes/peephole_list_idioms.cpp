// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

using Elements = std::optional<std::vector<Value*>>;

class ListIdioms {
  public:
    explicit ListIdioms(Graph& graph) : graph_(graph), aliases_(graph) {}

    void visit(Node* node) {
        if (node->outputs().size() != 1 || !node->has_uses()) return;
        const std::string& kind = node->kind().str();
        if (kind == "aten::len")
            replace_length(node);
        else if (kind == "aten::__getitem__")
            replace_element(node);
        else if (kind == "aten::slice" && node->inputs().size() == 4)
            replace_list(node, slice_of(node), "slice of made list");
        else if (kind == "aten::add" && node->inputs().size() == 2)
            replace_list(node, sum_of(node), "sum of made lists");
    }

  private:
    // The elements of a list from ListConstruct that is not written.
    Elements elements_of(const Value* list) const {
        if (list->node()->kind() != prim::ListConstruct) return std::nullopt;
        // Lists that this pass created are unknown to the analysis; they are not written, like the lists that they
        // replace.
        if (!made_.contains(list) && aliases_.has_writers(list)) return std::nullopt;
        return list->node()->inputs();
    }

    void replace_length(Node* node) {
        const Elements elements = elements_of(node->input(0));
        if (!elements) return;
        const ir::OriginScope origin(graph_, {node}, "PeepholeOptimizeListIdioms", "length of made list");
        const IValue length(static_cast<std::int64_t>(elements->size()));
        node->output()->replace_all_uses_with(graph_.create_constant(length)->insert_before(node)->output());
    }

    void replace_element(Node* node) {
        const Elements elements = elements_of(node->input(0));
        const auto index = constant_int(node->input(1));
        if (!elements || !index) return;
        const auto size = static_cast<std::int64_t>(elements->size());
        if (*index < -size || *index >= size) return;
        node->output()->replace_all_uses_with(
            (*elements)[static_cast<std::size_t>(*index < 0 ? *index + size : *index)]);
    }

    static std::optional<std::int64_t> bound(const Value* value, std::int64_t none) {
        return ir::is_none_constant(value) ? std::optional(none) : constant_int(value);
    }

    Elements slice_of(const Node* node) const {
        const Elements elements = elements_of(node->input(0));
        const auto begin = bound(node->input(1), 0);
        const auto end = bound(node->input(2), std::numeric_limits<std::int64_t>::max());
        const auto step = constant_int(node->input(3));
        if (!elements || !begin || !end || step.value_or(0) <= 0) return std::nullopt;
        const auto size = static_cast<std::int64_t>(elements->size());
        const auto place = [size](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + size : i, 0, size); };
        std::vector<Value*> parts;
        for (std::int64_t i = place(*begin); i < place(*end); i += *step) {
            parts.push_back((*elements)[static_cast<std::size_t>(i)]);
            if (*step >= size) break;
        }
        return parts;
    }

    Elements sum_of(const Node* node) const {
        const Elements left = elements_of(node->input(0));
        const Elements right = elements_of(node->input(1));
        if (!left || !right) return std::nullopt;
        std::vector<Value*> all = *left;
        all.insert(all.end(), right->begin(), right->end());
        return all;
    }

    void replace_list(Node* node, const Elements& elements, const char* rule) {
        if (!elements || node->output()->type()->kind() != TypeKind::List || aliases_.has_writers(node->output()))
            return;
        const ir::OriginScope origin(graph_, {node}, "PeepholeOptimizeListIdioms", rule);
        Node* list = graph_.create(prim::ListConstruct, *elements)->insert_before(node);
        list->output()->set_type(node->output()->type());
        made_.insert(list->output());
        node->output()->replace_all_uses_with(list->output());
    }

    Graph& graph_;
    AliasAnalysis aliases_;
    std::unordered_set<const Value*> made_;
};

}  // namespace

const Pass kPeepholeListIdioms{"PeepholeOptimizeListIdioms",
                               "Lengths, elements, slices and sums of lists that were made in the graph.",
                               [](Graph& graph, const PassContext&) {
                                   ListIdioms idioms(graph);
                                   for_each_node(graph.block(), [&](Node* node) { idioms.visit(node); });
                               }};

}  // namespace loupe::passes
