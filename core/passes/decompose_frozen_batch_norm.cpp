// SPDX-License-Identifier: Apache-2.0
// Batch normalisation with frozen statistics that no convolution took in is a scale and a shift of each channel: a
// pointwise chain, which fuses with the activation behind it.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/passes/alias_analysis.h"
#include "core/passes/fold_constants.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/tensor/device_copy.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

constexpr std::int64_t kChannelsLast = 2;

// Values known to have four dimensions: only these can be channels-last, and these operators preserve it.
class Images {
  public:
    bool contains(const Value* value) {
        const auto known = known_.find(value);
        if (known != known_.end()) return known->second;
        return known_[value] = find(value);
    }

  private:
    bool find(const Value* value) {
        const Node* node = value->node();
        if (node->is("aten::contiguous"))
            return constant_int(node->input(1)) == kChannelsLast || contains(node->input(0));
        if (node->is("aten::cat")) {
            const Node* list = node->input(0)->node();
            return list->kind() == ir::prim::ListConstruct && !list->inputs().empty() && contains(list->input(0));
        }
        for (const char* name : {"aten::conv2d", "aten::relu", "aten::batch_norm", "aten::max_pool2d",
                                 "aten::avg_pool2d", "aten::hardswish"}) {
            if (node->is(name)) return contains(node->input(0));
        }
        return false;
    }

    std::unordered_map<const Value*, bool> known_;
};

// One number per channel: [C, 1, 1].
Value* insert_channels(Graph& graph, const std::vector<double>& numbers, Device device) {
    const auto channels = static_cast<std::int64_t>(numbers.size());
    const Tensor t = empty(span_of(Dims{channels, 1, 1}), ScalarType::Float32);
    std::transform(numbers.begin(), numbers.end(), t.data<float>(),
                   [](double number) { return static_cast<float>(number); });
    return graph.insert_constant(IValue(on_device(t, device)));
}

void decompose(Graph& graph, Node* node) {
    const auto mean = constant_tensor(node->named_input("running_mean"));
    const auto affine =
        mean && mean->dtype() == ScalarType::Float32 ? batch_norm_affine(node, mean->numel()) : std::nullopt;
    if (!affine) return;
    const ir::OriginScope origin(graph, {node}, "DecomposeFrozenBatchNorm", "scale and shift");
    const ir::InsertPointScope place(graph, node);
    Value* scaled = graph.insert_op(Symbol::intern("aten::mul"),
                                    {node->input(0), insert_channels(graph, affine->scale, mean->device())});
    Value* one = graph.insert_constant(IValue(std::int64_t{1}));
    Value* shifted = graph.insert_op(Symbol::intern("aten::add"),
                                     {scaled, insert_channels(graph, affine->shift, mean->device()), one});
    for (Value* value : {scaled, shifted}) value->set_type(node->output()->type());
    node->output()->replace_all_uses_with(shifted);
    node->destroy();
}

void run(Graph& graph, const PassContext&) {
    const AliasAnalysis aliases(graph);
    Images images;
    std::vector<Node*> found;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->is("aten::batch_norm") && !aliases.has_writers(node) && images.contains(node->input(0)))
            found.push_back(node);
    });
    for (Node* node : found) decompose(graph, node);
}

}  // namespace

const Pass kDecomposeFrozenBatchNorm{
    "DecomposeFrozenBatchNorm",
    "Frozen batch normalisation of images becomes a scale and a shift, which fuse with what follows.", run};

}  // namespace loupe::passes
