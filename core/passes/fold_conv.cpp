// SPDX-License-Identifier: Apache-2.0
// Folding of nodes after a convolution or a linear layer into its constant weights.
#include <functional>

#include "core/passes/fold_constants.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;

// The node as an affine map per channel of the layer's output; nullopt when it is none.
using Follower = std::optional<ChannelAffine> (*)(const Node* node, const ConstantLayer& layer);

struct Folding {
    std::string_view pass;
    std::string_view suffix;
    bool (*is_layer)(const Node*);
    Follower follower;
};

void fold_block(Block* block, const Folding& folding) {
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) fold_block(node->block_at(i), folding);
        if (node->inputs().empty() || node->outputs().size() != 1) continue;
        const auto layer = constant_layer(node->input(0)->node(), folding.is_layer);
        if (!layer || layer->node->block() != block) continue;
        const auto affine = folding.follower(node, *layer);
        if (!affine) continue;
        const ir::OriginScope origin(*block->graph(), {layer->node, node}, folding.pass, "fold");
        fold_into(*layer, *affine, node, folding.suffix);
    }
}

std::optional<ChannelAffine> batch_norm(const Node* node, const ConstantLayer& layer) {
    return batch_norm_affine(node, layer.channels());
}

bool is_one_of(const Node* node, const char* first, const char* second) {
    return node->kind().str() == first || node->kind().str() == second;
}

std::optional<std::vector<double>> operand(const Node* node, const ConstantLayer& layer) {
    return channel_numbers(node->input(1), layer.channels(), static_cast<std::size_t>(layer.weight.dim()));
}

std::optional<ChannelAffine> add_or_sub(const Node* node, const ConstantLayer& layer) {
    if (!is_one_of(node, "aten::add", "aten::sub") || node->inputs().size() != 3) return std::nullopt;
    auto numbers = operand(node, layer);
    const auto alpha = ir::constant_of(node->input(2));
    if (!numbers || !alpha || !(alpha->is_int() || alpha->is_double())) return std::nullopt;
    const double factor = node->kind().str() == "aten::sub" ? -alpha->to_double() : alpha->to_double();
    for (double& number : *numbers) number *= factor;
    return ChannelAffine{std::vector<double>(numbers->size(), 1), std::move(*numbers)};
}

std::optional<ChannelAffine> mul_or_div(const Node* node, const ConstantLayer& layer) {
    if (!is_one_of(node, "aten::mul", "aten::div") || node->inputs().size() != 2) return std::nullopt;
    auto numbers = operand(node, layer);
    if (!numbers) return std::nullopt;
    if (node->kind().str() == "aten::div") {
        for (double& number : *numbers) number = 1 / number;
    }
    std::vector<double> zeros(numbers->size(), 0);
    return ChannelAffine{std::move(*numbers), std::move(zeros)};
}

constexpr Folding kBatchNorm{"FoldConvBatchnorm", "_fused_bn", is_convolution, batch_norm};
constexpr Folding kAddOrSub{"FoldConvAddOrSub", "_fused_add", is_convolution, add_or_sub};
constexpr Folding kMulOrDiv{"FoldConvMulOrDiv", "_fused_mul", is_convolution, mul_or_div};
constexpr Folding kLinear{"FoldLinearBatchnorm", "_fused_bn", is_linear, batch_norm};

template <const Folding& folding>
void run(ir::Graph& graph, const PassContext&) {
    fold_block(graph.block(), folding);
    remove_dead_code(graph);
}

}  // namespace

const Pass kFoldConvBatchnorm{
    "FoldConvBatchnorm", "Folds batch normalisation in evaluation into the convolution before it.", run<kBatchNorm>};
const Pass kFoldConvAddOrSub{"FoldConvAddOrSub",
                             "Folds adding or subtracting a constant into the convolution before it.", run<kAddOrSub>};
const Pass kFoldConvMulOrDiv{
    "FoldConvMulOrDiv", "Folds multiplying or dividing by a constant into the convolution before it.", run<kMulOrDiv>};
const Pass kFoldLinearBatchnorm{
    "FoldLinearBatchnorm", "Folds batch normalisation in evaluation into the linear layer before it.", run<kLinear>};

}  // namespace loupe::passes
