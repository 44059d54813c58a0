// SPDX-License-Identifier: Apache-2.0
// Operators that take graphs: branches, loops, regions with another mode.
#include <limits>

#include "core/base/error.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/exported/node_emitter.h"
#include "core/ir/schema_match.h"

namespace loupe::exported {
namespace {

namespace prim = ir::prim;

// Each condition stands before its loop and in it: loops inside conditions double with every level.
constexpr int kDeepestCondition = 3;

[[noreturn]] void fail(std::string_view name) {
    throw_file_error(concat("the program's ", name, " has other arguments than it takes"));
}

std::vector<ir::Value*> joined(std::vector<ir::Value*> first, const std::vector<ir::Value*>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

NodeEmitter::HigherOrder NodeEmitter::parts_of(const JsonValue& node, const Names& names) {
    HigherOrder parts;
    for (const Given& given : inputs_of(node)) {
        const auto [kind, value] = union_of(*given.argument, "argument of a node");
        if (kind == "as_graph") {
            parts.graphs.push_back(&member(value, "graph", "argument of a node"));
            continue;
        }
        std::vector<ir::Value*>& operands = parts.operands.emplace_back();
        if (kind == "as_tensors") {
            for (const JsonValue& each : list_of(value, "argument of a node")) operands.push_back(named(each, names));
        } else if (kind == "as_optional_tensors") {
            for (const JsonValue& each : list_of(value, "argument of a node"))
                operands.push_back(value_of(each, nullptr, names));
        } else if (kind == "as_sym_ints") {
            for (const JsonValue& each : list_of(value, "argument of a node"))
                operands.push_back(symbolic(each, names));
        } else if (kind == "as_ints") {
            for (const JsonValue& each : list_of(value, "argument of a node"))
                operands.push_back(graph_.insert_constant(IValue(int_of(each, "argument of a node"))));
        } else {
            operands.push_back(value_of(*given.argument, nullptr, names));
        }
    }
    return parts;
}

ir::Value* NodeEmitter::as_bool(ir::Value* value) {
    return value->type()->kind() == TypeKind::Bool ? value : call_by_types("aten::Bool", {value});
}

std::optional<std::vector<ir::Value*>> NodeEmitter::emit_higher_order(std::string_view name, const JsonValue& node,
                                                                      Names& names) {
    const bool is_known = name == "cond" || name == "while_loop" || name == "scan" || name == "map_impl" ||
                          name == "map" || name == "wrap_with_set_grad_enabled" || name == "wrap_with_autocast";
    if (!is_known) return std::nullopt;
    const HigherOrder parts = parts_of(node, names);
    const auto& operands = parts.operands;
    if (name == "cond") {
        if (parts.graphs.size() != 2 || operands.empty() || operands[0].size() != 1) fail(name);
        return emit_cond(parts);
    }
    if (name == "while_loop") {
        if (parts.graphs.size() != 2 || operands.empty()) fail(name);
        return emit_while(parts);
    }
    if (parts.graphs.size() != 1) fail(name);
    if (name == "scan") {
        // init, xs, then before PyTorch 2.7 a dimension and a direction, then other inputs.
        const bool has_direction = operands.size() == 5;
        if (operands.size() < 2 || operands.size() > 5) fail(name);
        const auto is_set = [&](std::size_t at) {
            const auto value = operands[at].size() == 1 ? ir::constant_of(operands[at][0]) : std::nullopt;
            return value && (value->is_bool() ? value->to_bool() : value->is_int() && value->to_int() != 0);
        };
        if (has_direction && (is_set(2) || is_set(3)))
            throw Error(ErrorKind::Unsupported, "scan over another dimension than the first, or in reverse");
        return emit_scan(*parts.graphs[0], operands[0], operands[1],
                         operands.size() > 2 ? operands.back() : std::vector<ir::Value*>());
    }
    if (name == "map_impl" || name == "map") {
        if (operands.empty()) fail(name);
        return emit_scan(*parts.graphs[0], {}, operands[0],
                         operands.size() > 1 ? operands[1] : std::vector<ir::Value*>());
    }
    if (name == "wrap_with_set_grad_enabled") {
        if (operands.empty() || operands[0].size() != 1) fail(name);
        return emit_grad_mode(parts);
    }
    if (operands.size() < 4) fail(name);
    return emit_autocast(parts);
}

std::vector<ir::Value*> NodeEmitter::emit_cond(const HigherOrder& parts) {
    std::vector<ir::Value*> inputs;
    for (std::size_t i = 1; i < parts.operands.size(); ++i) inputs = joined(std::move(inputs), parts.operands[i]);
    ir::Node* choice = graph_.insert(graph_.create(prim::If, {as_bool(parts.operands[0][0])}, 0));
    for (const JsonValue* graph : parts.graphs) {
        ir::Block* block = choice->add_block();
        const ir::InsertPointScope inside(graph_, block);
        for (ir::Value* result : emit_graph(*graph, inputs)) block->add_output(result);
    }
    const auto& then = choice->block_at(0)->outputs();
    const auto& otherwise = choice->block_at(1)->outputs();
    if (then.size() != otherwise.size()) throw_file_error("the branches of a cond have different numbers of outputs");
    for (std::size_t i = 0; i < then.size(); ++i) {
        const auto type = unify_types(then[i]->type(), otherwise[i]->type());
        choice->add_output()->set_type(type ? *type : types::any());
    }
    return choice->outputs();
}

std::vector<ir::Value*> NodeEmitter::emit_while(const HigherOrder& parts) {
    const std::vector<ir::Value*>& carried = parts.operands[0];
    std::vector<ir::Value*> others;
    for (std::size_t i = 1; i < parts.operands.size(); ++i) others = joined(std::move(others), parts.operands[i]);
    const auto goes_on = [&](const std::vector<ir::Value*>& values) {
        if (condition_depth_ >= kDeepestCondition)
            throw Error(ErrorKind::Unsupported,
                        concat("loops in conditions of loops, over ", kDeepestCondition, " deep"));
        ++condition_depth_;
        const auto results = emit_graph(*parts.graphs[0], joined(values, others));
        --condition_depth_;
        if (results.size() != 1) fail("while_loop");
        return as_bool(results[0]);
    };
    ir::Value* first = goes_on(carried);
    ir::Value* most = graph_.insert_constant(IValue(std::numeric_limits<std::int64_t>::max()));
    ir::Node* loop = graph_.create(prim::Loop, joined({most, first}, carried), carried.size());
    graph_.insert(loop);
    ir::Block* body = loop->add_block();
    body->add_input()->set_type(types::integer());
    std::vector<ir::Value*> now;
    for (std::size_t i = 0; i < carried.size(); ++i) {
        const TypePtr type = carried[i]->type()->kind() == TypeKind::Tensor ? types::tensor() : carried[i]->type();
        now.push_back(body->add_input()->set_type(type));
        loop->output(i)->set_type(type);
    }
    const ir::InsertPointScope inside(graph_, body);
    const std::vector<ir::Value*> next = emit_graph(*parts.graphs[1], joined(now, others));
    if (next.size() != carried.size()) fail("while_loop");
    body->add_output(goes_on(next));
    for (ir::Value* value : next) body->add_output(value);
    return loop->outputs();
}

// The body gets what is carried, a slice of each scanned tensor, and the others; it gives what is carried next and a
// slice of each result.
std::vector<ir::Value*> NodeEmitter::emit_scan(const JsonValue& body_graph, const std::vector<ir::Value*>& carried,
                                               const std::vector<ir::Value*>& scanned,
                                               const std::vector<ir::Value*>& others) {
    const std::size_t outputs = list_of(member(body_graph, "outputs", "graph"), "outputs of a graph").size();
    if (scanned.empty() || outputs < carried.size()) fail("scan");
    ir::Value* zero = graph_.insert_constant(IValue(0));
    ir::Value* count = call_by_types("aten::size", {scanned[0], zero});
    std::vector<ir::Value*> lists;
    for (std::size_t i = carried.size(); i < outputs; ++i) {
        ir::Node* list = graph_.create(prim::ListConstruct);
        list->output()->set_type(types::list(types::tensor()));
        lists.push_back(graph_.insert(list)->output());
    }
    ir::Value* always = graph_.insert_constant(IValue(true));
    ir::Node* loop = graph_.insert(graph_.create(prim::Loop, joined({count, always}, carried), carried.size()));
    ir::Block* body = loop->add_block();
    {
        ir::Value* index = body->add_input()->set_type(types::integer());
        std::vector<ir::Value*> inputs;
        for (std::size_t i = 0; i < carried.size(); ++i) {
            inputs.push_back(body->add_input()->set_type(types::tensor()));
            loop->output(i)->set_type(types::tensor());
        }
        const ir::InsertPointScope inside(graph_, body);
        for (ir::Value* tensor : scanned) inputs.push_back(call_by_types("aten::select", {tensor, zero, index}));
        const std::vector<ir::Value*> results = emit_graph(body_graph, joined(std::move(inputs), others));
        for (std::size_t i = 0; i < lists.size(); ++i)
            call_by_types("aten::append", {lists[i], results[carried.size() + i]});
        body->add_output(always);
        for (std::size_t i = 0; i < carried.size(); ++i) body->add_output(results[i]);
    }
    std::vector<ir::Value*> all = loop->outputs();
    for (ir::Value* list : lists) all.push_back(call_by_types("aten::stack", {list, zero}));
    return all;
}

std::vector<ir::Value*> NodeEmitter::emit_grad_mode(const HigherOrder& parts) {
    std::vector<ir::Value*> inputs;
    for (std::size_t i = 1; i < parts.operands.size(); ++i) inputs = joined(std::move(inputs), parts.operands[i]);
    const Operator* set = find_operator("aten::set_grad_enabled");
    ir::Value* before = call_by_types("aten::is_grad_enabled", {});
    call(*set, {as_bool(parts.operands[0][0])});
    std::vector<ir::Value*> results = emit_graph(*parts.graphs[0], inputs);
    call(*set, {before});
    return results;
}

// device, dtype, enabled, cache_enabled.
std::vector<ir::Value*> NodeEmitter::emit_autocast(const HigherOrder& parts) {
    std::vector<ir::Value*> settings;
    for (std::size_t i = 0; i < 4; ++i) {
        if (parts.operands[i].size() != 1) fail("wrap_with_autocast");
        settings.push_back(parts.operands[i][0]);
    }
    std::vector<ir::Value*> inputs;
    for (std::size_t i = 4; i < parts.operands.size(); ++i) inputs = joined(std::move(inputs), parts.operands[i]);
    const Operator* enter = find_operator("aten::_enter_autocast");
    const Operator* leave = find_operator("aten::_exit_autocast");
    call(*enter, settings);
    std::vector<ir::Value*> results = emit_graph(*parts.graphs[0], inputs);
    call(*leave, {});
    return results;
}

}  // namespace loupe::exported
