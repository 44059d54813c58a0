// SPDX-License-Identifier: Apache-2.0
// batch_norm in training and group_norm beside pointwise operators, and their gradients: statistics of a channel stay
// an operator or become sums of rows; the rest is arithmetic, which fuses with its neighbours.
#include <algorithm>

#include "core/dispatch/registry.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/profile.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

constexpr const char* kPass = "SplitNorms";
constexpr std::int64_t kFewestPixels = 64;  // a channel of fewer is no row worth a loop

// Sizes of dense images, in a dtype without intermediate rounding; empty for others.
Dims image_sizes(const Value* value) {
    const auto* type = value->type()->as<TensorType>();
    if (type == nullptr || !is_complete(*type) || type->device->type != DeviceType::Cpu || type->sizes->size() < 3)
        return {};
    if (*type->dtype != ScalarType::Float32 && *type->dtype != ScalarType::Float64) return {};
    Dims sizes;
    for (const auto& size : *type->sizes) sizes.push_back(*size);
    const Dims dense = contiguous_strides(span_of(sizes));
    std::int64_t pixels = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] > 1 && *(*type->strides)[d] != dense[d]) return {};
        if (d >= 2) pixels *= sizes[d];
    }
    return pixels < kFewestPixels || sizes[0] * sizes[1] == 0 ? Dims() : sizes;
}

bool is_read_by_pointwise(const Value* value) {
    return std::any_of(value->uses().begin(), value->uses().end(),
                       [](const ir::Use& use) { return is_pointwise(use.user); });
}

TypePtr type_of(const Value* like, Dims sizes) {
    const auto* known = like->type()->as<TensorType>();
    auto type = make_ptr<TensorType>();
    type->dtype = known->dtype;
    type->device = known->device;
    type->sizes.emplace(sizes.begin(), sizes.end());
    const Dims strides = contiguous_strides(span_of(sizes));
    type->strides.emplace(strides.begin(), strides.end());
    return type;
}

class Split {
  public:
    Split(Graph& graph, Node* node, const Value* image, Dims sizes)
        : graph_(graph),
          node_(node),
          image_(image),
          sizes_(std::move(sizes)),
          origin_(graph, {node}, kPass, "parts"),
          place_(graph, node) {}

    Value* constant(IValue value) { return graph_.insert_constant(std::move(value)); }
    Node* call(const char* name, const char* overload, const std::vector<Value*>& inputs, std::size_t outputs = 1) {
        Node* made = graph_.insert(graph_.create(Symbol::intern(name), inputs, outputs));
        made->set_op(find_operator(name, overload));
        for (std::size_t i = 0; i < outputs; ++i) made->output(i)->set_type(types::tensor());
        return made;
    }
    Value* elements(const char* name, const char* overload, const std::vector<Value*>& inputs) {
        Value* made = call(name, overload, inputs)->output();
        made->set_type(type_of(image_, sizes_));
        return made;
    }
    // a + b c, in one rounding.
    Value* add_product(Value* a, Value* b, Value* c) {
        return elements("aten::addcmul", "", {a, b, c, constant(IValue(std::int64_t{1}))});
    }
    // One for each channel of each image.
    Value* sum_of_pixels(Value* value) {
        Dims dims, sizes = sizes_;
        for (std::size_t d = 2; d < sizes_.size(); ++d) {
            dims.push_back(static_cast<std::int64_t>(d) - static_cast<std::int64_t>(sizes_.size()));
            sizes[d] = 1;
        }
        Value* made = call("aten::sum", "dim_IntList",
                           {value, constant(IValue(dims)), constant(IValue(true)), constant(IValue())})
                          ->output();
        made->set_type(type_of(image_, sizes));
        return made;
    }
    Value* one_a_channel(Value* channels) {
        Dims sizes(sizes_.size(), 1);
        sizes[1] = sizes_[1];
        return call("aten::view", "", {channels, constant(IValue(sizes))})->output();
    }
    std::int64_t channel_elements() const {  // of one image
        std::int64_t pixels = 1;
        for (std::size_t d = 2; d < sizes_.size(); ++d) pixels *= sizes_[d];
        return pixels;
    }
    const Dims& sizes() const { return sizes_; }

    void finish(const std::vector<Value*>& outputs) {
        for (std::size_t i = 0; i < outputs.size(); ++i) node_->output(i)->replace_all_uses_with(outputs[i]);
        node_->destroy();
    }

  private:
    Graph& graph_;
    Node* node_;
    const Value* image_;
    Dims sizes_;
    ir::OriginScope origin_;
    ir::InsertPointScope place_;
};

