// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/read/graph_emitter.h"

#include <algorithm>
#include <charconv>

#include "core/base/cancel.h"
#include "core/formats/archive/byte_reader.h"
#include "core/ir/schema_match.h"
#include "plugins/onnx/read/names.h"
#include "plugins/onnx/read/types.h"

namespace loupe::onnx {
namespace {

namespace prim = ir::prim;
using proto::AttributeProto;
using proto::NodeProto;

// Functions that call others twice each are more nodes than any file has.
constexpr std::size_t kMostNodes = 5'000'000;
constexpr int kDeepestCall = 100;

std::string description(const NodeProto& node) {
    return node.name().empty() ? node.op_type() : concat(node.op_type(), " ", quote_name(node.name()));
}

// Attributes that say nothing of the result.
bool has_no_effect(const std::string& attribute) {
    return attribute == "consumed_inputs" || attribute == "output_sequence";
}

// "v13", "v14_one", "one", "list": since which opset, and whether it gives the first result alone.
struct Form {
    std::int64_t since = 1;
    bool is_first_alone = false;
};
Form form_of(const std::string& overload) {
    Form form;
    form.is_first_alone = overload == "one" || overload.ends_with("_one");
    if (overload.starts_with('v')) std::from_chars(overload.data() + 1, overload.data() + overload.size(), form.since);
    return form;
}

bool is_tensor_list(const Type& type) {
    return type.kind() == TypeKind::List && type.element()->kind() == TypeKind::Tensor;
}

// Operators that take elements of any type, or convert them.
constexpr std::string_view kMoves[] = {"BitCast",
                                       "Cast",
                                       "CastLike",
                                       "Concat",
                                       "DequantizeLinear",
                                       "Equal",
                                       "Expand",
                                       "Flatten",
                                       "Gather",
                                       "GatherElements",
                                       "GatherND",
                                       "Identity",
                                       "Optional",
                                       "OptionalGetElement",
                                       "OptionalHasElement",
                                       "Pad",
                                       "QuantizeLinear",
                                       "Reshape",
                                       "Shape",
                                       "Size",
                                       "Slice",
                                       "Split",
                                       "Squeeze",
                                       "Tile",
                                       "Transpose",
                                       "Unsqueeze",
                                       "Where"};
bool moves_elements(std::string_view kind) {
    constexpr std::string_view kPrefix = "onnx::";
    if (!kind.starts_with(kPrefix)) return true;
    kind.remove_prefix(kPrefix.size());
    return kind.find("Sequence") != std::string_view::npos || std::ranges::find(kMoves, kind) != std::end(kMoves);
}

}  // namespace

ir::Value* Names::find(const std::string& name) const {
    const auto found = own_.find(name);
    if (found != own_.end()) return found->second;
    return outer_ != nullptr ? outer_->find(name) : nullptr;
}

GraphEmitter::GraphEmitter(ir::Graph& graph, const proto::ModelProto& model, const exported::TraceSources& sources,
                           const exported::ModuleTree& modules, ExternalFiles& files)
    : graph_(graph), sources_(sources), modules_(modules), files_(files), functions_(model) {
    if (functions_.count_nodes(model.graph(), kMostNodes) > kMostNodes)
        throw_file_error(concat("its functions make more than ", kMostNodes, " nodes"));
}

void GraphEmitter::note_elements(const proto::ValueInfoProto& info) {
    if (info.type().has_tensor_type()) elements_[info.name()] = info.type().tensor_type().elem_type();
}

void GraphEmitter::note_elements(const proto::GraphProto& graph) {
    for (const auto& tensor : graph.initializer()) elements_[tensor.name()] = tensor.data_type();
    for (const auto* infos : {&graph.input(), &graph.output(), &graph.value_info()}) {
        for (const auto& info : *infos) note_elements(info);
    }
}

// --- nodes ---

void GraphEmitter::emit_nodes(const Repeated& nodes, const Body& body, Names& names) {
    for (const NodeProto& node : nodes) {
        check_cancelled();
        emit_node(node, body, names);
    }
}

void GraphEmitter::emit_node(const NodeProto& node, const Body& body, Names& names) {
    if (node.op_type().empty()) throw_file_error("a node without an operator");
    place(node, body);
    const Values inputs = inputs_of(node, names);
    if (const proto::FunctionProto* function = functions_.called_by(node)) {
        const Values results = emit_call(*function, node, body, inputs);
        return bind_outputs(node, results, names);
    }
    const std::string space = namespace_of(node.domain());
    const std::string kind = concat(space, "::", node.op_type());
    Values results;
    if (kind == "onnx::Constant")
        results = emit_constant(node, body);
    else if (kind == "onnx::Optional" && inputs.empty())
        results = emit_empty(node, body);
    else if (is_control_flow(kind))
        results = emit_control_flow(node, body, inputs, names);
    else if (moves_elements(kind))
        results = emit_operator(kind, node, body, inputs);
    else
        results = emit_computation(kind, node, body, inputs);
    place(node, body);
    bind_outputs(node, results, names);
    follow_elements(node, body);
}

// Where the node stands: new nodes get its line and module.
void GraphEmitter::place(const NodeProto& node, const Body& body) {
    ir::SourceRange range;
    if (const std::string* trace = metadata(node.metadata_props(), "pkg.torch.onnx.stack_trace")) {
        const auto frames = exported::parse_stack_trace(*trace);
        // The innermost line that is not PyTorch's own.
        const exported::TraceFrame* shown = nullptr;
        for (const auto& frame : frames) {
            if (shown == nullptr || frame.file.find("-packages/torch/") == std::string_view::npos) shown = &frame;
        }
        if (shown != nullptr) range = sources_.range_of(*shown);
    }
    graph_.set_current_range(std::move(range));
    std::string scope = body.scope;
    for (const exported::ModuleCall& each : module_calls(node)) {
        if (modules_.has_module(each.path)) scope = each.path;
    }
    graph_.set_current_scope(std::move(scope));
}

GraphEmitter::Values GraphEmitter::inputs_of(const NodeProto& node, const Names& names) {
    Values values;
    for (const std::string& name : node.input()) {
        ir::Value* value = name.empty() ? nullptr : names.find(name);
        if (value == nullptr && !name.empty()) {
            throw_file_error(concat(description(node), " reads ", quote_name(name), ", which nothing before it gives"));
        }
        values.push_back(value);
    }
    while (!values.empty() && values.back() == nullptr) values.pop_back();
    return values;
}

void GraphEmitter::bind(Names& names, const std::string& name, ir::Value* value) {
    if (names.has_own(name)) throw_file_error(concat("two nodes give ", quote_name(name)));
    if (!value->has_name()) {
        if (const std::string shown = value_name(name); !shown.empty()) value->set_name(shown);
    }
    names.set(name, value);
}

void GraphEmitter::bind_outputs(const NodeProto& node, const Values& results, Names& names) {
    for (int i = 0; i < node.output_size(); ++i) {
        if (node.output(i).empty()) continue;
        if (static_cast<std::size_t>(i) >= results.size())
            throw_file_error(concat(description(node), " has ", node.output_size(), " outputs, not ", results.size()));
        bind(names, node.output(i), results[static_cast<std::size_t>(i)]);
    }
}

ir::Node* GraphEmitter::insert(ir::Node* node, const Body& body) {
    if (body.call != nullptr) node->set_inlined_from(body.call);
    return graph_.insert(node);
}

namespace {

// Operators whose first result has an element type that is no input's.
constexpr std::string_view kOwnTypes[] = {"ArgMax",  "ArgMin",      "DynamicQuantizeLinear",
                                          "Equal",   "Greater",     "GreaterOrEqual",
                                          "If",      "IsInf",       "IsNaN",
                                          "Less",    "LessOrEqual", "Loop",
                                          "NonZero", "Scan",        "SequenceLength",
                                          "Shape",   "Size"};

// The input whose element type an attribute names that the file leaves out; -1: none.
int target_source(const NodeProto& node) {
    if (node.op_type() == "QuantizeLinear" && node.input_size() > 2) return 2;
    return node.op_type() == "CastLike" && node.input_size() > 1 ? 1 : -1;
}

// The input whose element type the first result takes; -1: none.
int element_source(const NodeProto& node) {
    if (std::ranges::find(kOwnTypes, node.op_type()) != std::end(kOwnTypes)) return -1;
    if (node.op_type() == "QuantizeLinear") return target_source(node);
    if (node.op_type() == "CastLike" || node.op_type() == "Where" || node.op_type() == "DequantizeLinear") return 1;
    return node.op_type() == "OneHot" ? 2 : 0;
}

}  // namespace

// Element types of values whose dtype here is wider than theirs.
void GraphEmitter::follow_elements(const NodeProto& node, const Body& body) {
    if (node.output_size() == 0 || node.output(0).empty() || elements_.contains(node.output(0))) return;
    std::int32_t type = 0;
    for (const AttributeProto& each : node.attribute()) {
        const AttributeProto* attribute = resolved(each, body.attributes);
        if (attribute == nullptr) continue;
        if (each.name() == "to" || each.name() == "output_dtype") type = static_cast<std::int32_t>(attribute->i());
        if (each.name() == "value" && attribute->has_t()) type = attribute->t().data_type();
    }
    const int source = element_source(node);
    if (type == 0 && source >= 0 && source < node.input_size()) {
        const auto found = elements_.find(node.input(source));
        if (found != elements_.end()) type = found->second;
    }
    if (type != 0) elements_[node.output(0)] = type;
}

// The type that computes for a value; nullptr where that is its own.
const DataType* GraphEmitter::computed_elements(const std::string& name) const {
    const auto found = elements_.find(name);
    const DataType* type = found == elements_.end() ? nullptr : find_data_type(found->second);
    return type != nullptr && type->computed() != type->held ? type : nullptr;
}

ir::Value* GraphEmitter::converted(ir::Value* value, ScalarType dtype) {
    return call("aten::to.dtype", {value, number(static_cast<std::int64_t>(dtype))});
}

// --- operators ---

// Unsigned integers go in as wider ones, and come out as they are.
GraphEmitter::Values GraphEmitter::emit_computation(const std::string& kind, const NodeProto& node, const Body& body,
                                                    Values inputs) {
    const auto is_tensor = [](const ir::Value* value) {
        return value != nullptr && value->type()->kind() == TypeKind::Tensor;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const DataType* type = computed_elements(node.input(static_cast<int>(i)));
        if (type != nullptr && is_tensor(inputs[i])) inputs[i] = converted(inputs[i], type->computed());
    }
    Values results = emit_operator(kind, node, body, inputs);
    follow_elements(node, body);
    for (std::size_t i = 0; i < results.size() && i < static_cast<std::size_t>(node.output_size()); ++i) {
        const DataType* type = computed_elements(node.output(static_cast<int>(i)));
        if (type != nullptr && is_tensor(results[i])) results[i] = converted(results[i], type->held);
    }
    return results;
}

GraphEmitter::Values GraphEmitter::emit_operator(const std::string& kind, const NodeProto& node, const Body& body,
                                                 const Values& inputs) {
    const auto imported = body.opsets.find(node.domain() == "ai.onnx" ? "" : node.domain());
    const std::int64_t opset = imported == body.opsets.end() ? 1 : imported->second;
    std::int64_t newest = 0;
    for (const Operator* op : operators_named(kind)) {
        const std::int64_t since = form_of(op->schema.overload).since;
        if (since <= opset) newest = std::max(newest, since);
    }
    std::size_t outputs = 0;
    for (int i = 0; i < node.output_size(); ++i) {
        if (!node.output(i).empty()) outputs = static_cast<std::size_t>(i) + 1;
    }
    std::vector<const Operator*> candidates;
    for (const Operator* op : operators_named(kind)) {
        const Form form = form_of(op->schema.overload);
        if (form.since != newest) continue;
        // The first result alone where the others are not asked for.
        if (form.is_first_alone && outputs <= 1) candidates.insert(candidates.begin(), op);
        if (!form.is_first_alone) candidates.push_back(op);
    }
    for (const Operator* op : candidates) {
        const bool is_open = op->schema.returns.size() == 1 && op->schema.returns[0].name == "outputs";
        if (!is_open && outputs > op->schema.returns.size()) continue;
        Values arguments;
        ir::Node* const before = graph_.insert_point()->prev();
        if (!bind_arguments(*op, node, body, inputs, arguments)) {
            while (graph_.insert_point()->prev() != before) graph_.insert_point()->prev()->destroy();
            continue;
        }
        std::vector<TypePtr> types;
        for (const ir::Value* value : arguments) types.push_back(value->type());
        ir::TypeBindings bindings;
        if (!ir::match_schema(op->schema, types, bindings)) {
            while (graph_.insert_point()->prev() != before) graph_.insert_point()->prev()->destroy();
            continue;
        }
        ir::Node* call = graph_.create(ir::Symbol::intern(kind), arguments, op->schema.returns.size());
        call->set_op(op);
        for (std::size_t i = 0; i < op->schema.returns.size(); ++i)
            call->output(i)->set_type(ir::substitute(op->schema.returns[i].type, bindings));
        insert(call, body);
        if (!is_open) return call->outputs();
        ir::Node* parts =
            graph_.create(prim::ListUnpack, {call->output()}, static_cast<std::size_t>(node.output_size()));
        for (ir::Value* output : parts->outputs()) output->set_type(call->output()->type()->element());
        return insert(parts, body)->outputs();
    }
    return emit_missing(kind, node, body, inputs);
}

// The inputs by position, the attributes by name. False when the operator does not take them.
bool GraphEmitter::bind_arguments(const Operator& op, const NodeProto& node, const Body& body, const Values& inputs,
                                  Values& arguments) {
    std::size_t next = 0;
    for (const AttributeProto& attribute : node.attribute()) {
        const auto at = op.schema.find_argument(attribute.name());
        const bool is_known = at && op.schema.arguments[*at].kwarg_only;
        if (!is_known && !has_no_effect(attribute.name())) return false;
    }
    for (const Argument& formal : op.schema.arguments) {
        if (formal.kwarg_only) {
            ir::Value* value = attribute_argument(formal, node, body);
            if (value == nullptr) return false;
            arguments.push_back(value);
            continue;
        }
        const bool takes_list = is_tensor_list(*formal.type);
        const bool is_list = next < inputs.size() && inputs[next] != nullptr && is_tensor_list(*inputs[next]->type());
        if (takes_list && !is_list) {
            Values elements(inputs.begin() + static_cast<std::ptrdiff_t>(std::min(next, inputs.size())), inputs.end());
            for (const ir::Value* element : elements) {
                if (element == nullptr || element->type()->kind() != TypeKind::Tensor) return false;
            }
            next = inputs.size();
            ir::Node* list = graph_.create(prim::ListConstruct, elements);
            list->output()->set_type(types::list(types::tensor()));
            arguments.push_back(insert(list, body)->output());
            continue;
        }
        ir::Value* value = next < inputs.size() ? inputs[next] : nullptr;
        ++next;
        if (value == nullptr) {
            if (formal.type->kind() != TypeKind::Optional) return false;
            value = graph_.insert_constant(IValue());
        }
        arguments.push_back(value);
    }
    return next >= inputs.size();
}

ir::Value* GraphEmitter::attribute_argument(const Argument& formal, const NodeProto& node, const Body& body) {
    for (const AttributeProto& each : node.attribute()) {
        if (each.name() != formal.name) continue;
        const AttributeProto* attribute = resolved(each, body.attributes);
        if (attribute == nullptr) break;
        return graph_.insert_constant(attribute_value(*attribute, formal.type, description(node), files_));
    }
    if (formal.name == "num_outputs") return number(node.output_size());
    // A type that a wider one may hold here; others are known by the dtype.
    const bool is_target = formal.name == "output_dtype" || formal.name == "to";
    const int source = is_target ? target_source(node) : formal.name == "element_type" ? 0 : -1;
    if (source >= 0 && source < node.input_size()) {
        const auto found = elements_.find(node.input(source));
        const DataType* type = found == elements_.end() ? nullptr : find_data_type(found->second);
        if (type != nullptr && (formal.name == "output_dtype" || !type->is_exact || type->computed() != type->held))
            return number(found->second);
    }
    if (formal.default_value) return graph_.insert_constant(*formal.default_value);
    if (formal.type->kind() == TypeKind::Optional) return graph_.insert_constant(IValue());
    return nullptr;
}

// A call by name that a run fails at, with the attributes that can be shown.
GraphEmitter::Values GraphEmitter::emit_missing(const std::string& kind, const NodeProto& node, const Body& body,
                                                const Values& inputs) {
    Values values;
    for (ir::Value* value : inputs) values.push_back(value != nullptr ? value : graph_.insert_constant(IValue()));
    for (const AttributeProto& each : node.attribute()) {
        const AttributeProto* attribute = resolved(each, body.attributes);
        if (attribute == nullptr) continue;
        const auto kind_of_value = kind_of(*attribute);
        if (kind_of_value == AttributeProto::GRAPH || kind_of_value > AttributeProto::STRINGS) continue;
        ir::Value* value = graph_.insert_constant(plain_value(*attribute, files_));
        if (const std::string shown = value_name(each.name()); !shown.empty()) value->set_name(shown);
        values.push_back(value);
    }
    if (std::ranges::find(missing_, kind) == missing_.end()) missing_.push_back(kind);
    // A form of a known operator that the engine lacks must not look like one that it has.
    const std::string shown = operators_named(kind).empty() ? kind : concat("unknown_", kind);
    ir::Node* call = graph_.create(ir::Symbol::intern(shown), values, static_cast<std::size_t>(node.output_size()));
    for (ir::Value* output : call->outputs()) output->set_type(types::tensor());
    return insert(call, body)->outputs();
}

GraphEmitter::Values GraphEmitter::emit_constant(const NodeProto& node, const Body& body) {
    for (const AttributeProto& each : node.attribute()) {
        const AttributeProto* a = resolved(each, body.attributes);
        if (a == nullptr) continue;
        const std::string& name = each.name();
        if (name == "sparse_value") {
            proto::SparseTensorProto copy = a->sparse_tensor();
            return {graph_.insert_constant(IValue(take_sparse_tensor(copy, files_)))};
        }
        if (name.starts_with("value_string")) {
            const IValue text = plain_value(*a, files_);
            if (text.is_list()) return {graph_.insert_constant(text)};
            return {graph_.insert_constant(make_ptr<ListObject>(types::string(), std::vector<IValue>{text}))};
        }
        const IValue value = plain_value(*a, files_);
        if (value.is_int())
            return {graph_.insert_constant(IValue(scalar_tensor(Scalar(value.to_int()), ScalarType::Int64)))};
        if (value.is_double())
            return {graph_.insert_constant(IValue(scalar_tensor(Scalar(value.to_double()), ScalarType::Float32)))};
        if (name == "value_ints") {
            const Dims sizes{a->ints_size()};
            const std::vector<std::int64_t> numbers(a->ints().begin(), a->ints().end());
            return {graph_.insert_constant(IValue(tensor_of(std::span<const std::int64_t>(numbers), span_of(sizes))))};
        }
        if (name == "value_floats") {
            const Dims sizes{a->floats_size()};
            const std::vector<float> numbers(a->floats().begin(), a->floats().end());
            return {graph_.insert_constant(IValue(tensor_of(std::span<const float>(numbers), span_of(sizes))))};
        }
        if (name == "value" && !value.is_none()) return {graph_.insert_constant(value)};
    }
    throw_file_error(concat(description(node), " has no value"));
}

// An optional value without one, of the type that the node says.
GraphEmitter::Values GraphEmitter::emit_empty(const NodeProto& node, const Body& body) {
    TypePtr type = types::tensor();
    for (const AttributeProto& each : node.attribute()) {
        const AttributeProto* attribute = resolved(each, body.attributes);
        if (each.name() == "type" && attribute != nullptr) type = type_of(attribute->tp());
    }
    return {graph_.insert_constant(IValue(), types::optional(type))};
}

// --- functions ---

GraphEmitter::Values GraphEmitter::emit_call(const proto::FunctionProto& function, const NodeProto& node,
                                             const Body& body, const Values& inputs) {
    if (body.depth >= kDeepestCall)
        throw_file_error(concat("function ", quote_name(function.name()), " calls itself, or others too deeply"));
    Body inside;
    inside.depth = body.depth + 1;
    inside.opsets = body.opsets;
    for (const auto& set : function.opset_import())
        inside.opsets[set.domain() == "ai.onnx" ? "" : set.domain()] = set.version();
    for (const AttributeProto& attribute : function.attribute_proto()) inside.attributes[attribute.name()] = &attribute;
    for (const AttributeProto& attribute : node.attribute()) {
        if (const AttributeProto* given = resolved(attribute, body.attributes))
            inside.attributes[attribute.name()] = given;
    }
    inside.scope = body.scope;
    for (const exported::ModuleCall& each : module_calls(node)) {
        if (modules_.has_module(each.path)) inside.scope = each.path;
    }
    inside.call = std::make_shared<const ir::InlinedCall>(
        ir::InlinedCall{concat(namespace_of(function.domain()), "::", function.name()), inside.scope,
                        graph_.current_range(), body.call});
    if (inputs.size() > static_cast<std::size_t>(function.input_size()))
        throw_file_error(
            concat(description(node), " takes ", function.input_size(), " inputs and gets ", inputs.size()));
    Names names;
    for (int i = 0; i < function.input_size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        ir::Value* given = at < inputs.size() ? inputs[at] : nullptr;
        names.set(function.input(i), given != nullptr ? given : graph_.insert_constant(IValue()));
    }
    // Names are the function's own: what is known of the caller's says nothing of them.
    std::unordered_map<std::string, std::int32_t> outside;
    outside.swap(elements_);
    for (int i = 0; i < function.input_size() && i < node.input_size(); ++i) {
        if (const auto found = outside.find(node.input(i)); found != outside.end())
            elements_[function.input(i)] = found->second;
    }
    emit_nodes(function.node(), inside, names);
    outside.swap(elements_);
    Values results;
    for (const std::string& name : function.output()) {
        ir::Value* value = names.find(name);
        if (value == nullptr)
            throw_file_error(concat("function ", quote_name(function.name()), " gives no ", quote_name(name)));
        results.push_back(value);
    }
    return results;
}

}  // namespace loupe::onnx
