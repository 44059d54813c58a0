// SPDX-License-Identifier: Apache-2.0
// A linear layer and the relu or gelu behind it become one call on devices that have a kernel of it: libraries of
// products apply the activation before an element leaves the registers. Their gelu is the tanh form, so only that one
// is taken. On the CPU the fuser does this, and nothing is changed.
#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

struct Facts {
    std::optional<ScalarType> dtype;
    std::optional<Device> device;
    std::optional<std::size_t> dims;
};
// Of a tensor's type; of a constant its own.
Facts facts_of(const Value* value) {
    if (const auto constant = constant_tensor(value))
        return {constant->dtype(), constant->device(), constant->sizes().size()};
    const auto* const type = value->type()->as<TensorType>();
    if (type == nullptr) return {};
    return {type->dtype, type->device, type->sizes ? std::optional(type->sizes->size()) : std::nullopt};
}

// A matrix of floats on a device with kernels of the operator.
bool is_taken_weight(const Value* weight) {
    const Facts facts = facts_of(weight);
    if (!facts.dtype || !facts.device || facts.device->type == DeviceType::Cpu || facts.dims != std::size_t{2})
        return false;
    const bool is_float = *facts.dtype == ScalarType::Float32 || *facts.dtype == ScalarType::Float64 ||
                          *facts.dtype == ScalarType::Float16 || *facts.dtype == ScalarType::BFloat16;
    const Operator* const op = find_operator("loupe::linear_activation", "");
    return is_float && !op->kernels->candidates[static_cast<std::size_t>(facts.device->type)].empty();
}
// None, or a vector of the weight's dtype. What is not known is neither.
bool is_taken_bias(const Value* bias, const Value* weight) {
    if (ir::is_none_constant(bias)) return true;
    const Facts facts = facts_of(bias);
    return facts.dims == std::size_t{1} && facts.dtype == facts_of(weight).dtype;
}
bool has_dtype(const Value* value, const Value* weight) {
    const Facts facts = facts_of(value);
    return !facts.dtype || facts.dtype == facts_of(weight).dtype;
}

// input weight^T + bias.
struct Layer {
    Node* node = nullptr;
    Value *input = nullptr, *weight = nullptr, *bias = nullptr;
};
std::optional<Layer> layer_of(Node* node, const AliasAnalysis& aliases) {
    Layer layer{node};
    if (node->is("aten::linear")) {
        layer.input = node->input(0);
        layer.weight = node->input(1);
        layer.bias = node->input(2);
    } else if (node->is("aten::addmm")) {
        const Node* const turned = node->input(2)->node();
        if (!turned->is("aten::t") || constant_number(node->input(3)) != 1.0 || constant_number(node->input(4)) != 1.0)
            return std::nullopt;
        layer.input = node->input(1);
        layer.weight = turned->input(0);
        layer.bias = node->input(0);
    } else {
        return std::nullopt;
    }
    if (!is_taken_weight(layer.weight) || !is_taken_bias(layer.bias, layer.weight) ||
        !has_dtype(layer.input, layer.weight) || aliases.has_writers(node) || aliases.has_writers(layer.weight))
        return std::nullopt;
    return layer;
}

// "relu" or "gelu_tanh"; null for other nodes.
const char* activation_of(const Node* node) {
    if (node->is("aten::relu")) return "relu";
    if (!node->is("aten::gelu")) return nullptr;
    const auto approximate = ir::constant_of(node->input(1));
    return approximate && approximate->is_string() && approximate->to_string() == "tanh" ? "gelu_tanh" : nullptr;
}

class Fusion {
  public:
    Fusion(Graph& graph, std::string_view pass, bool keeps)
        : graph_(graph), aliases_(graph), pass_(pass), keeps_(keeps) {}

    bool changed() const { return changed_; }
    void visit_activation(Node* node) {
        const char* const activation = activation_of(node);
        if (activation == nullptr || aliases_.has_writers(node)) return;
        Node* const before = node->input(0)->node();
        if (before->block() != node->block() || before->outputs().size() != 1 || before->output()->uses().size() != 1)
            return;
        if (const auto layer = layer_of(before, aliases_)) replace(*layer, node, activation);
    }
    void visit_layer(Node* node) {
        const auto layer = layer_of(node, aliases_);
        if (layer && !ir::is_none_constant(layer->bias)) replace(*layer, node, "none");
    }

  private:
    void replace(const Layer& layer, Node* last, const char* activation) {
        const ir::OriginScope origin(graph_, {last, layer.node}, pass_, activation);
        const ir::InsertPointScope place(graph_, last);
        Value* const name = graph_.insert_constant(IValue(std::string(activation)));
        Value* const keeps = graph_.insert_constant(IValue(keeps_ && std::string_view(activation) != "none"));
        Node* const made = graph_.create(Symbol::intern("loupe::linear_activation"),
                                         {layer.input, layer.weight, layer.bias, name, keeps}, 2);
        graph_.insert(made)->set_op(find_operator("loupe::linear_activation", ""));
        made->output(0)->set_type(last->output()->type());
        made->output(1)->set_type(types::tensor());
        last->output()->replace_all_uses_with(made->output(0));
        last->destroy();
        changed_ = true;
    }

