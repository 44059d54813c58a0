// SPDX-License-Identifier: Apache-2.0
#include "core/passes/fold_constants.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/passes/graph_tools.h"
#include "core/tensor/device_copy.h"

namespace loupe::passes {

using ir::Node;
using ir::Value;

bool is_convolution(const Node* node) {
    const std::string& kind = node->kind().str();
    if (kind == "aten::_convolution")
        return node->inputs().size() >= 12 && !constant_bool(node->input(6)).value_or(true);
    return (kind == "aten::conv1d" || kind == "aten::conv2d" || kind == "aten::conv3d") && node->inputs().size() == 7;
}

bool is_linear(const Node* node) { return node->kind().str() == "aten::linear" && node->inputs().size() == 3; }

std::optional<std::vector<double>> numbers_of(const Tensor& t) {
    const bool is_taken =
        t.defined() && t.is_contiguous() && (t.dtype() == ScalarType::Float32 || t.dtype() == ScalarType::Float64);
    if (!is_taken) return std::nullopt;
    const Tensor host = on_host(t);
    const auto count = static_cast<std::size_t>(host.numel());
    if (t.dtype() == ScalarType::Float32) return std::vector<double>(host.data<float>(), host.data<float>() + count);
    return std::vector<double>(host.data<double>(), host.data<double>() + count);
}

namespace {

// Reads only properties that folding preserves.
bool reads_shape(const Node* node) {
    static const std::unordered_set<ir::Symbol> kKinds = {ir::Symbol::intern("aten::dim"),
                                                          ir::Symbol::intern("aten::size"),
                                                          ir::prim::dtype,
                                                          ir::prim::device,
                                                          ir::Symbol::intern("aten::numel"),
                                                          ir::Symbol::intern("aten::is_floating_point")};
    return kKinds.contains(node->kind());
}

}  // namespace

bool has_one_reader(const Value* value) {
    return std::count_if(value->uses().begin(), value->uses().end(),
                         [](const ir::Use& use) { return !reads_shape(use.user); }) == 1;
}

std::optional<ConstantLayer> constant_layer(Node* node, bool (*is_layer)(const Node*)) {
    if (!is_layer(node) || !has_one_reader(node->output())) return std::nullopt;
    ConstantLayer layer;
    layer.node = node;
    const auto weight = constant_tensor(node->input(1));
    if (!weight || weight->dim() < 2 || !weight->is_contiguous()) return std::nullopt;
    if (weight->dtype() != ScalarType::Float32 && weight->dtype() != ScalarType::Float64) return std::nullopt;
    layer.device = weight->device();
    layer.weight = on_host(*weight);
    if (!ir::is_none_constant(node->input(2))) {
        const auto bias = constant_tensor(node->input(2));
        const bool fits =
            bias && numbers_of(*bias) && bias->dtype() == weight->dtype() && bias->device() == weight->device();
        if (!fits) return std::nullopt;
        layer.bias = on_host(*bias);
    }
    return layer;
}

namespace {

// A constant tensor argument with one number per channel; `missing` where it is None.
std::optional<std::vector<double>> channel_argument(const Value* value, std::int64_t channels, double missing) {
    if (ir::is_none_constant(value)) return std::vector<double>(static_cast<std::size_t>(channels), missing);
    const auto tensor = constant_tensor(value);
    if (!tensor || tensor->numel() != channels) return std::nullopt;
    return numbers_of(*tensor);
}

}  // namespace

std::optional<ChannelAffine> batch_norm_affine(const Node* node, std::int64_t channels) {
    if (node->kind().str() != "aten::batch_norm" || node->inputs().size() != 9) return std::nullopt;
    if (constant_bool(node->input(5)).value_or(true)) return std::nullopt;
    if (ir::is_none_constant(node->input(3)) || ir::is_none_constant(node->input(4))) return std::nullopt;
    const auto weight = channel_argument(node->input(1), channels, 1);
    const auto bias = channel_argument(node->input(2), channels, 0);
    const auto mean = channel_argument(node->input(3), channels, 0);
    const auto variance = channel_argument(node->input(4), channels, 1);
    const auto eps = ir::constant_of(node->input(7));
    if (!weight || !bias || !mean || !variance || !eps) return std::nullopt;
    ChannelAffine affine;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        const double scale = (*weight)[c] / std::sqrt((*variance)[c] + eps->to_double());
        affine.scale.push_back(scale);
        affine.shift.push_back((*bias)[c] - (*mean)[c] * scale);
    }
    return affine;
}

