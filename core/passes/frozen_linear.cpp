// SPDX-License-Identifier: Apache-2.0
// Linear layers whose weights are constants.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/passes/fold_constants.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// Weight [out, in] and bias [out] (or none) that are constants on the CPU.
bool is_frozen_linear(const Node* node) {
    if (!is_linear(node)) return false;
    const auto weight = constant_tensor(node->input(1));
    if (!weight || weight->dim() != 2 || weight->device().type != DeviceType::Cpu || !weight->is_contiguous())
        return false;
    if (ir::is_none_constant(node->input(2))) return true;
    const auto bias = constant_tensor(node->input(2));
    return bias && bias->dim() == 1 && bias->is_contiguous() && bias->dtype() == weight->dtype();
}

Tensor transposed(const Tensor& weight) {
    const std::int64_t sizes[] = {weight.sizes()[1], weight.sizes()[0]};
    const Tensor out = empty(sizes, weight.dtype());
    const auto size = static_cast<std::size_t>(weight.element_size());
    const auto* from = static_cast<const std::byte*>(weight.raw_data());
    auto* to = static_cast<std::byte*>(out.raw_data());
    const auto rows = static_cast<std::size_t>(sizes[1]);
    const auto columns = static_cast<std::size_t>(sizes[0]);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c)
            std::memcpy(to + (c * rows + r) * size, from + (r * columns + c) * size, size);
    }
    return out;
}

void transpose(Graph& graph, Node* node) {
    const ir::OriginScope origin(graph, {node}, "FrozenLinearTranspose", "transpose");
    const ir::InsertPointScope place(graph, node);
    Value* weight = graph.insert_constant(IValue(transposed(*constant_tensor(node->input(1)))));
    weight->set_name(node->input(1)->debug_name() + "_t");
    Value* result = graph.insert_op(Symbol::intern("aten::matmul"), {node->input(0), weight});
    if (!ir::is_none_constant(node->input(2))) {
        Value* one = graph.insert_constant(IValue(1));
        result = graph.insert_op(Symbol::intern("aten::add"), {result, node->input(2), one});
    }
    result->set_type(node->output()->type());
    node->output()->replace_all_uses_with(result);
    node->destroy();
}

// ---- layers of one input

// Concatenated rows of all.
Tensor stacked(const std::vector<Tensor>& parts) {
    Dims sizes = to_dims(parts.front().sizes());
    sizes[0] = 0;
    for (const Tensor& part : parts) sizes[0] += part.sizes()[0];
    const Tensor out = empty(span_of(sizes), parts.front().dtype());
    auto* to = static_cast<std::byte*>(out.raw_data());
    for (const Tensor& part : parts) {
        std::memcpy(to, part.raw_data(), part.bytes());
        to += part.bytes();
    }
    return out;
}

struct Group {
    std::vector<Node*> layers;
};

// Same dtype and width, and a bias where the others have one.
bool fit(const Node* a, const Node* b) {
    const Tensor x = *constant_tensor(a->input(1));
    const Tensor y = *constant_tensor(b->input(1));
    return x.dtype() == y.dtype() && x.sizes()[1] == y.sizes()[1] &&
           ir::is_none_constant(a->input(2)) == ir::is_none_constant(b->input(2));
}

void concat_layers(Graph& graph, const std::vector<Node*>& layers) {
    Node* first = layers.front();
    const ir::OriginScope origin(graph, {first, layers[1]}, "FrozenConcatLinear", "concat");
    const ir::InsertPointScope place(graph, first);
    std::vector<Tensor> weights;
    std::vector<Tensor> biases;
    const bool has_bias = !ir::is_none_constant(first->input(2));
    for (const Node* layer : layers) {
        weights.push_back(*constant_tensor(layer->input(1)));
        if (has_bias) biases.push_back(*constant_tensor(layer->input(2)));
    }
    Value* weight = graph.insert_constant(IValue(stacked(weights)));
    Value* bias = has_bias ? graph.insert_constant(IValue(stacked(biases))) : first->input(2);
    if (!has_bias) bias = graph.insert_constant(IValue(), first->input(2)->type());
    Value* all = graph.insert_op(Symbol::intern("aten::linear"), {first->input(0), weight, bias});
    Value* dim = graph.insert_constant(IValue(-1));
    Value* one = graph.insert_constant(IValue(1));
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::int64_t end = begin + weights[i].sizes()[0];
        Value* from = graph.insert_constant(IValue(begin));
        Value* to = graph.insert_constant(IValue(end));
        Value* part = graph.insert_op(Symbol::intern("aten::slice"), {all, dim, from, to, one});
        part->set_type(layers[i]->output()->type());
        layers[i]->output()->replace_all_uses_with(part);
        begin = end;
    }
    for (Node* layer : layers) layer->destroy();  // last: they mark the position
}

void concat_in(Block* block) {
    std::vector<const Value*> order;
    std::unordered_map<const Value*, std::vector<Group>> by_input;
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) concat_in(node->block_at(i));
        if (!is_frozen_linear(node)) continue;
        auto& groups = by_input[node->input(0)];
        if (groups.empty()) order.push_back(node->input(0));
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return fit(g.layers.front(), node); });
        if (group == groups.end()) group = groups.insert(groups.end(), Group());
        group->layers.push_back(node);
    }
    for (const Value* input : order) {
        for (const Group& group : by_input[input]) {
            if (group.layers.size() > 1) concat_layers(*block->graph(), group.layers);
        }
    }
}

}  // namespace

const Pass kFrozenLinearTranspose{"FrozenLinearTranspose",
                                  "Linear layers with constant weights become products with the turned weight.",
                                  [](Graph& graph, const PassContext&) {
                                      for_each_node(graph.block(), [&graph](Node* node) {
                                          if (is_frozen_linear(node)) transpose(graph, node);
                                      });
                                      remove_dead_code(graph);
                                  }};

const Pass kFrozenConcatLinear{"FrozenConcatLinear",
                               "Linear layers with constant weights that read one input become one layer.",
                               [](Graph& graph, const PassContext&) {
                                   concat_in(graph.block());
                                   remove_dead_code(graph);
                               }};

}  // namespace loupe::passes