    Graph& graph_;
    AliasAnalysis aliases_;
    std::string_view pass_;
    bool keeps_;
    bool changed_ = false;
};

// Most graphs have none, and are not looked at further.
bool has_layers(Graph& graph) {
    bool found = false;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->is("aten::linear"))
            found = found || is_taken_weight(node->input(1));
        else if (node->is("aten::addmm") && node->input(2)->node()->is("aten::t"))
            found = found || is_taken_weight(node->input(2)->node()->input(0));
    });
    return found;
}

void fuse_for_results(Graph& graph, const PassContext&) {
    if (!has_layers(graph)) return;
    Fusion fusion(graph, "FuseLinearActivations", false);
    for_each_node(graph.block(), [&](Node* node) { fusion.visit_activation(node); });
    if (fusion.changed()) remove_dead_code(graph);
}

void fuse_for_training(Graph& graph, const PassContext&) {
    if (!has_layers(graph)) return;
    Fusion fusion(graph, "FuseTrainedLinears", true);
    for_each_node(graph.block(), [&](Node* node) { fusion.visit_activation(node); });
    if (fusion.changed()) remove_dead_code(graph);
    Fusion layers(graph, "FuseTrainedLinears", true);
    for_each_node(graph.block(), [&](Node* node) { layers.visit_layer(node); });
    if (layers.changed()) remove_dead_code(graph);
}

// ---- the backward pass

bool has_one_reader(const Value* value) { return value->uses().size() == 1; }
bool is_reshaping(const Node* node) {
    return node->is("aten::view") || node->is("aten::reshape") || node->is("aten::_unsafe_view");
}

// linear_weight_gradient that sums the bias's gradient of these rows; null where none does.
Node* summing_reader(const Value* rows) {
    for (const ir::Use& use : rows->uses()) {
        Node* const user = use.user;
        if (user->is("loupe::linear_weight_gradient") && use.offset == 0 && constant_bool(user->input(2)) == true)
            return user;
        if (is_reshaping(user) && use.offset == 0) {
            if (Node* const found = summing_reader(user->output())) return found;
        }
    }
    return nullptr;
}

void fuse_gradient(Graph& graph, Node* node) {
    Value* product = node->input(0);
    Value* shape = nullptr;
    while (is_reshaping(product->node()) && has_one_reader(product)) {
        if (shape == nullptr) shape = product->node()->input(1);
        product = product->node()->input(0);
    }
    Node* const mm = product->node();
    if (!mm->is("aten::mm") || !has_one_reader(product)) return;
    const auto* type = product->type()->as<TensorType>();
    const auto* after = node->output()->type()->as<TensorType>();
    // The rows of what was kept are those of the product.
    if (type == nullptr || after == nullptr || !type->sizes || !after->sizes || type->sizes->size() != 2 ||
        !(type->sizes->back() == after->sizes->back()))
        return;
    Node* const sums = summing_reader(node->output());
    const ir::OriginScope origin(graph, {node, mm}, "FuseLinearGradients", "gradient");
    const ir::InsertPointScope place(graph, node);
    Value* const with_bias = graph.insert_constant(IValue(sums != nullptr));
    Node* const made = graph.create(Symbol::intern("loupe::product_activation_gradient"),
                                    {mm->input(0), mm->input(1), node->input(1), node->input(2), with_bias}, 2);
    graph.insert(made)->set_op(find_operator("loupe::product_activation_gradient", ""));
    made->output(0)->set_type(product->type());
    made->output(1)->set_type(sums != nullptr ? sums->output(1)->type() : types::tensor());
    Value* result = made->output(0);
    if (shape != nullptr) {
        result = graph.insert_op(Symbol::intern("aten::view"), {result, shape});
        result->set_type(node->output()->type());
    }
    if (sums != nullptr) {
        const ir::InsertPointScope before(graph, sums);
        sums->replace_input(2, graph.insert_constant(IValue(false)));
        sums->output(1)->replace_all_uses_with(made->output(1));
    }
    node->output()->replace_all_uses_with(result);
    node->destroy();
}

}  // namespace

const Pass kFuseLinearActivations{
    "FuseLinearActivations",
    "A linear layer and the relu or tanh gelu behind it become one call, on devices with a kernel of it.",
    fuse_for_results};

const Pass kFuseTrainedLinears{"FuseTrainedLinears",
                               "The same for layers that are to be differentiated: what the gradient reads is kept, "
                               "and the gradients of weight and "
                               "bias are one call.",
                               fuse_for_training};

const Pass kFuseLinearGradients{
    "FuseLinearGradients",
    "The product that brings a gradient to an activation ends in the activation's gradient, and in the bias's.",
    [](Graph& graph, const PassContext&) {
        for_each_node(graph.block(), [&](Node* node) {
            if (node->is("loupe::activation_gradient")) fuse_gradient(graph, node);
        });
        remove_dead_code(graph);
    }};

}  // namespace loupe::passes
