// SPDX-License-Identifier: Apache-2.0
#include "core/nn/layers/fast_path.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/functions.h"
#include "core/tensor/nested.h"
#include "core/value/callable.h"

namespace loupe::nn::layers {
namespace {

const OperatorHandle<bool> kIsLeftAligned{"aten::_nested_tensor_from_mask_left_aligned"};
const OperatorHandle<> kEncoderLayer{"aten::_transformer_encoder_layer_fwd"};

constexpr const char* kNeedsGrad =
    "grad is enabled and at least one of query or the input/output projection weights or biases requires_grad";
constexpr const char* kSubclass = "some Tensor argument has_torch_function";

// 1: relu, 2: gelu, 0: another function.
int activation_of(const Module& layer) {
    const IValue activation = layer.attribute("activation");
    if (const ModulePtr module = as_module(activation)) {
        const std::string_view name = module->layer() == nullptr ? "" : module->layer()->name;
        return name == "ReLU" ? 1 : name == "GELU" ? 2 : 0;
    }
    const auto function = activation.is_other() ? activation.to_other_as<Callable>() : nullptr;
    const std::string name = function ? function->describe() : std::string();
    return name == "relu" ? 1 : name == "gelu" ? 2 : 0;
}

std::vector<Tensor> attention_tensors(const Module& attention) {
    const ModulePtr out = child(attention, "out_proj");
    return {tensor(attention, "in_proj_weight"), tensor(attention, "in_proj_bias"), tensor(*out, "weight"),
            tensor(*out, "bias")};
}
std::vector<Tensor> layer_tensors(const Module& layer) {
    std::vector<Tensor> all = attention_tensors(*child(layer, "self_attn"));
    for (const char* name : {"norm1", "norm2", "linear1", "linear2"}) {
        const ModulePtr part = child(layer, name);
        all.push_back(tensor(*part, "weight"));
        all.push_back(tensor(*part, "bias"));
    }
    return all;
}
bool needs_grad(const Tensor& input, const std::vector<Tensor>& parameters) {
    if (!GradMode::is_enabled()) return false;
    return requires_grad(input) || std::ranges::any_of(parameters, requires_grad);
}

std::string not_batched(std::string_view name, const Tensor& x) {
    return concat("input not batched; expected ", name, ".dim() of 3 but got ", x.dim());
}

bool has_hooks(const Module& layer) {
    const auto counts = layer.hook_counts();
    if (counts.forward + counts.forward_pre > 0) return true;
    return std::ranges::any_of(layer.children(),
                               [](const auto& each) { return each.second && has_hooks(*each.second); });
}

double eps_of(const Module& layer, const char* norm) { return number(*child(layer, norm), "eps"); }

}  // namespace

std::string why_not_fast_attention(const Module& self, const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& padding, const Tensor& mask) {
    const Tensor weight = tensor(self, "in_proj_weight");
    if (query.dim() != 3) return not_batched("query", query);
    if (!query.is_same(key) || !key.is_same(value))
        return "non-self attention was used (query, key, and value are not the same Tensor)";
    const Tensor bias = tensor(self, "in_proj_bias");
    const auto mismatch = [&](std::string_view name, const Tensor& t) {
        return concat("dtypes of query (torch.", dtype_name(query.dtype()), ") and self.", name, " (torch.",
                      dtype_name(t.dtype()), ") don't match");
    };
    if (bias.defined() && bias.dtype() != query.dtype()) return mismatch("in_proj_bias", bias);
    if (!weight.defined()) return "in_proj_weight was None";
    if (weight.dtype() != query.dtype()) return mismatch("in_proj_weight", weight);
    if (self.is_training()) return "training is enabled";
    if (integer(self, "num_heads") % 2 != 0) return "self.num_heads is not even";
    if (!flag(self, "batch_first")) return "batch_first was not True";
    if (tensor(self, "bias_k").defined()) return "self.bias_k was not None";
    if (tensor(self, "bias_v").defined()) return "self.bias_v was not None";
    if (flag(self, "add_zero_attn")) return "add_zero_attn was enabled";
    if (!flag(self, "_qkv_same_embed_dim")) return "_qkv_same_embed_dim was not True";
    if (is_nested(query) && (padding.defined() || mask.defined())) {
        return "supplying both src_key_padding_mask and src_mask at the same time                                  is "
               "not supported with NestedTensor input";
    }
    if (loupe::detail::autocast_on) return "autocast is enabled";
    if (is_jagged(query)) return kSubclass;
    if (needs_grad(query, attention_tensors(self))) return kNeedsGrad;
    return {};
}

std::string why_not_fast_encoder_layer(const Module& self, const Tensor& src, const Tensor& mask,
                                       const Tensor& padding) {
    const ModulePtr attention = child(self, "self_attn");
    if (src.dim() != 3) return not_batched("src", src);
    if (self.is_training()) return "training is enabled";
    if (!flag(*attention, "batch_first")) return "self_attn.batch_first was not True";
    if (!tensor(*attention, "in_proj_bias").defined()) return "self_attn was passed bias=False";
    if (!flag(*attention, "_qkv_same_embed_dim")) return "self_attn._qkv_same_embed_dim was not True";
    if (activation_of(self) == 0) return "activation_relu_or_gelu was not True";
    if (eps_of(self, "norm1") != eps_of(self, "norm2")) return "norm1.eps is not equal to norm2.eps";
    if (is_nested(src) && (padding.defined() || mask.defined()))
        return "neither src_key_padding_mask nor src_mask are not supported with NestedTensor input";
    if (integer(*attention, "num_heads") % 2 == 1) return "num_head is odd";
    if (loupe::detail::autocast_on) return "autocast is enabled";
    if (has_hooks(self)) return "forward pre-/hooks are attached to the module";
    if (is_jagged(src)) return kSubclass;
    if (needs_grad(src, layer_tensors(self))) return kNeedsGrad;
    return {};
}

std::string why_not_nested_layers(const Module& layer) {
    if (layer.layer() == nullptr || layer.layer()->name != "TransformerEncoderLayer")
        return "encoder_layer was not TransformerEncoderLayer";
    const ModulePtr attention = child(layer, "self_attn");
    if (flag(layer, "norm_first")) return "encoder_layer.norm_first was True";
    if (!flag(*attention, "batch_first")) {
        return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)";
    }
    if (!flag(*attention, "_qkv_same_embed_dim")) return "encoder_layer.self_attn._qkv_same_embed_dim was not True";
    if (!tensor(*attention, "in_proj_bias").defined()) return "encoder_layer.self_attn was passed bias=False";
    if (activation_of(layer) == 0) return "encoder_layer.activation_relu_or_gelu was not True";
    if (eps_of(layer, "norm1") != eps_of(layer, "norm2"))
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps";
    if (integer(*attention, "num_heads") % 2 == 1) return "encoder_layer.self_attn.num_heads is odd";
    return {};
}

