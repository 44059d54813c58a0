// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/node_emitter.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/formats/archive/byte_reader.h"
#include "core/ir/schema_match.h"

namespace loupe::exported {
namespace {

using ir::Symbol;
namespace prim = ir::prim;
constexpr std::string_view kNode = "node";

// Operators on sizes that PyTorch has twice.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSameAs{
    {{"aten::sym_size.int", "aten::size.int"},
     {"aten::sym_stride.int", "aten::stride.int"},
     {"aten::sym_numel", "aten::numel"},
     {"aten::sym_storage_offset", "aten::storage_offset"},
     {"aten::sym_is_contiguous", "aten::is_contiguous"},
     {"aten::_local_scalar_dense", "aten::item"}}};

// Arguments that change nothing here: an operator without them is the same.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWithoutEffect{
    {{"aten::_assert_tensor_metadata", "device"},
     {"aten::_assert_tensor_metadata", "layout"},
     {"aten::is_contiguous", "memory_format"}}};

bool is_name(std::string_view text) {
    const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
           std::ranges::all_of(text, is_part);
}

bool is_torch_file(std::string_view file) {
    return file.find("-packages/torch/") != std::string_view::npos || file.starts_with("torch/") ||
           file.starts_with("<eval_with_key>");
}

// The innermost line that is not PyTorch's own.
const TraceFrame* frame_to_show(const std::vector<TraceFrame>& frames) {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        if (!is_torch_file(frame->file)) return &*frame;
    }
    return frames.empty() ? nullptr : &frames.back();
}

// "aten.add.Tensor": "aten::add" and "Tensor".
std::pair<std::string, std::string> operator_name(std::string_view target) {
    const auto dot = target.find('.');
    if (dot == std::string_view::npos) return {std::string(target), {}};
    std::string_view rest = target.substr(dot + 1);
    std::string overload;
    if (const auto second = rest.find('.'); second != std::string_view::npos) {
        overload = rest.substr(second + 1);
        rest = rest.substr(0, second);
    }
    if (overload == "default") overload.clear();
    return {concat(target.substr(0, dot), "::", rest), overload};
}

bool is_number_type(const TypePtr& type) {
    const TypeKind kind = type->kind();
    return kind == TypeKind::Int || kind == TypeKind::Float || kind == TypeKind::Bool || kind == TypeKind::Complex ||
           kind == TypeKind::Number;
}

bool fits(const FunctionSchema& schema, const std::vector<ir::Value*>& values) {
    std::vector<TypePtr> types;
    for (const ir::Value* value : values) types.push_back(value->type());
    ir::TypeBindings bindings;
    return ir::match_schema(schema, types, bindings);
}

// PyTorch's fused attention lays its result out so that heads can be joined by a view; ours does not.
bool joins_heads(const ir::Value* value) {
    static const Symbol kTranspose = Symbol::intern("aten::transpose");
    static const Symbol kPermute = Symbol::intern("aten::permute");
    static const Symbol kAttention = Symbol::intern("aten::scaled_dot_product_attention");
    const ir::Node* node = value->node();
    const bool is_turned = (node->kind() == kTranspose || node->kind() == kPermute) && !node->inputs().empty();
    return is_turned && node->input(0)->node()->kind() == kAttention;
}

}  // namespace

// --- a graph ---

void NodeEmitter::bind(Names& names, std::string_view name, ir::Value* value) const {
    if (!value->has_name() && is_name(name)) value->set_name(std::string(name));
    names[name] = value;
}