void split_layer(Graph& graph, Node* node) {
    const bool is_batch = node->is("aten::native_batch_norm");
    if (is_batch && !constant_bool(node->input(5)).value_or(false)) return;
    Value* const x = node->input(0);
    Dims sizes = image_sizes(x);
    if (sizes.empty() || !(is_read_by_pointwise(node->output(0)) || is_pointwise(x->node()))) return;
    Split split(graph, node, x, std::move(sizes));
    const auto in = [&](std::size_t i) { return node->input(i); };
    const Node* scale =
        is_batch ? split.call("loupe::batch_norm_scale", "", {x, in(1), in(2), in(3), in(4), in(5), in(6), in(7)}, 4)
                 : split.call("loupe::group_norm_scale", "", {x, in(1), in(2), in(6), in(7)}, 4);
    split.finish(
        {split.add_product(scale->outputs()[1], x, scale->outputs()[0]), scale->outputs()[2], scale->outputs()[3]});
}

void split_gradient(Graph& graph, Node* node) {
    const bool is_batch = node->is("aten::native_batch_norm_backward");
    Value *const g = node->input(0), *const x = node->input(1);
    if (is_batch && !constant_bool(node->input(7)).value_or(false)) return;
    const auto mask = ir::constant_of(node->inputs().back()->node());
    if (!mask || !mask->to_bools()[0]) return;
    Dims sizes = image_sizes(x);
    if (sizes.empty() || image_sizes(g) != sizes || !(is_pointwise(g->node()) || is_read_by_pointwise(node->output(0))))
        return;
    Split split(graph, node, x, std::move(sizes));
    Value* one = split.constant(IValue(std::int64_t{1}));
    Value* other = is_batch ? split.elements("aten::sub", "Tensor", {x, split.one_a_channel(node->input(5)), one}) : x;
    Value* dots = split.sum_of_pixels(split.elements("aten::mul", "Tensor", {g, other}));
    Value* sums = split.sum_of_pixels(g);
    const Node* scale = nullptr;
    if (is_batch) {
        Value* count = split.constant(IValue(split.sizes()[0] * split.channel_elements()));
        scale = split.call("loupe::batch_norm_gradient_scale", "",
                           {sums, dots, node->input(2), node->input(5), node->input(6), count}, 5);
    } else {
        const auto groups = constant_int(node->input(8));
        Value* count = split.constant(IValue(split.sizes()[1] / *groups * split.channel_elements()));
        scale = split.call("loupe::group_norm_gradient_scale", "",
                           {sums, dots, node->input(4), node->input(2), node->input(3), count}, 5);
    }
    const auto& k = scale->outputs();
    split.finish({split.add_product(split.add_product(k[2], x, k[1]), g, k[0]), k[3], k[4]});
}

// Per channel and image: groups of one channel.
void regroup_instances(Graph& graph, Node* node) {
    const bool has_own = !ir::is_none_constant(node->input(3)) || !ir::is_none_constant(node->input(4));
    const Dims sizes = image_sizes(node->input(0));
    if (has_own || !constant_bool(node->input(5)).value_or(false) || sizes.empty()) return;
    if (!is_read_by_pointwise(node->output()) && !is_pointwise(node->input(0)->node())) return;
    const ir::OriginScope origin(graph, {node}, kPass, "groups");
    const ir::InsertPointScope place(graph, node);
    Value* groups = graph.insert_constant(IValue(sizes[1]));
    Node* made = graph.insert(
        graph.create(Symbol::intern("aten::group_norm"),
                     {node->input(0), groups, node->input(1), node->input(2), node->input(7), node->input(8)}));
    made->set_op(find_operator("aten::group_norm", ""));
    made->output()->set_type(node->output()->type());
    node->output()->replace_all_uses_with(made->output());
    node->destroy();
}

void run(Graph& graph, const PassContext&) {
    for_each_node(graph.block(), [&](Node* node) {
        if (node->is("aten::instance_norm")) return regroup_instances(graph, node);
        if (node->is("aten::native_batch_norm") || node->is("aten::native_group_norm"))
            split_layer(graph, node);
        else if (node->is("aten::native_batch_norm_backward"))
            split_gradient(graph, node);
        else if (node->is("aten::native_group_norm_backward") && constant_int(node->input(8)))
            split_gradient(graph, node);
    });
}

}  // namespace

const Pass kSplitNorms{"SplitNorms",
                       "Normalisation of channels beside pointwise operators, and its gradient, become sums and "
                       "arithmetic that fuses with them.",
                       run};

}  // namespace loupe::passes
