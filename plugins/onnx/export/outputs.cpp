// SPDX-License-Identifier: Apache-2.0
// The whole: inputs, nodes, outputs with their names, and without what no output needs.
#include <algorithm>
#include <array>
#include <map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/onnx/export/exporter.h"

namespace loupe::onnx_export {
namespace {

using Names = std::unordered_set<std::string>;

void keep_needed(GraphDef& graph, Names& needed);

// Subgraphs read names of the graphs around them.
void add_read(NodeDef& node, Names& needed) {
    needed.insert(node.inputs.begin(), node.inputs.end());
    for (Attribute& attribute : node.attributes) {
        if (auto* inner = std::get_if<std::shared_ptr<GraphDef>>(&attribute.value)) keep_needed(**inner, needed);
    }
}

void keep_needed(GraphDef& graph, Names& needed) {
    for (const ValueDef& output : graph.outputs) needed.insert(output.name);
    std::vector<NodeDef> kept;
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
        const bool is_needed = std::any_of(node->outputs.begin(), node->outputs.end(),
                                           [&](const std::string& name) { return needed.contains(name); });
        if (!is_needed) continue;
        add_read(*node, needed);
        kept.push_back(std::move(*node));
    }
    std::reverse(kept.begin(), kept.end());
    graph.nodes = std::move(kept);
}

void rename(GraphDef& graph, const std::unordered_map<std::string, std::string>& names) {
    const auto change = [&](std::string& name) {
        if (const auto found = names.find(name); found != names.end()) name = found->second;
    };
    for (NodeDef& node : graph.nodes) {
        for (std::string& input : node.inputs) change(input);
        for (std::string& output : node.outputs) change(output);
        for (Attribute& attribute : node.attributes) {
            if (auto* inner = std::get_if<std::shared_ptr<GraphDef>>(&attribute.value)) rename(**inner, names);
        }
    }
    for (ValueDef& output : graph.outputs) change(output.name);
}

}  // namespace

void Exporter::name_parameters(const Object& module, const std::string& prefix) {
    const auto& attributes = module.type()->attributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        const IValue& value = module.slot(i);
        const std::string name = prefix.empty() ? attributes[i].name : concat(prefix, ".", attributes[i].name);
        if (value.is_object()) {
            if (value.to_object()->type()->is_module()) name_parameters(*value.to_object(), name);
            continue;
        }
        if (!value.is_tensor() || !value.to_tensor().defined()) continue;
        const Tensor tensor = value.to_tensor();
        builder_.name_tensor(tensor, name);
        if (attributes[i].kind == AttributeKind::Parameter && tensor.numel() > 0) parameters_.insert(tensor.address());
    }
}

std::vector<DimDef> Exporter::dims_of(const OnnxValue& value, const std::array<Dims, kChoices>& sizes) const {
    std::vector<DimDef> dims;
    for (std::size_t d = 0; d < sizes[0].size(); ++d) {
        if (value.sizes && (*value.sizes)[d] >= 0) {
            dims.push_back({(*value.sizes)[d], {}});
            continue;
        }
        const auto known = size_names_.find({sizes[0][d], sizes[1][d]});
        dims.push_back({-1, known == size_names_.end() ? std::string() : known->second});
    }
    return dims;
}

ValueDef Exporter::def_of(const std::string& name, const Operand& operand) const {
    if (operand.kind == Operand::Kind::Number) return {name, operand.number.dtype, std::vector<DimDef>(), false};
    if (operand.list && operand.list->sequence)
        return {.name = name, .dtype = operand.list->sequence->dtype, .is_sequence = true};
    const TensorState& state = *operand.tensor;
    ValueDef def{.name = name, .dtype = state.value.dtype};
    if (state.sizes) def.dims = dims_of(state.value, *state.sizes);
    return def;
}

