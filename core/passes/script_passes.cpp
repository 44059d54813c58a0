// SPDX-License-Identifier: Apache-2.0
// The compiler's steps after emitting a graph, as passes: they leave finished graphs unchanged.
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/script/builder.h"
#include "core/script/convert_to_ssa.h"
#include "core/script/upgraders.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
namespace prim = ir::prim;

// Variables instead of values, conditions as blocks, exits instead of results.
bool is_emitted_form(const Node* node) {
    const ir::Symbol kind = node->kind();
    return kind == prim::Load || kind == prim::Store || kind == prim::BreakStmt || kind == prim::ContinueStmt ||
           kind == prim::ReturnStmt || kind == prim::LoopContinuation ||
           (kind == prim::Loop && node->block_count() == 2);
}

void convert(Graph& graph, const PassContext&) {
    bool is_needed = false;
    for_each_node(graph.block(), [&](const Node* node) { is_needed = is_needed || is_emitted_form(node); });
    if (is_needed) script::convert_to_ssa(graph);
}

void upgrade(Graph& graph, Node* node, std::int64_t version) {
    for (const script::Upgrader* upgrader : script::upgraders_for(node->kind().str(), version)) {
        if (node->op() == nullptr || node->op()->full_name != upgrader->operator_name()) continue;
        const ir::OriginScope origin(graph, {node}, "ReplaceOldOperatorsWithUpgraders", "upgrade");
        const ir::InsertPointScope place(graph, node);
        script::Builder builder(graph, nullptr, {}, version);
        ir::Value* result = upgrader->insert(builder, node->inputs(), {});
        node->output()->replace_all_uses_with(result);
        node->destroy();
        return;
    }
}

void upgrade_all(Graph& graph, const PassContext& context) {
    if (!context.operator_version) return;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->outputs().size() == 1) upgrade(graph, node, *context.operator_version);
    });
}

}  // namespace

const Pass kReplaceOldOperatorsWithUpgraders{"ReplaceOldOperatorsWithUpgraders",
                                             "Puts what an operator meant in a file's operator version in place of it.",
                                             upgrade_all};
const Pass kConvertToSSA{"ConvertToSSA", "Variables become values; break, continue and return become results.",
                         convert};
const Pass kCanonicalizeModifiedLoops{
    "CanonicalizeModifiedLoops", "Loops with a trip count and a condition become while loops.",
    [](Graph& graph, const PassContext&) { script::canonicalize_modified_loops(graph); }};
const Pass kNormalizeOps{"NormalizeOps", "Operators that are other names of one become that one.",
                         [](Graph& graph, const PassContext&) { script::normalize_ops(graph); }};

}  // namespace loupe::passes
