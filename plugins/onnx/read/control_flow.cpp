// SPDX-License-Identifier: Apache-2.0
// If, Loop, Scan, SequenceMap and FlexAttention: operators with graphs inside, which see the names around them.
#include <algorithm>
#include <limits>

#include "core/formats/archive/byte_reader.h"
#include "plugins/onnx/read/graph_emitter.h"
#include "plugins/onnx/read/types.h"

namespace loupe::onnx {
namespace {

namespace prim = ir::prim;
using proto::AttributeProto;
using proto::NodeProto;

constexpr const char* kFlexAttention = "ai_onnx_preview::FlexAttention";

std::vector<ir::Value*> joined(std::vector<ir::Value*> first, const std::vector<ir::Value*>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

[[noreturn]] void fail(const NodeProto& node, std::string_view what) {
    throw_file_error(concat(node.op_type(), " ", quote_name(node.name()), ": ", what));
}

// None has a type of its own; with another it is optional.
TypePtr common_type(const TypePtr& a, const TypePtr& b) {
    const auto type = unify_types(a, b);
    return type ? *type : types::any();
}

std::vector<std::int64_t> numbers_of(const NodeProto& node, const char* name, const CallAttributes& call) {
    for (const AttributeProto& each : node.attribute()) {
        if (each.name() != name) continue;
        if (const AttributeProto* attribute = resolved(each, call))
            return {attribute->ints().begin(), attribute->ints().end()};
    }
    return {};
}

std::int64_t number_at(const std::vector<std::int64_t>& numbers, std::size_t i) {
    return i < numbers.size() ? numbers[i] : 0;
}

}  // namespace

bool GraphEmitter::is_control_flow(const std::string& kind) const {
    return kind == "onnx::If" || kind == "onnx::Loop" || kind == "onnx::Scan" || kind == "onnx::SequenceMap" ||
           kind == kFlexAttention;
}

GraphEmitter::Values GraphEmitter::emit_control_flow(const NodeProto& node, const Body& body, const Values& inputs,
                                                     Names& names) {
    const std::string& kind = node.op_type();
    if (kind == "If") return emit_if(node, body, inputs, names);
    if (kind == "Loop") return emit_loop(node, body, inputs, names);
    if (kind == "Scan") return emit_scan(node, body, inputs, names);
    if (kind == "FlexAttention") return emit_flex_attention(node, body, inputs, names);
    return emit_sequence_map(node, body, inputs, names);
}

const proto::GraphProto& GraphEmitter::subgraph(const NodeProto& node, const Body& body, const char* name) const {
    for (const AttributeProto& each : node.attribute()) {
        if (each.name() != name) continue;
        const AttributeProto* attribute = resolved(each, body.attributes);
        if (attribute != nullptr && attribute->has_g()) return attribute->g();
    }
    fail(node, concat("it has no graph ", name));
}

bool GraphEmitter::has_graph(const NodeProto& node, const Body& body, const char* name) const {
    for (const AttributeProto& each : node.attribute()) {
        if (each.name() == name && resolved(each, body.attributes) != nullptr) return true;
    }
    return false;
}

GraphEmitter::Values GraphEmitter::emit_graph(const proto::GraphProto& graph, const Body& body, const Values& inputs,
                                              const Names& outer) {
    Names names(&outer);
    note_elements(graph);
    for (const auto& tensor : graph.initializer()) {
        proto::TensorProto copy = tensor;
        names.set(tensor.name(), graph_.insert_constant(is_string_tensor(copy) ? string_list(copy)
                                                                               : IValue(take_tensor(copy, files_))));
    }
    if (static_cast<std::size_t>(graph.input_size()) < inputs.size()) {
        throw_file_error(concat("graph ", quote_name(graph.name()), " takes ", graph.input_size(), " inputs and gets ",
                                inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) bind(names, graph.input(static_cast<int>(i)).name(), inputs[i]);
    emit_nodes(graph.node(), body, names);
    Values outputs;
    for (const auto& output : graph.output()) {
        ir::Value* value = names.find(output.name());
        if (value == nullptr)
            throw_file_error(concat("graph ", quote_name(graph.name()), " gives no ", quote_name(output.name())));
        outputs.push_back(value);
    }
    return outputs;
}

ir::Value* GraphEmitter::call(const char* name, const Values& inputs) {
    const Operator* op = find_operator(name);
    if (op == nullptr) throw Error(ErrorKind::Internal, concat("operator ", name, " is not registered"));
    Values arguments = inputs;
    for (std::size_t i = inputs.size(); i < op->schema.arguments.size(); ++i)
        arguments.push_back(graph_.insert_constant(op->schema.arguments[i].default_value.value_or(IValue())));
    ir::Node* node = graph_.create(ir::Symbol::intern(op->schema.name), arguments);
    node->set_op(op);
    TypePtr type = op->schema.returns.at(0).type;
    // Of a list's elements.
    if (type->kind() == TypeKind::Var && inputs[0]->type()->kind() == TypeKind::List)
        type = inputs[0]->type()->element();
    if (type->kind() == TypeKind::List && type->element()->kind() == TypeKind::Var) type = inputs[0]->type();
    node->output()->set_type(type);
    return graph_.insert(node)->output();
}

ir::Value* GraphEmitter::new_list() {
    ir::Node* list = graph_.create(prim::ListConstruct);
    list->output()->set_type(types::list(types::tensor()));
    return graph_.insert(list)->output();
}

GraphEmitter::Values GraphEmitter::emit_if(const NodeProto& node, const Body& body, const Values& inputs,
                                           Names& names) {
    if (inputs.size() != 1 || inputs[0] == nullptr || inputs[0]->type()->kind() != TypeKind::Tensor)
        fail(node, "it takes one condition");
    ir::Value* condition = call("aten::Bool.Tensor", inputs);
    ir::Node* choice = insert(graph_.create(prim::If, {condition}, 0), body);
    for (const char* name : {"then_branch", "else_branch"}) {
        ir::Block* block = choice->add_block();
        const ir::InsertPointScope inside(graph_, block);
        for (ir::Value* result : emit_graph(subgraph(node, body, name), body, {}, names)) block->add_output(result);
    }
    const auto& then = choice->block_at(0)->outputs();
    const auto& otherwise = choice->block_at(1)->outputs();
    if (then.size() != otherwise.size()) fail(node, "its branches have different numbers of outputs");
    for (std::size_t i = 0; i < then.size(); ++i)
        choice->add_output()->set_type(common_type(then[i]->type(), otherwise[i]->type()));
    return choice->outputs();
}

// M, cond, carried...; the body takes iteration, cond, carried... and gives cond, carried..., scanned....
GraphEmitter::Values GraphEmitter::emit_loop(const NodeProto& node, const Body& body, const Values& inputs,
                                             Names& names) {
    const proto::GraphProto& graph = subgraph(node, body, "body");
    const std::size_t carried = graph.input_size() >= 2 ? static_cast<std::size_t>(graph.input_size()) - 2 : 0;
    const auto outputs = static_cast<std::size_t>(graph.output_size());
    if (graph.input_size() < 2 || outputs < carried + 1 || inputs.size() > carried + 2)
        fail(node, "its body has other inputs and outputs than a loop's");
    const auto given = [&](std::size_t i) { return i < inputs.size() ? inputs[i] : nullptr; };
    ir::Value* most =
        given(0) != nullptr ? call("aten::Int.Tensor", {given(0)}) : number(std::numeric_limits<std::int64_t>::max());
    ir::Value* always = graph_.insert_constant(IValue(true));
    ir::Value* first = given(1) != nullptr ? call("aten::Bool.Tensor", {given(1)}) : always;
    Values lists;
    for (std::size_t i = carried + 1; i < outputs; ++i) lists.push_back(new_list());
    Values start{most, first};
    std::vector<TypePtr> types;
    for (std::size_t i = 0; i < carried; ++i) {
        ir::Value* value = given(i + 2);
        if (value == nullptr) value = graph_.insert_constant(IValue());
        start.push_back(value);
        const proto::ValueInfoProto& declared = graph.input(static_cast<int>(i) + 2);
        types.push_back(declared.has_type() ? type_of(declared.type()) : value->type());
    }
    ir::Node* loop = insert(graph_.create(prim::Loop, start, carried), body);
    ir::Block* block = loop->add_block();
    ir::Value* iteration = block->add_input()->set_type(types::integer());
    Values formals;
    for (std::size_t i = 0; i < carried; ++i) {
        formals.push_back(block->add_input()->set_type(types[i]));
        loop->output(i)->set_type(types[i]);
    }
    {
        const ir::InsertPointScope inside(graph_, block);
        Values arguments{call("aten::scalar_tensor", {iteration, number(static_cast<int>(ScalarType::Int64))}),
                         graph_.insert_constant(IValue(scalar_tensor(Scalar(true), ScalarType::Bool)))};
        const Values results = emit_graph(graph, body, joined(std::move(arguments), formals), names);
        for (std::size_t i = 0; i < lists.size(); ++i) call("aten::append.t", {lists[i], results[carried + 1 + i]});
        block->add_output(call("aten::Bool.Tensor", {results[0]}));
        for (std::size_t i = 0; i < carried; ++i) block->add_output(results[i + 1]);
    }
    Values all = loop->outputs();
    for (ir::Value* list : lists) all.push_back(call("onnx::stacked", {list, number(0), number(0)}));
    return all;
}

struct GraphEmitter::ScanParts {
    const proto::GraphProto* graph;
    std::size_t states;
    std::vector<std::int64_t> input_axes, input_directions, output_axes, output_directions;
};

GraphEmitter::Values GraphEmitter::emit_scan(const NodeProto& node, const Body& body, const Values& inputs,
                                             Names& names) {
    const proto::GraphProto& graph = subgraph(node, body, "body");
    std::int64_t scanned = 0;
    for (const AttributeProto& each : node.attribute()) {
        const AttributeProto* attribute = each.name() == "num_scan_inputs" ? resolved(each, body.attributes) : nullptr;
        if (attribute != nullptr) scanned = attribute->i();
    }
    const auto opset = body.opsets.find("");
    const bool is_batched = opset != body.opsets.end() && opset->second < 9;
    const std::size_t formals = static_cast<std::size_t>(graph.input_size());
    if (scanned < 1 || static_cast<std::size_t>(scanned) > formals || inputs.size() != formals + (is_batched ? 1 : 0))
        fail(node, "its body takes other inputs than it gets");
    for (std::size_t i = is_batched ? 1 : 0; i < inputs.size(); ++i) {
        if (inputs[i] == nullptr || inputs[i]->type()->kind() != TypeKind::Tensor) fail(node, "an input is no tensor");
    }
    const char* directions = is_batched ? "directions" : "scan_input_directions";
    ScanParts parts{&graph,
                    formals - static_cast<std::size_t>(scanned),
                    numbers_of(node, "scan_input_axes", body.attributes),
                    numbers_of(node, directions, body.attributes),
                    numbers_of(node, "scan_output_axes", body.attributes),
                    numbers_of(node, "scan_output_directions", body.attributes)};
    if (static_cast<std::size_t>(graph.output_size()) < parts.states) fail(node, "its body gives too few outputs");
    if (!is_batched) {
        const auto middle = inputs.begin() + static_cast<std::ptrdiff_t>(parts.states);
        return emit_scan_loop(parts, body, {inputs.begin(), middle}, {middle, inputs.end()}, names);
    }
    if (inputs[0] != nullptr) throw Error(ErrorKind::Unsupported, "Scan of opset 8 with lengths of sequences");
    return emit_batched_scan(parts, body, {inputs.begin() + 1, inputs.end()}, names);
}

GraphEmitter::Values GraphEmitter::emit_scan_loop(const ScanParts& parts, const Body& body, const Values& states,
                                                  const Values& scanned, Names& names) {
    const proto::GraphProto& graph = *parts.graph;
    const auto outputs = static_cast<std::size_t>(graph.output_size());
    ir::Value* count = call("aten::size.int", {scanned[0], number(number_at(parts.input_axes, 0))});
    ir::Value* always = graph_.insert_constant(IValue(true));
    Values lists;
    for (std::size_t i = states.size(); i < outputs; ++i) lists.push_back(new_list());
    ir::Node* loop = insert(graph_.create(prim::Loop, joined({count, always}, states), states.size()), body);
    ir::Block* block = loop->add_block();
    {
        ir::Value* index = block->add_input()->set_type(types::integer());
        Values arguments;
        for (std::size_t i = 0; i < states.size(); ++i) {
            arguments.push_back(block->add_input()->set_type(types::tensor()));
            loop->output(i)->set_type(types::tensor());
        }
        const ir::InsertPointScope inside(graph_, block);
        ir::Value* backwards = nullptr;
        for (std::size_t i = 0; i < scanned.size(); ++i) {
            const bool is_reverse = number_at(parts.input_directions, i) != 0;
            if (is_reverse && backwards == nullptr) {
                // -1, -2, ...
                backwards = call("aten::sub.int", {call("aten::neg.int", {index}), number(1)});
            }
            arguments.push_back(call("aten::select.int", {scanned[i], number(number_at(parts.input_axes, i)),
                                                          is_reverse ? backwards : index}));
        }
        const Values results = emit_graph(graph, body, arguments, names);
        for (std::size_t i = 0; i < lists.size(); ++i) call("aten::append.t", {lists[i], results[states.size() + i]});
        block->add_output(always);
        for (std::size_t i = 0; i < states.size(); ++i) block->add_output(results[i]);
    }
    Values all = loop->outputs();
    for (std::size_t i = 0; i < lists.size(); ++i) {
        all.push_back(call("onnx::stacked", {lists[i], number(number_at(parts.output_axes, i)),
                                             number(number_at(parts.output_directions, i))}));
    }
    return all;
}

// Opset 8: a batch of scans, each by itself.
GraphEmitter::Values GraphEmitter::emit_batched_scan(const ScanParts& parts, const Body& body, const Values& inputs,
                                                     Names& names) {
    const auto outputs = static_cast<std::size_t>(parts.graph->output_size());
    ir::Value* count = call("aten::size.int", {inputs[0], number(0)});
    ir::Value* always = graph_.insert_constant(IValue(true));
    Values lists;
    for (std::size_t i = 0; i < outputs; ++i) lists.push_back(new_list());
    ir::Node* loop = insert(graph_.create(prim::Loop, {count, always}, 0), body);
    ir::Block* block = loop->add_block();
    {
        ir::Value* index = block->add_input()->set_type(types::integer());
        const ir::InsertPointScope inside(graph_, block);
        Values states, scanned;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            ir::Value* sample = call("aten::select.int", {inputs[i], number(0), index});
            (i < parts.states ? states : scanned).push_back(sample);
        }
        const Values results = emit_scan_loop(parts, body, states, scanned, names);
        for (std::size_t i = 0; i < lists.size(); ++i) call("aten::append.t", {lists[i], results[i]});
        block->add_output(always);
    }
    Values all;
    for (ir::Value* list : lists) all.push_back(call("onnx::stacked", {list, number(0), number(0)}));
    return all;
}

// The body for each element of the first sequence, with the elements of others at the same place.
GraphEmitter::Values GraphEmitter::emit_sequence_map(const NodeProto& node, const Body& body, const Values& inputs,
                                                     Names& names) {
    const proto::GraphProto& graph = subgraph(node, body, "body");
    if (inputs.empty() || inputs[0] == nullptr || inputs[0]->type()->kind() != TypeKind::List ||
        inputs.size() != static_cast<std::size_t>(graph.input_size()))
        fail(node, "its body takes other inputs than it gets");
    ir::Value* count = call("aten::len.t", {inputs[0]});
    ir::Value* always = graph_.insert_constant(IValue(true));
    Values lists;
    for (int i = 0; i < graph.output_size(); ++i) lists.push_back(new_list());
    ir::Node* loop = insert(graph_.create(prim::Loop, {count, always}, 0), body);
    ir::Block* block = loop->add_block();
    ir::Value* index = block->add_input()->set_type(types::integer());
    const ir::InsertPointScope inside(graph_, block);
    Values arguments;
    for (ir::Value* input : inputs) {
        if (input == nullptr) fail(node, "an input is missing");
        const bool is_list = input->type()->kind() == TypeKind::List;
        arguments.push_back(is_list ? call("aten::__getitem__.t", {input, index}) : input);
    }
    const Values results = emit_graph(graph, body, arguments, names);
    for (std::size_t i = 0; i < lists.size(); ++i) call("aten::append.t", {lists[i], results[i]});
    block->add_output(always);
    return lists;
}

// Without graphs it is one operator; score_mod stands before the softmax, prob_mod behind it.
GraphEmitter::Values GraphEmitter::emit_flex_attention(const NodeProto& node, const Body& body, const Values& inputs,
                                                       Names& names) {
    const bool has_score_mod = has_graph(node, body, "score_mod"), has_prob_mod = has_graph(node, body, "prob_mod");
    if (!has_score_mod && !has_prob_mod) return emit_operator(kFlexAttention, node, body, inputs);
    if (inputs.size() != 3 || std::ranges::find(inputs, nullptr) != inputs.end()) fail(node, "it takes Q, K and V");
    const auto modified = [&](ir::Value* value, const char* name) {
        const Values results = emit_graph(subgraph(node, body, name), body, {value}, names);
        if (results.size() != 1) fail(node, concat(name, " gives ", results.size(), " values"));
        place(node, body);
        return results[0];
    };
    Values arguments{inputs[0], inputs[1]};
    for (const Argument& formal : find_operator(kFlexAttention)->schema.arguments) {
        if (formal.kwarg_only) arguments.push_back(attribute_argument(formal, node, body));
    }
    ir::Value* value = call("ai_onnx_preview::flex_scores", arguments);
    if (has_score_mod) value = modified(value, "score_mod");
    value = call("aten::softmax.int", {value, number(-1)});
    if (has_prob_mod) value = modified(value, "prob_mod");
    return {call("ai_onnx_preview::flex_output", {value, inputs[2]})};
}

}  // namespace loupe::onnx
