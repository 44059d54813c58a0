// SPDX-License-Identifier: Apache-2.0
// Small rewrites after the conversion to SSA.
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/base/strings.h"
#include "core/dispatch/registry.h"
#include "core/ir/graph.h"
#include "core/script/convert_to_ssa.h"
#include "core/script/symbols.h"

namespace loupe::script {
namespace {

std::vector<ir::Node*> nodes_of(const ir::Block* block) {
    std::vector<ir::Node*> nodes;
    for (ir::Node* node : block->nodes()) nodes.push_back(node);
    return nodes;
}

// trips > 0 and condition, then a counter that is carried along.
void canonicalize_loop(ir::Graph& graph, ir::Node* loop) {
    ir::Block* body = loop->block_at(0);
    const auto trips_constant = ir::constant_of(loop->input(0));
    const auto next_constant = ir::constant_of(body->outputs().front());
    const auto start_constant = ir::constant_of(loop->input(1));
    constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
    const bool is_while = trips_constant && trips_constant->is_int() && trips_constant->to_int() == kEndless;
    const bool is_for = next_constant && next_constant->to_bool() && start_constant && start_constant->to_bool();
    if (is_while || is_for) return;
    ir::Value* trips = loop->input(0);
    ir::Value* zero = nullptr;
    ir::Value* one = nullptr;
    {
        const ir::InsertPointScope scope(graph, loop);
        zero = graph.insert_constant(IValue(std::int64_t{0}));
        one = graph.insert_constant(IValue(std::int64_t{1}));
        ir::Value* condition = graph.insert_op(symbols().greater, {trips, zero});
        loop->replace_input(0, graph.insert_constant(IValue(kEndless)));
        if (!start_constant || !start_constant->to_bool()) {
            condition = graph.insert_op(symbols().logical_and, {condition, loop->input(1)});
        }
        loop->replace_input(1, condition);
    }
    loop->add_output()->set_type(types::integer());
    loop->add_input(zero);
    const ir::InsertPointScope scope(graph, body);
    ir::Value* index = body->add_input()->set_type(types::integer());
    body->inputs().front()->set_name("")->replace_all_uses_with(index);
    ir::Value* next = graph.insert_op(symbols().add, {index, one});
    body->add_output(next);
    ir::Value* more = graph.insert_op(symbols().less, {next, trips});
    body->replace_output(0, graph.insert_op(symbols().logical_and, {more, body->outputs().front()}));
}

void canonicalize_loops(ir::Graph& graph, const ir::Block* block) {
    for (ir::Node* node : nodes_of(block)) {
        for (std::size_t i = 0; i < node->block_count(); ++i) canonicalize_loops(graph, node->block_at(i));
        if (node->kind() == ir::prim::Loop) canonicalize_loop(graph, node);
    }
}

using Alias = std::pair<std::string_view, std::string_view>;
// Operators that also have an in-place form.
constexpr std::array kAliases = {
    Alias{"absolute", "abs"},    Alias{"clip", "clamp"},         Alias{"arccos", "acos"},
    Alias{"arcsin", "asin"},     Alias{"arctan", "atan"},        Alias{"arccosh", "acosh"},
    Alias{"arcsinh", "asinh"},   Alias{"arctanh", "atanh"},      Alias{"fix", "trunc"},
    Alias{"negative", "neg"},    Alias{"subtract", "sub"},       Alias{"greater_equal", "ge"},
    Alias{"greater", "gt"},      Alias{"less_equal", "le"},      Alias{"less", "lt"},
    Alias{"not_equal", "ne"},    Alias{"divide", "div"},         Alias{"multiply", "mul"},
    Alias{"true_divide", "div"}, Alias{"swapdims", "transpose"}, Alias{"swapaxes", "transpose"},
    Alias{"degrees", "rad2deg"}, Alias{"radians", "deg2rad"},
};
constexpr std::array kPlainAliases = {
    Alias{"linalg_det", "det"},
    Alias{"ger", "outer"},
    Alias{"row_stack", "vstack"},
    Alias{"moveaxis", "movedim"},
};

const std::unordered_map<ir::Symbol, ir::Symbol>& aliases() {
    static const auto* const table = [] {
        auto* map = new std::unordered_map<ir::Symbol, ir::Symbol>();
        const auto add = [&](const Alias& alias, std::string_view suffix) {
            map->emplace(ir::Symbol::intern(concat("aten::", alias.first, suffix)),
                         ir::Symbol::intern(concat("aten::", alias.second, suffix)));
        };
        for (const Alias& alias : kAliases) {
            add(alias, "");
            add(alias, "_");
        }
        for (const Alias& alias : kPlainAliases) add(alias, "");
        return map;
    }();
    return *table;
}

void normalize_block(ir::Block* block) {
    for (ir::Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) normalize_block(node->block_at(i));
        if (node->kind() == symbols().empty_list) node->set_kind(ir::prim::ListConstruct);
        const auto alias = aliases().find(node->kind());
        if (alias == aliases().end() || node->inputs().empty()) continue;
        const bool is_known = !operators_named(alias->second.str()).empty();
        if (is_known && node->input()->type()->kind() == TypeKind::Tensor) node->set_kind(alias->second);
    }
}

// Values from outside that the block uses, in order of use.
void collect_captures(const ir::Block* outer, const ir::Block* block, std::vector<ir::Value*>& captures) {
    const auto add = [&](ir::Value* value) {
        if (value->node()->block()->is_inside(outer)) return;
        for (const ir::Value* each : captures) {
            if (each == value) return;
        }
        captures.push_back(value);
    };
    for (const ir::Node* node : block->nodes()) {
        for (ir::Value* input : node->inputs()) add(input);
        for (std::size_t i = 0; i < node->block_count(); ++i) collect_captures(outer, node->block_at(i), captures);
    }
    for (ir::Value* output : block->outputs()) add(output);
}

void replace_fork(ir::Graph& graph, ir::Node* node) {
    ir::Node* closure = node->input()->node();
    const ir::Block* block = closure->block_at(0);
    std::vector<ir::Value*> captures;
    collect_captures(block, block, captures);
    auto subgraph = make_ptr<ir::Graph>();
    ir::ValueMap map;
    for (ir::Value* capture : captures) {
        ir::Value* input = subgraph->add_input({}, capture->type());
        map[capture] = input->copy_metadata(*capture);
    }
    subgraph->block()->copy_from(*block, map);
    ir::Node* fork = graph.create(ir::prim::fork, captures)->insert_before(node);
    fork->set_range(node->range());
    fork->set_attribute(ir::attr::Subgraph, subgraph);
    fork->output()->set_type(types::future(block->outputs().front()->type()));
    const std::string name = node->output()->has_name() ? node->output()->debug_name() : std::string();
    node->output()->replace_all_uses_with(fork->output());
    node->output()->set_name("");
    fork->output()->set_name(name);
    node->destroy();
}

void lift_block(ir::Graph& graph, const ir::Block* block) {
    for (ir::Node* node : nodes_of(block)) {
        for (std::size_t i = 0; i < node->block_count(); ++i) lift_block(graph, node->block_at(i));
        if (node->kind() == symbols().fork_closure) replace_fork(graph, node);
    }
    const std::vector<ir::Node*> nodes = nodes_of(block);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        if ((*node)->kind() == ir::prim::Closure && !(*node)->has_uses()) (*node)->destroy();
    }
}

}  // namespace

void canonicalize_modified_loops(ir::Graph& graph) { canonicalize_loops(graph, graph.block()); }

void normalize_ops(ir::Graph& graph) { normalize_block(graph.block()); }

void lift_closures(ir::Graph& graph) { lift_block(graph, graph.block()); }

}  // namespace loupe::script
