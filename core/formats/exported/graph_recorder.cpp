// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/graph_recorder.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/exported/program_enums.h"
#include "core/formats/exported/symbol_text.h"

namespace loupe::exported {
namespace {

Json named(const std::string& name) { return Json{{"name", name}}; }
Json tensor_argument(const std::string& name) { return Json{{"as_tensor", named(name)}}; }

const char* symbolic_kind(TypeKind kind) {
    return kind == TypeKind::Float ? "as_sym_float" : kind == TypeKind::Bool ? "as_sym_bool" : "as_sym_int";
}

// "torch.ops.aten.add.Tensor"
std::string target_of(const Operator& op) {
    std::string name = op.schema.name;
    if (const auto colons = name.find("::"); colons != std::string::npos) name.replace(colons, 2, ".");
    return concat("torch.ops.", name, ".", op.schema.overload.empty() ? "default" : op.schema.overload);
}

// PyTorch's names of graph values: keywords and names of Python have a number from the start.
bool is_reserved(std::string_view name) {
    constexpr std::array<std::string_view, 20> kReserved{"and", "as",     "def",   "del", "from",  "if",  "in",
                                                         "is",  "lambda", "not",   "or",  "pass",  "max", "min",
                                                         "sum", "abs",    "round", "pow", "slice", "all"};
    return std::ranges::find(kReserved, name) != kReserved.end() || name == "any" || name == "range" || name == "print";
}

}  // namespace

// --- values ---

std::string GraphRecorder::fresh_name(std::string_view base) {
    std::string root(base);
    for (char& c : root) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    if (root.empty() || std::isdigit(static_cast<unsigned char>(root[0])) != 0) root.insert(root.begin(), '_');
    std::string name = root;
    std::size_t& count = counts_[root];
    if (count == 0 && is_reserved(root)) name = concat(root, "_", ++count);
    while (!taken_.insert(name).second) name = concat(root, "_", ++count);
    return name;
}

void GraphRecorder::bind(const Tensor& tensor, const std::string& name) {
    names_[tensor.impl()] = name;
    taken_.insert(name);
    tensor_values_[name] = meta_of(tensor);
}

void GraphRecorder::bind(const SymbolicNumber& number, const std::string& name) {
    names_[&number] = name;
    taken_.insert(name);
    Json hint = nullptr;
    if (!number.is_data) {
        if (number.hint.is_int()) hint = Json{{"as_int", number.hint.to_int()}};
        if (number.hint.is_double()) hint = Json{{"as_float", number.hint.to_double()}};
        if (number.hint.is_bool()) hint = Json{{"as_bool", number.hint.to_bool()}};
    }
    const bool is_constant = number.expression.kind == SymbolExpression::Kind::Number;
    const Json value = is_constant && number.kind == TypeKind::Int
                           ? Json{{"as_int", number.expression.number}}
                           : Json{{"as_expr", {{"expr_str", srepr(number.expression)}, {"hint", hint}}}};
    Json& all = number.kind == TypeKind::Float ? sym_floats_ : number.kind == TypeKind::Bool ? sym_bools_ : sym_ints_;
    all[name] = value;
}

bool GraphRecorder::has_itself(const Tensor& tensor) const {
    return names_.contains(tensor.impl()) ||
           std::ranges::any_of(regions_, [&](const Region& region) { return region.graph->has_itself(tensor); });
}

bool GraphRecorder::has(const Tensor& tensor) const {
    return has_itself(tensor) || (outer_ != nullptr && outer_->has(tensor));
}

bool GraphRecorder::take_from_region(const Tensor& tensor) {
    for (Region& region : regions_) {
        if (!region.graph->has_itself(tensor)) continue;
        region.graph->name_of(tensor);
        region.outputs.emplace_back(tensor);
        const Json output = new_output(tensor, "getitem");
        nodes_[region.node]["outputs"].push_back(output);
        infos_[region.node].makes.push_back(output["as_tensor"]["name"]);
        return true;
    }
    return false;
}

void GraphRecorder::capture(const IValue& value) {
    const auto number = number_in(value);
    const RefCounted* key = number ? static_cast<const RefCounted*>(number.get()) : value.tensor_impl();
    if (names_.contains(key)) return;
    captured_.push_back(value);
    const std::string name = fresh_name(concat("arg", captured_.size() - 1, "_1"));
    if (number)
        bind(*number, name);
    else
        bind(value.to_tensor(), name);
}

std::string GraphRecorder::name_of(const Tensor& tensor) {
    if (const auto found = names_.find(tensor.impl()); found != names_.end()) return found->second;
    if (take_from_region(tensor)) return names_.at(tensor.impl());
    if (outer_ == nullptr || !outer_->has(tensor))
        throw Error(ErrorKind::Internal, "a tensor of a trace that no node made");
    capture(IValue(tensor));
    return names_.at(tensor.impl());
}

std::string GraphRecorder::name_of(const SymbolicNumber& number) {
    if (const auto found = names_.find(&number); found != names_.end()) return found->second;
    if (number.target.empty()) {
        capture(IValue::other(Ptr<RefCounted>(const_cast<SymbolicNumber*>(&number))));
        return names_.at(&number);
    }
    std::vector<std::string> reads;
    Json inputs = Json::array();
    for (const auto& [name, value] : number.arguments) inputs.push_back(input(name, argument(value, nullptr, reads)));
    std::string base = number.target.substr(number.target.rfind('.') + 1);
    if (number.target.starts_with("torch.ops.aten.sym_size")) base = "sym_size_int";
    if (base == "default") base = number.target.ends_with("item.default") ? "item" : "sym_numel_default";
    const std::string name = fresh_name(base);
    const Json output{{symbolic_kind(number.kind), {{"as_name", name}}}};
    add_node(number.target, std::move(inputs), Json::array({output}), name, true, std::move(reads));
    infos_.back().makes = {name};
    bind(number, name);
    return name;
}

// --- nodes ---

Json GraphRecorder::input(std::string_view name, Json argument, bool is_keyword) {
    return Json{{"name", std::string(name)}, {"arg", std::move(argument)}, {"kind", is_keyword ? 2 : 1}};
}

void GraphRecorder::add_node(const std::string& target, Json inputs, Json outputs, const std::string& name,
                             bool is_pure, std::vector<std::string> reads) {
    const bool is_higher_order = target.starts_with("torch.ops.higher_order.");
    infos_.push_back({std::move(reads), {}, is_pure});
    for (const Json& output : outputs) {
        if (output.contains("as_tensor")) infos_.back().makes.push_back(output["as_tensor"]["name"]);
    }
    nodes_.push_back(Json{{"target", target},
                          {"inputs", std::move(inputs)},
                          {"outputs", std::move(outputs)},
                          {"metadata", metadata_()},
                          {"is_hop_single_tensor_return", is_higher_order ? Json(false) : Json(nullptr)},
                          {"name", name}});
}

Json GraphRecorder::new_output(const Tensor& tensor, std::string_view base) {
    const std::string name = fresh_name(base);
    bind(tensor, name);
    return tensor_argument(name);
}

Json GraphRecorder::outputs_of(const Operator& op, const std::vector<IValue>& results,
                               std::vector<std::string>& makes) {
    const std::string base = op.schema.name.substr(op.schema.name.find("::") + 2);
    Json outputs = Json::array();
    bool is_first = results.size() == 1;
    const auto add = [&](const Tensor& tensor) {
        const Json output = new_output(tensor, is_first ? base : "getitem");
        makes.push_back(output["as_tensor"]["name"]);
        return output;
    };
    for (const IValue& result : results) {
        if (result.is_tensor()) {
            outputs.push_back(add(result.to_tensor()));
        } else if (result.is_list()) {
            is_first = false;
            Json list = Json::array();
            for (const IValue& each : result.to_list().elements) list.push_back(add(each.to_tensor())["as_tensor"]);
            outputs.push_back(Json{{"as_tensors", list}});
        } else {
            outputs.push_back(Json{{"as_none", true}});
        }
    }
    return outputs;
}

void GraphRecorder::add_call(const Operator& op, const std::vector<IValue>& arguments,
                             const std::vector<IValue>& results, bool is_pure) {
    const auto& formals = op.schema.arguments;
    const auto is_default = [&](std::size_t i) {
        const IValue fallback = formals[i].default_value.value_or(IValue());
        return (formals[i].default_value || formals[i].type->kind() == TypeKind::Optional) &&
               !holds_number(arguments[i]) &&
               (arguments[i].is_same(fallback) || (!arguments[i].is_tensor() && values_equal(arguments[i], fallback)));
    };
    // Positional arguments up to the last that is not at its default; of the others those that are not.
    std::size_t positional = 0;
    for (std::size_t i = 0; i < formals.size(); ++i) {
        if (!formals[i].kwarg_only && !is_default(i)) positional = i + 1;
    }
    Json inputs = Json::array();
    std::vector<std::string> reads;
    for (std::size_t i = 0; i < formals.size(); ++i) {
        const bool is_left_out = formals[i].kwarg_only ? is_default(i) : i >= positional;
        if (is_left_out) continue;
        inputs.push_back(input(formals[i].name, argument(arguments[i], &formals[i], reads), formals[i].kwarg_only));
        const bool is_written = formals[i].alias && formals[i].alias->is_write;
        if (is_written && arguments[i].is_tensor()) {
            for (const IValue& each : captured_) has_written_outer_ = has_written_outer_ || each.is_same(arguments[i]);
        }
    }
    std::vector<std::string> makes;
    Json outputs = outputs_of(op, results, makes);
    const std::string name = makes.empty() || results.size() != 1 || !results[0].is_tensor()
                                 ? fresh_name(op.schema.name.substr(op.schema.name.find("::") + 2))
                                 : makes.front();
    add_node(target_of(op), std::move(inputs), std::move(outputs), name, is_pure, std::move(reads));
    infos_.back().makes = std::move(makes);
}

void GraphRecorder::add_region(std::string target, std::string graph_name, Json settings,
                               std::unique_ptr<GraphRecorder> graph) {
    Region region{std::move(graph_name), std::move(graph), {}, {}, infos_.size()};
    region.captured = region.graph->captured();
    std::vector<std::string> reads;
    Json operands = Json::array();
    for (const IValue& value : region.captured) operands.push_back(argument(value, nullptr, reads));
    region.node = infos_.size();  // naming operands may have made nodes
    const std::string name = fresh_name(target.substr(target.rfind('.') + 1));
    settings.push_back(input({}, Json{{"as_graph", nullptr}}));  // when it is known
    for (Json& operand : operands) settings.push_back(input({}, std::move(operand)));
    const bool is_pure = region.graph->is_pure();
    add_node(target, std::move(settings), Json::array(), name, is_pure, std::move(reads));
    regions_.push_back(std::move(region));
}

bool GraphRecorder::is_pure() const {
    return std::ranges::all_of(infos_, [](const NodeInfo& info) { return info.is_pure; });
}

void GraphRecorder::finish_regions() {
    for (Region& region : regions_) {
        for (Json& each : nodes_[region.node]["inputs"]) {
            if (!each["arg"].contains("as_graph")) continue;
            each["arg"] = Json{{"as_graph",
                                {{"name", region.graph_name},
                                 {"graph", region.graph->finish_inner(region.captured, region.outputs)}}}};
        }
    }
    regions_.clear();
}

// --- the graph ---

Json GraphRecorder::size_json(const SymbolExpression& expression) const {
    if (expression.kind == SymbolExpression::Kind::Number) return Json{{"as_int", expression.number}};
    const std::string text = srepr(expression);
    bool is_data = false;
    for (const auto& [name, symbol] : values_.symbols())
        is_data = is_data || (symbol.is_data && text.find(concat("'", name, "'")) != std::string::npos);
    const Json hint =
        is_data ? Json(nullptr) : Json{{"as_int", values_.evaluate_at(expression, TracedValues::kExample)}};
    return Json{{"as_expr", {{"expr_str", text}, {"hint", hint}}}};
}

Json GraphRecorder::meta_of(const Tensor& tensor, bool requires_grad) {
    const TensorFacts& facts = values_.at(tensor);
    Json sizes = Json::array();
    Json strides = Json::array();
    for (const SymbolExpression& each : facts.sizes) sizes.push_back(size_json(each));
    for (const SymbolExpression& each : facts.strides) strides.push_back(size_json(each));
    return Json{{"dtype", serialized_dtype(tensor.dtype())},
                {"sizes", sizes},
                {"requires_grad", requires_grad},
                {"device", {{"type", "cpu"}, {"index", nullptr}}},
                {"strides", strides},
                {"storage_offset", size_json(facts.offset)},
                {"layout", kStridedLayout}};
}

void GraphRecorder::remove_unused(const std::vector<std::string>& needed) {
    std::unordered_set<std::string>& used = used_;
    used.insert(needed.begin(), needed.end());
    std::vector<bool> keeps(infos_.size());
    for (std::size_t i = infos_.size(); i-- > 0;) {
        const NodeInfo& info = infos_[i];
        keeps[i] =
            !info.is_pure || std::ranges::any_of(info.makes, [&](const auto& name) { return used.contains(name); });
        if (keeps[i]) used.insert(info.reads.begin(), info.reads.end());
    }
    Json kept = Json::array();
    for (std::size_t i = 0; i < infos_.size(); ++i) {
        if (keeps[i]) {
            kept.push_back(std::move(nodes_[i]));
            continue;
        }
        for (const std::string& name : infos_[i].makes) {
            for (Json* values : {&tensor_values_, &sym_ints_, &sym_bools_, &sym_floats_}) values->erase(name);
        }
    }
    nodes_ = std::move(kept);
}

Json GraphRecorder::graph_json(const Json& inputs, Json outputs) {
    return Json{{"inputs", inputs},
                {"outputs", std::move(outputs)},
                {"nodes", std::move(nodes_)},
                {"tensor_values", std::move(tensor_values_)},
                {"sym_int_values", std::move(sym_ints_)},
                {"sym_bool_values", std::move(sym_bools_)},
                {"is_single_tensor_return", false},
                {"custom_obj_values", Json::object()},
                {"sym_float_values", std::move(sym_floats_)}};
}

Json GraphRecorder::finish(const Json& inputs, const std::vector<IValue>& outputs) {
    std::vector<std::string> reads;
    Json list = Json::array();
    for (const IValue& output : outputs) list.push_back(argument(output, nullptr, reads));
    finish_regions();
    remove_unused(reads);
    return graph_json(inputs, std::move(list));
}

Json GraphRecorder::finish_inner(const std::vector<IValue>& order, const std::vector<IValue>& outputs) {
    Json inputs = Json::array();
    for (const IValue& value : order) {
        capture(value);
        std::vector<std::string> reads;
        inputs.push_back(argument(value, nullptr, reads));
    }
    return finish(inputs, outputs);
}

}  // namespace loupe::exported