void Exporter::add_output(const Operand& operand, const std::string& name) {
    const bool is_whole =
        operand.is_tensor() || operand.kind == Operand::Kind::Number || (operand.list && operand.list->sequence);
    if (is_whole) {
        const OnnxValue value = value_of(operand);
        GraphDef& graph = builder_.graph();
        const std::size_t at = graph.outputs.size();
        const std::string wanted = at < options_.output_names.size() ? options_.output_names[at] : name;
        const bool is_free =
            !value.name.empty() && !is_input(value.name) && renamed_.find(value.name) == renamed_.end();
        const OnnxValue own = is_free ? value : builder_.emit("Identity", {value}, {}, value.dtype, value.sizes);
        const std::string output = builder_.unique(wanted);
        renamed_[own.name] = output;
        ValueDef def = def_of(own.name, operand);
        graph.outputs.push_back(std::move(def));
        return;
    }
    if (operand.kind == Operand::Kind::Constant) {
        if (operand.constant.is_none() || !operand.constant.is_number()) return;
        return add_output(tensor_operand(value_of(operand).constant), name);
    }
    for (std::size_t i = 0; i < operand.list->elements.size(); ++i) {
        const bool has_key = i < operand.list->keys.size() && operand.list->keys[i].is_string();
        const Operand element = operand.list->elements[i];
        add_output(element, has_key ? operand.list->keys[i].to_string() : concat(name, "_", i));
    }
}

bool Exporter::is_input(const std::string& name) const { return input_names_.contains(name); }

ModelDef Exporter::run(const ir::Graph& graph, const Operands& inputs, const std::vector<ValueDef>& input_defs,
                       const std::map<std::array<std::int64_t, kChoices>, std::string>& size_names) {
    size_names_ = size_names;
    builder_.open_graph("main_graph");
    for (const ValueDef& def : input_defs) input_names_.insert(builder_.unique(def.name));
    builder_.graph().inputs = input_defs;
    if (module_) name_parameters(*module_, "");
    const auto& values = graph.inputs();
    const bool takes_self = !values.empty() && values[0]->type()->kind() == TypeKind::Class;
    if (takes_self) objects_[values[0]] = module_;
    const std::size_t first = takes_self ? 1 : 0;
    if (values.size() - first != inputs.size())
        throw Error(ErrorKind::Usage,
                    concat("the model takes ", values.size() - first, " inputs, not ", inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        set(values[first + i], inputs[i]);
        set_depth(inputs[i]);
    }
    visit_block(*graph.block());
    builder_.set_place("", nullptr);
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
        refresh(at(graph.outputs()[i]));
        add_output(at(graph.outputs()[i]), graph.outputs().size() == 1 ? "output" : concat("output_", i));
    }
    if (builder_.graph().outputs.empty()) unsupported("a model that returns no tensor");
    return finish();
}

void Exporter::set_depth(const Operand& operand) {
    if (operand.is_tensor()) operand.tensor->depth = builder_.depth();
    if (!operand.list) return;
    operand.list->depth = builder_.depth();
    for (const Operand& each : operand.list->elements) set_depth(each);
}

ModelDef Exporter::finish() {
    ModelDef model;
    model.opset = options_.opset;
    GraphDef& graph = builder_.graph();
    Names needed;
    keep_needed(graph, needed);
    Names made;
    for (const NodeDef& node : graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
    for (const ValueDef& value : values_made_) {
        if (made.contains(value.name) && !renamed_.contains(value.name) && made.erase(value.name) > 0)
            graph.values.push_back(value);
    }
    rename(graph, renamed_);
    for (InitializerDef& initializer : builder_.take_initializers()) {
        if (needed.contains(initializer.name)) graph.initializers.push_back(std::move(initializer));
    }
    for (const InitializerDef& initializer : graph.initializers) {
        const bool is_parameter = parameters_.contains(initializer.tensor.address()) && initializer.tensor.numel() > 0;
        const bool is_input = options_.parameters_are_inputs || (!options_.exports_parameters && is_parameter);
        if (!is_input) continue;
        ValueDef def{.name = initializer.name, .dtype = initializer.tensor.dtype(), .dims = std::vector<DimDef>()};
        for (const std::int64_t size : initializer.tensor.sizes()) def.dims->push_back({size, {}});
        graph.inputs.push_back(std::move(def));
    }
    if (!options_.exports_parameters) {
        std::erase_if(graph.initializers, [this](const InitializerDef& each) {
            return each.tensor.numel() > 0 && parameters_.contains(each.tensor.address());
        });
    }
    model.graph = builder_.close_graph();
    return model;
}

}  // namespace loupe::onnx_export
