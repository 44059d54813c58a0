// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic on constant weights for the folding passes: one number per output channel.

#include <optional>
#include <vector>

#include "core/ir/graph.h"
#include "core/tensor/tensor.h"

namespace loupe::passes {

// Per output channel: y = y * scale + shift.
struct ChannelAffine {
    std::vector<double> scale;
    std::vector<double> shift;
};

// A convolution or linear layer whose weight and bias are float constants; here copies on the CPU of those that a
// device has.
struct ConstantLayer {
    ir::Node* node = nullptr;
    Tensor weight;
    Tensor bias;  // undefined without one
    Device device = {};
    std::int64_t channels() const { return weight.sizes()[0]; }
};

bool is_convolution(const ir::Node* node);
bool is_linear(const ir::Node* node);
// Is there one node that reads the elements? Nodes that read sizes and types do not count.
bool has_one_reader(const ir::Value* value);
// Nullopt for another node, when its output is read more than once, or when weights are not constant.
std::optional<ConstantLayer> constant_layer(ir::Node* node, bool (*is_layer)(const ir::Node*));
// The numbers of a float32 or float64 tensor, in order; nullopt for others.
std::optional<std::vector<double>> numbers_of(const Tensor& t);
// Batch normalisation in evaluation with constant statistics, as one affine map per channel.
std::optional<ChannelAffine> batch_norm_affine(const ir::Node* node, std::int64_t channels);
// A constant operand of an elementwise operator beside [N, C, ...]: one number, or one per channel.
std::optional<std::vector<double>> channel_numbers(const ir::Value* value, std::int64_t channels, std::size_t dims);

// Folds `affine` into the layer's weights and removes `after`, the node that it replaces.
void fold_into(const ConstantLayer& layer, const ChannelAffine& affine, ir::Node* after, std::string_view suffix);

}  // namespace loupe::passes
