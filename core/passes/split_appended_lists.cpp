// SPDX-License-Identifier: Apache-2.0
// A list of tensors that grows while it is read, in code without branches (the features of a dense block): each reader
// gets a new list of the elements at that point, so that passes know the elements.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

bool is_append(const Node* node, const Value* list) {
    return node->is("aten::append.t") && node->input(0) == list && node->input(1) != list &&
           node->output()->uses().empty();
}

// They read the list without storing it.
bool only_reads(const Node* node) {
    static const std::unordered_set<std::string_view> kReaders{"aten::cat", "aten::stack", "aten::len.t"};
    return node->op() != nullptr && kReaders.contains(node->op()->full_name);
}

bool can_be_split(const Node* node) {
    if (node->kind() != prim::ListConstruct || node->output()->type()->kind() != TypeKind::List) return false;
    if (node->output()->type()->element()->kind() != TypeKind::Tensor) return false;
    bool grows = false;
    for (const ir::Use& use : node->output()->uses()) {
        if (use.user->block() != node->block() || use.offset != 0) return false;
        const bool appends = is_append(use.user, node->output());
        if (!appends && !only_reads(use.user)) return false;
        grows |= appends;
    }
    return grows;
}

void split(Graph& graph, Node* list) {
    std::vector<Value*> elements(list->inputs().begin(), list->inputs().end());
    std::vector<Node*> users;
    for (const ir::Use& use : list->output()->uses()) users.push_back(use.user);
    std::sort(users.begin(), users.end(), [](const Node* a, const Node* b) { return a->is_before(b); });
    for (Node* user : users) {
        if (is_append(user, list->output())) {
            elements.push_back(user->input(1));
            user->destroy();
            continue;
        }
        const ir::OriginScope origin(graph, {list, user}, "SplitAppendedLists", "reader");
        Node* now = graph.create(prim::ListConstruct, elements)->insert_before(user);
        now->output()->set_type(list->output()->type());
        user->replace_input(0, now->output());
    }
    list->destroy();
}

}  // namespace

const Pass kSplitAppendedLists{"SplitAppendedLists",
                               "Readers of a list that grows get the list as it is by then, made of its elements.",
                               [](Graph& graph, const PassContext&) {
                                   std::vector<Node*> lists;
                                   for_each_node(graph.block(), [&](Node* node) {
                                       if (can_be_split(node)) lists.push_back(node);
                                   });
                                   for (Node* list : lists) split(graph, list);
                               }};

}  // namespace loupe::passes
