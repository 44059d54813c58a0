// SPDX-License-Identifier: Apache-2.0
// torch.nn.MultiheadAttention.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/functional/functional.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/fast_path.h"
#include "core/nn/layers/support.h"
#include "core/tensor/nested.h"

namespace loupe::nn::layers {
namespace {

const OperatorHandle<std::tuple<Tensor, Tensor>> kFusedAttention{"aten::_native_multi_head_attention"};

void reset_attention(Module& self) {
    if (flag(self, "_qkv_same_embed_dim")) {
        init::xavier_uniform_(tensor(self, "in_proj_weight"));
    } else {
        for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"})
            init::xavier_uniform_(tensor(self, name));
    }
    if (const Tensor bias = tensor(self, "in_proj_bias"); bias.defined()) {
        init::constant_(bias, Scalar(0.0));
        init::constant_(tensor(*child(self, "out_proj"), "bias"), Scalar(0.0));
    }
    for (const char* name : {"bias_k", "bias_v"}) {
        if (const Tensor bias = tensor(self, name); bias.defined()) init::xavier_normal_(bias);
    }
}

void init_attention(Module& self, std::int64_t embed_dim, std::int64_t num_heads, const IValue& dropout, bool bias,
                    bool add_bias_kv, bool add_zero_attn, std::optional<std::int64_t> kdim,
                    std::optional<std::int64_t> vdim, bool batch_first, const std::optional<Device>& device,
                    const std::optional<ScalarType>& dtype) {
    const Factory factory(device, dtype);
    const std::int64_t key_dim = kdim.value_or(embed_dim);
    const std::int64_t value_dim = vdim.value_or(embed_dim);
    const bool is_same = key_dim == embed_dim && value_dim == embed_dim;
    self.set_attribute("embed_dim", embed_dim);
    self.set_attribute("kdim", key_dim);
    self.set_attribute("vdim", value_dim);
    self.set_attribute("_qkv_same_embed_dim", is_same);
    if (embed_dim <= 0 || num_heads <= 0)
        throw Error(ErrorKind::Run, concat("embed_dim and num_heads must be greater than 0, got embed_dim=", embed_dim,
                                           " and num_heads=", num_heads, " instead"));
    self.set_attribute("num_heads", num_heads);
    self.set_attribute("dropout", dropout);
    self.set_attribute("batch_first", batch_first);
    self.set_attribute("head_dim", num_heads == 0 ? 0 : embed_dim / num_heads);
    if (num_heads == 0 || embed_dim % num_heads != 0) fail_assertion("embed_dim must be divisible by num_heads");
    if (is_same) {
        factory.parameter(self, "in_proj_weight", {3 * embed_dim, embed_dim});
        for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"}) no_parameter(self, name);
    } else {
        factory.parameter(self, "q_proj_weight", {embed_dim, embed_dim});
        factory.parameter(self, "k_proj_weight", {embed_dim, key_dim});
        factory.parameter(self, "v_proj_weight", {embed_dim, value_dim});
        no_parameter(self, "in_proj_weight");
    }
    bias ? factory.parameter(self, "in_proj_bias", {3 * embed_dim}) : no_parameter(self, "in_proj_bias");
    self.register_module(
        "out_proj", make_layer("NonDynamicallyQuantizableLinear",
                               {embed_dim, embed_dim, bias, factory.device, static_cast<std::int64_t>(factory.dtype)}));
    for (const char* name : {"bias_k", "bias_v"}) {
        add_bias_kv ? factory.parameter(self, name, {1, 1, embed_dim}) : no_parameter(self, name);
    }
    self.set_attribute("add_zero_attn", add_zero_attn);
    reset_attention(self);
}

// Batch first to length first, tensors that are the same staying the same.
void transpose_batch(functional::AttentionArguments& a) {
    const Tensor query = a.query;
    const Tensor key = a.key;
    const bool value_is_key = a.value.is_same(key);
    a.query = fn::transpose(query, 1, 0);
    a.key = key.is_same(query) ? a.query : fn::transpose(key, 1, 0);
    a.value = value_is_key ? a.key : fn::transpose(a.value, 1, 0);
}

IValue attend(Module& self, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& key_padding_mask,
              bool need_weights, const Tensor& attn_mask, bool average_attn_weights, bool is_causal) {
    const ModulePtr out_proj = child(self, "out_proj");
    if (is_nested(query) || is_nested(key) || is_nested(value)) {
        const std::string why_not = why_not_fast_attention(self, query, key, value, key_padding_mask, attn_mask);
        if (!why_not.empty()) {
            throw TypedError("AssertionError",
                             concat("MultiheadAttention does not support NestedTensor outside of its fast path. The "
                                    "fast path was not hit because ",
                                    why_not));
        }
        const auto [output, weights] =
            kFusedAttention(query, key, value, integer(self, "embed_dim"), integer(self, "num_heads"),
                            tensor(self, "in_proj_weight"), tensor(self, "in_proj_bias"), tensor(*out_proj, "weight"),
                            tensor(*out_proj, "bias"), IValue(), need_weights, average_attn_weights, IValue());
        return tuple({IValue(output), weights.defined() ? IValue(weights) : IValue()});
    }
    functional::AttentionArguments a;
    a.query = query;
    a.key = key;
    a.value = value;
    a.embed_dim = integer(self, "embed_dim");
    a.num_heads = integer(self, "num_heads");
    a.in_proj_weight = tensor(self, "in_proj_weight");
    a.in_proj_bias = tensor(self, "in_proj_bias");
    a.bias_k = tensor(self, "bias_k");
    a.bias_v = tensor(self, "bias_v");
    a.add_zero_attn = flag(self, "add_zero_attn");
    a.dropout_p = number(self, "dropout");
    a.out_proj_weight = tensor(*out_proj, "weight");
    a.out_proj_bias = tensor(*out_proj, "bias");
    a.training = self.is_training();
    a.key_padding_mask = key_padding_mask;
    a.need_weights = need_weights;
    a.attn_mask = attn_mask;
    a.use_separate_proj_weight = !flag(self, "_qkv_same_embed_dim");
    a.q_proj_weight = tensor(self, "q_proj_weight");
    a.k_proj_weight = tensor(self, "k_proj_weight");
    a.v_proj_weight = tensor(self, "v_proj_weight");
    a.average_attn_weights = average_attn_weights;
    a.is_causal = is_causal;
    const bool is_batch_first = flag(self, "batch_first") && query.dim() == 3;
    if (is_batch_first) transpose_batch(a);
    auto [output, weights] = functional::multi_head_attention_forward(a);
    if (is_batch_first) output = fn::transpose(output, 1, 0);
    return tuple({IValue(output), IValue(weights)});
}

constexpr LayerRecord kRecords[] = {
    {.name = "MultiheadAttention",
     .base = "Module",
     .module = "torch.nn.modules.activation",
     .summary = "Attention of several heads.",
     .constructor = "(int embed_dim, int num_heads, Scalar dropout=0.0, bool bias=True, bool add_bias_kv=False, bool "
                    "add_zero_attn=False, int? kdim=None, int? vdim=None, bool batch_first=False, Device? device=None, "
                    "ScalarType? "
                    "dtype=None)",
     .init = builds<init_attention>,
     .forward_schema =
         "(Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask=None, bool need_weights=True, Tensor? "
         "attn_mask=None, bool average_attn_weights=True, bool is_causal=False) -> Any",
     .forward = computes<attend>,
     .constants = "batch_first",
     .annotations = "bias_k: Optional[Tensor]; bias_v: Optional[Tensor]",
     .reset_parameters = reset_attention},
};

}  // namespace

LayerFamily attention_layers() { return kRecords; }

}  // namespace loupe::nn::layers
