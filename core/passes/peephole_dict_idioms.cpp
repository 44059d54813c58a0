// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// Keys compared by their text, so that 1 and 1.0 differ.
std::optional<std::string> key_text(const Value* value) {
    const auto constant = ir::constant_of(value);
    if (!constant) return std::nullopt;
    if (constant->is_string()) return "s" + constant->to_string();
    if (constant->is_int()) return "i" + std::to_string(constant->to_int());
    return std::nullopt;
}

// The entries of a dict from DictConstruct with distinct constant keys that is not written.
class MadeDict {
  public:
    MadeDict(const Value* dict, const AliasAnalysis& aliases) {
        const Node* node = dict->node();
        if (node->kind() != prim::DictConstruct || aliases.has_writers(dict)) return;
        for (std::size_t i = 0; i + 1 < node->inputs().size(); i += 2) {
            const auto key = key_text(node->input(i));
            if (!key || !entries_.try_emplace(*key, node->input(i + 1)).second) return;
        }
        is_known_ = true;
    }
    bool is_known() const { return is_known_; }
    std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
    Value* find(const Value* key) const {
        const auto text = key_text(key);
        if (!text) return nullptr;
        const auto found = entries_.find(*text);
        return found == entries_.end() ? nullptr : found->second;
    }

  private:
    std::unordered_map<std::string, Value*> entries_;
    bool is_known_ = false;
};

bool reads_made_dict(const Node* node) {
    static const ir::Symbol kLen = ir::Symbol::intern("aten::len");
    static const ir::Symbol kGetItem = ir::Symbol::intern("aten::__getitem__");
    const bool reads = node->kind() == kLen || node->kind() == kGetItem;
    return reads && !node->inputs().empty() && node->input(0)->node()->kind() == prim::DictConstruct &&
           node->has_uses();
}

void simplify(Graph& graph, Node* node, const AliasAnalysis& aliases) {
    const MadeDict dict(node->input(0), aliases);
    if (!dict.is_known()) return;
    if (node->inputs().size() == 1) {
        const ir::OriginScope origin(graph, {node}, "PeepholeOptimizeDictIdioms", "length of made dict");
        node->output()->replace_all_uses_with(
            graph.create_constant(IValue(dict.size()))->insert_before(node)->output());
    } else if (Value* found = dict.find(node->input(1))) {
        node->output()->replace_all_uses_with(found);
    }
}

}  // namespace

const Pass kPeepholeDictIdioms{"PeepholeOptimizeDictIdioms",
                               "Lengths and entries of dicts that were made in the graph.",
                               [](Graph& graph, const PassContext&) {
                                   std::vector<Node*> readers;
                                   for_each_node(graph.block(), [&readers](Node* node) {
                                       if (reads_made_dict(node)) readers.push_back(node);
                                   });
                                   if (readers.empty()) return;
                                   const AliasAnalysis aliases(graph);
                                   for (Node* node : readers) simplify(graph, node, aliases);
                               }};

}  // namespace loupe::passes