std::optional<std::vector<double>> channel_numbers(const Value* value, std::int64_t channels, std::size_t dims) {
    const auto constant = ir::constant_of(value);
    const auto count = static_cast<std::size_t>(channels);
    if (!constant) return std::nullopt;
    if (constant->is_int() || constant->is_double()) return std::vector<double>(count, constant->to_double());
    if (!constant->is_tensor()) return std::nullopt;
    const Tensor t = constant->to_tensor();
    const auto numbers = numbers_of(t);
    if (!numbers) return std::nullopt;
    // It must not make the result larger: [C, 1, 1] or [1, C, 1, 1] beside [N, C, H, W].
    if (static_cast<std::size_t>(t.dim()) > dims) return std::nullopt;
    const std::size_t missing = dims - static_cast<std::size_t>(t.dim());
    for (std::size_t d = 0; d < static_cast<std::size_t>(t.dim()); ++d) {
        const std::int64_t expected = d + missing == 1 ? channels : 1;
        if (t.sizes()[d] != 1 && t.sizes()[d] != expected) return std::nullopt;
    }
    if (numbers->size() == 1) return std::vector<double>(count, (*numbers)[0]);
    return numbers;
}

namespace {

template <typename T>
void scale_channels(const Tensor& from, const Tensor& to, const std::vector<double>& scale) {
    const auto each = static_cast<std::size_t>(from.numel()) / scale.size();
    for (std::size_t c = 0; c < scale.size(); ++c) {
        for (std::size_t i = c * each; i < (c + 1) * each; ++i) {
            to.data<T>()[i] = static_cast<T>(static_cast<double>(from.data<T>()[i]) * scale[c]);
        }
    }
}

Tensor tensor_of_numbers(const std::vector<double>& numbers, ScalarType dtype) {
    const std::int64_t count = static_cast<std::int64_t>(numbers.size());
    const Tensor t = empty(IntSpan(&count, 1), dtype);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (dtype == ScalarType::Float32)
            t.data<float>()[i] = static_cast<float>(numbers[i]);
        else
            t.data<double>()[i] = numbers[i];
    }
    return t;
}

}  // namespace

void fold_into(const ConstantLayer& layer, const ChannelAffine& affine, Node* after, std::string_view suffix) {
    ir::Graph& graph = *layer.node->graph();
    const Tensor weight = empty(layer.weight.sizes(), layer.weight.dtype());
    if (weight.dtype() == ScalarType::Float32)
        scale_channels<float>(layer.weight, weight, affine.scale);
    else
        scale_channels<double>(layer.weight, weight, affine.scale);
    std::vector<double> bias = affine.shift;
    if (layer.bias.defined()) {
        const auto before = numbers_of(layer.bias);
        for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += (*before)[c] * affine.scale[c];
    }
    const std::string weight_name = layer.node->input(1)->debug_name();
    const std::string bias_name = layer.node->input(2)->debug_name();
    Value* weight_value = graph.create_constant(on_device(weight, layer.device))->insert_before(layer.node)->output();
    Value* bias_value = graph.create_constant(on_device(tensor_of_numbers(bias, weight.dtype()), layer.device))
                            ->insert_before(layer.node)
                            ->output();
    weight_value->set_name(concat(weight_name, suffix));
    bias_value->set_name(concat(bias_name, suffix));
    layer.node->replace_input(1, weight_value);
    layer.node->replace_input(2, bias_value);
    after->output()->replace_all_uses_with(layer.node->output());
    after->destroy();
}

}  // namespace loupe::passes