std::string why_not_nested_encoder(const Module& self, const Tensor& src, const Tensor& mask, const Tensor& padding) {
    if (self.find_attribute("use_nested_tensor") == nullptr) return "use_nested_tensor attribute not present";
    if (!flag(self, "use_nested_tensor")) return "self.use_nested_tensor (set in init) was not True";
    const auto layers = child(self, "layers")->children();
    if (layers.empty()) return "there are no layers";
    const Module& first = *layers[0].second;
    if (first.is_training()) return "self.layers[0] was in training mode";
    if (src.dim() != 3) return not_batched("src", src);
    if (!padding.defined()) return "src_key_padding_mask was None";
    if (is_nested(src)) return "NestedTensor input is not supported";
    const bool checks = self.find_attribute("mask_check") == nullptr || flag(self, "mask_check");
    if (checks && !kIsLeftAligned(src, fn::logical_not(padding)))
        return "mask_check enabled, and src and src_key_padding_mask was not left aligned";
    if (mask.defined()) return "src_key_padding_mask and mask were both supplied";
    if (loupe::detail::autocast_on) return "autocast is enabled";
    if (needs_grad(src, layer_tensors(first))) return kNeedsGrad;
    return {};
}

Tensor run_fast_encoder_layer(const Module& self, const Tensor& src) {
    const ModulePtr attention = child(self, "self_attn");
    const std::vector<Tensor> t = layer_tensors(self);
    return kEncoderLayer(src, integer(*attention, "embed_dim"), integer(*attention, "num_heads"), t[0], t[1], t[2],
                         t[3], activation_of(self) == 2, flag(self, "norm_first"), eps_of(self, "norm1"), t[4], t[5],
                         t[6], t[7], t[8], t[9], t[10], t[11], IValue(), IValue());
}

}  // namespace loupe::nn::layers