std::vector<ir::Value*> NodeEmitter::emit_graph(const JsonValue& graph, const std::vector<ir::Value*>& inputs) {
    Names names;
    const std::span<const JsonValue> formals = list_of(member(graph, "inputs", "graph"), "inputs of a graph");
    if (formals.size() != inputs.size()) {
        throw_file_error(
            concat("a graph inside the program takes ", formals.size(), " inputs and gets ", inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto [kind, value] = union_of(formals[i], "input of a graph");
        if (kind == "as_tensor" || kind == "as_custom_obj") names[text_member(value, "name", kNode)] = inputs[i];
        if (!kind.starts_with("as_sym_")) continue;
        if (const JsonValue* name = find_member(value, "as_name", kNode)) names[text_of(*name, kNode)] = inputs[i];
    }
    emit_nodes(member(graph, "nodes", "graph"), names);
    std::vector<ir::Value*> outputs;
    for (const JsonValue& output : list_of(member(graph, "outputs", "graph"), "outputs of a graph"))
        outputs.push_back(value_of(output, nullptr, names));
    return outputs;
}

void NodeEmitter::emit_nodes(const JsonValue& nodes, Names& names) {
    for (const JsonValue& node : list_of(nodes, "nodes of a graph")) {
        check_cancelled();
        emit_node(node, names);
    }
}

void NodeEmitter::emit_node(const JsonValue& node, Names& names) {
    place(node);
    const std::string_view full = text_member(node, "target", kNode);
    constexpr std::string_view kOperators = "torch.ops.";
    constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";
    std::string_view target = full;
    if (target.starts_with(kHigherOrder)) {
        target.remove_prefix(kHigherOrder.size());
        if (auto results = emit_higher_order(target, node, names)) {
            place(node);
            return bind_outputs(node, std::move(*results), names);
        }
        return bind_outputs(node, emit_missing(concat("higher_order::", target), node, names), names);
    }
    if (target.starts_with(kOperators)) {
        target.remove_prefix(kOperators.size());
        return bind_outputs(node, emit_operator(target, node, names), names);
    }
    bind_outputs(node, emit_python(target, node, names), names);
}

// Where the node stands: new nodes get its line and module.
void NodeEmitter::place(const JsonValue& node) {
    const JsonValue* metadata = find_member(node, "metadata", kNode);
    if (metadata == nullptr) return;
    if (const JsonValue* trace = find_member(*metadata, "stack_trace", "metadata of a node")) {
        graph_.set_current_range(range_of(text_of(*trace, "stack trace")));
    }
    if (const JsonValue* stack = find_member(*metadata, "nn_module_stack", "metadata of a node")) {
        graph_.set_current_scope(scope_of(text_of(*stack, "module stack")));
    }
}

const ir::SourceRange& NodeEmitter::range_of(std::string_view stack_trace) {
    const auto [at, is_new] = ranges_.try_emplace(stack_trace);
    if (is_new) {
        const auto frames = parse_stack_trace(stack_trace);
        if (const TraceFrame* frame = frame_to_show(frames)) at->second = sources_.range_of(*frame);
    }
    return at->second;
}

const std::string& NodeEmitter::scope_of(std::string_view module_stack) {
    const auto [at, is_new] = scopes_.try_emplace(module_stack);
    if (is_new) {
        for (const ModuleCall& call : parse_module_stack(module_stack)) {
            if (modules_.has_module(call.path)) at->second = call.path;
        }
    }
    return at->second;
}

std::vector<NodeEmitter::Given> NodeEmitter::inputs_of(const JsonValue& node) const {
    std::vector<Given> given;
    for (const JsonValue& input : list_of(member(node, "inputs", kNode), "inputs of a node")) {
        given.push_back({text_member(input, "name", "input of a node"), &member(input, "arg", "input of a node")});
    }
    return given;
}

std::vector<ir::Value*> NodeEmitter::insert(ir::Node* node) {
    graph_.insert(node);
    return node->outputs();
}

// --- operators ---

std::vector<ir::Value*> NodeEmitter::emit_operator(std::string_view target, const JsonValue& node, Names& names) {
    auto [kind, overload] = operator_name(target);
    const std::string full = overload.empty() ? kind : concat(kind, ".", overload);
    const Operator* op = find_operator(full);
    for (const auto& [from, to] : kSameAs) {
        if (full == from) op = find_operator(to);
    }
    const std::vector<Given> given = inputs_of(node);
    if (op != nullptr) {
        if (auto results = try_call(*op, given, names)) return std::move(*results);
    }
    // Another overload that takes these arguments, in order.
    for (const Operator* other : operators_named(kind)) {
        if (other == op || other->variant == OperatorVariant::Out) continue;
        if (auto results = try_call(*other, given, names)) return std::move(*results);
    }
    return emit_missing(operators_named(kind).empty() ? kind : full, node, names);
}

std::optional<std::vector<ir::Value*>> NodeEmitter::try_call(const Operator& op, const std::vector<Given>& given,
                                                             const Names& names) {
    const auto& formals = op.schema.arguments;
    std::vector<const JsonValue*> arguments(formals.size(), nullptr);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto at = given[i].name.empty() ? std::optional(i) : op.schema.find_argument(given[i].name);
        if (at && *at < formals.size()) {
            arguments[*at] = given[i].argument;
            continue;
        }
        const bool has_effect = std::ranges::none_of(kWithoutEffect, [&](const auto& each) {
            return each.first == op.schema.name && each.second == given[i].name;
        });
        if (has_effect) return std::nullopt;
    }
    for (std::size_t i = 0; i < formals.size(); ++i) {
        const bool may_be_missing = formals[i].default_value || formals[i].type->kind() == TypeKind::Optional;
        if (arguments[i] == nullptr && !may_be_missing) return std::nullopt;
    }
    ir::Node* const before = graph_.insert_point()->prev();
    std::vector<ir::Value*> values;
    for (std::size_t i = 0; i < formals.size(); ++i) {
        values.push_back(arguments[i] != nullptr
                             ? fitted(value_of(*arguments[i], formals[i].type, names), formals[i].type)
                             : graph_.insert_constant(formals[i].default_value.value_or(IValue())));
    }
    if (op.full_name == "aten::view" && joins_heads(values[0])) return call(*find_operator("aten::reshape"), values);
    if (fits(op.schema, values)) return call(op, values);
    if (auto results = call_with_numbers(op, std::move(values))) return results;
    while (graph_.insert_point()->prev() != before) graph_.insert_point()->prev()->destroy();
    return std::nullopt;
}

std::vector<ir::Value*> NodeEmitter::call(const Operator& op, const std::vector<ir::Value*>& values) {
    std::vector<TypePtr> types;
    for (const ir::Value* value : values) types.push_back(value->type());
    ir::TypeBindings bindings;
    ir::match_schema(op.schema, types, bindings);
    ir::Node* node = graph_.create(Symbol::intern(op.schema.name), values, op.schema.returns.size());
    node->set_op(&op);
    for (std::size_t i = 0; i < op.schema.returns.size(); ++i)
        node->output(i)->set_type(ir::substitute(op.schema.returns[i].type, bindings));
    return insert(node);
}

std::optional<std::vector<ir::Value*>> NodeEmitter::call_with_numbers(const Operator& op,
                                                                      std::vector<ir::Value*> values) {
    std::vector<TypePtr> types;
    for (const ir::Value* value : values) types.push_back(value->type());
    const Operator* other = ir::match_operator(op.schema.name, types);
    if (other != nullptr && other->schema.returns.size() == op.schema.returns.size()) return call(*other, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const TypePtr& formal = op.schema.arguments[i].type;
        const bool takes_tensor = formal->kind() == TypeKind::Tensor || (formal->kind() == TypeKind::Optional &&
                                                                         formal->element()->kind() == TypeKind::Tensor);
        if (!takes_tensor || !is_number_type(values[i]->type())) continue;
        const auto constant = ir::constant_of(values[i]);
        values[i] = constant ? graph_.insert_constant(IValue(wrapped_number(constant->to_scalar())), types::tensor())
                             : call_by_types("aten::scalar_tensor", {values[i]});
    }
    if (!fits(op.schema, values)) return std::nullopt;
    return call(op, values);
}

// A call by name that a run fails at; its results are tensors unless the file says otherwise.
std::vector<ir::Value*> NodeEmitter::emit_missing(const std::string& kind, const JsonValue& node, Names& names) {
    std::vector<ir::Value*> values;
    for (const Given& given : inputs_of(node)) {
        if (union_of(*given.argument, kNode).kind == "as_graph") continue;
        values.push_back(value_of(*given.argument, nullptr, names));
    }
    std::vector<TypePtr> types;
    for (const JsonValue& output : list_of(member(node, "outputs", kNode), "outputs of a node")) {
        const std::string_view result = union_of(output, "output of a node").kind;
        types.push_back(result == "as_tensors"     ? types::list(types::tensor())
                        : result == "as_sym_int"   ? types::integer()
                        : result == "as_sym_float" ? types::floating()
                        : result == "as_sym_bool"  ? types::boolean()
                                                   : types::tensor());
    }
    // "prim::GetAttr" is a part of graphs, with inputs and attributes that nothing here checks.
    const bool is_structure = kind.starts_with("prim::") && operators_named(kind).empty();
    ir::Node* call =
        graph_.create(Symbol::intern(is_structure ? concat("torch.ops.", kind) : kind), values, types.size());
    for (std::size_t i = 0; i < types.size(); ++i) call->output(i)->set_type(types[i]);
    return insert(call);
}

ir::Value* NodeEmitter::call_by_types(std::string_view kind, std::vector<ir::Value*> values) {
    std::vector<TypePtr> types;
    for (const ir::Value* value : values) types.push_back(value->type());
    const Operator* op = ir::match_operator(kind, types);
    for (const Operator* each : operators_named(kind)) {
        // Trailing arguments take their defaults.
        const auto& formals = each->schema.arguments;
        if (op != nullptr || formals.size() <= values.size() || !formals[values.size()].default_value) continue;
        std::vector<ir::Value*> all = values;
        for (std::size_t i = values.size(); i < formals.size() && formals[i].default_value; ++i)
            all.push_back(graph_.insert_constant(*formals[i].default_value));
        if (!fits(each->schema, all)) continue;
        op = each;
        values = std::move(all);
    }
    if (op != nullptr) return call(*op, values).at(0);
    return insert(graph_.create(Symbol::intern(kind), values)).front();
}

// --- results ---

std::vector<ir::Value*> NodeEmitter::unpack(ir::Value* list, std::size_t count) {
    ir::Node* node = graph_.create(prim::ListUnpack, {list}, count);
    for (ir::Value* output : node->outputs()) output->set_type(list->type()->element());
    return insert(node);
}

void NodeEmitter::bind_outputs(const JsonValue& node, std::vector<ir::Value*> results, Names& names) {
    std::size_t next = 0;
    const auto take = [&]() -> ir::Value* {
        if (next >= results.size())
            throw_file_error(concat("a node has more outputs than ", text_member(node, "target", kNode), " gives"));
        return results[next++];
    };
    const auto bind_list = [&](std::span<const JsonValue> list, const auto& name_of) {
        std::vector<ir::Value*> parts;
        const bool is_list = next < results.size() && results[next]->type()->kind() == TypeKind::List;
        if (is_list) parts = unpack(take(), list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            ir::Value* part = is_list ? parts[i] : take();
            if (const auto name = name_of(list[i])) bind(names, *name, part);
        }
    };
    const auto tensor_name = [](const JsonValue& tensor) {
        return std::optional(text_member(tensor, "name", "output of a node"));
    };
    const auto optional_name = [&](const JsonValue& each) -> std::optional<std::string_view> {
        const auto [kind, value] = union_of(each, "output of a node");
        return kind == "as_tensor" ? tensor_name(value) : std::nullopt;
    };
    for (const JsonValue& output : list_of(member(node, "outputs", kNode), "outputs of a node")) {
        const auto [kind, value] = union_of(output, "output of a node");
        if (kind == "as_tensor" || kind == "as_custom_obj") {
            bind(names, *tensor_name(value), take());
        } else if (kind == "as_optional_tensor") {
            ir::Value* result = take();
            if (const auto name = optional_name(value)) bind(names, *name, result);
        } else if (kind == "as_tensors") {
            bind_list(list_of(value, "outputs of a node"), tensor_name);
        } else if (kind == "as_optional_tensors") {
            bind_list(list_of(value, "outputs of a node"), optional_name);
        } else if (kind.starts_with("as_sym_")) {
            ir::Value* result = take();
            const JsonValue* name = find_member(value, "as_name", "output of a node");
            if (name == nullptr) continue;
            const TypePtr& type = kind == "as_sym_int"     ? types::integer()
                                  : kind == "as_sym_float" ? types::floating()
                                                           : types::boolean();
            bind(names, text_of(*name, "output of a node"), as_number(result, type));
        } else {
            ++next;
        }
    }
}

}  // namespace loupe::exported
