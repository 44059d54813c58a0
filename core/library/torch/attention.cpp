// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/attention.h>

#include <loupe_torch/functional.h>
#include <loupe_torch/init.h>

namespace torch::nn {

MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& given)
    : Cloneable("torch::nn::MultiheadAttention"), options(given) {
    reset();
}

void MultiheadAttentionImpl::reset() {
    const std::int64_t size = options.embed_dim();
    const std::int64_t key_size = options.kdim();
    const std::int64_t value_size = options.vdim();
    _qkv_same_embed_dim = key_size == size && value_size == size;
    head_dim = size / options.num_heads();
    TORCH_CHECK(head_dim * options.num_heads() == size, "embed_dim must be divisible by num_heads");
    if (_qkv_same_embed_dim) {
        in_proj_weight = register_parameter("in_proj_weight", torch::empty({3 * size, size}));
    } else {
        q_proj_weight = register_parameter("q_proj_weight", torch::empty({size, size}));
        k_proj_weight = register_parameter("k_proj_weight", torch::empty({size, key_size}));
        v_proj_weight = register_parameter("v_proj_weight", torch::empty({size, value_size}));
    }
    if (options.bias()) in_proj_bias = register_parameter("in_proj_bias", torch::empty({3 * size}));
    out_proj = register_module("out_proj", Linear(LinearOptions(size, size).bias(options.bias())));
    if (options.add_bias_kv()) {
        bias_k = register_parameter("bias_k", torch::empty({1, 1, size}));
        bias_v = register_parameter("bias_v", torch::empty({1, 1, size}));
    }
    _reset_parameters();
}

void MultiheadAttentionImpl::_reset_parameters() {
    for (const at::Tensor& weight : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight})
        if (weight.defined()) init::xavier_uniform_(weight);
    if (in_proj_bias.defined()) {
        init::constant_(in_proj_bias, 0.0);
        init::constant_(out_proj->bias, 0.0);
    }
    for (const at::Tensor& bias : {bias_k, bias_v})
        if (bias.defined()) init::xavier_normal_(bias);
}

std::tuple<at::Tensor, at::Tensor> MultiheadAttentionImpl::forward(const at::Tensor& query, const at::Tensor& key,
                                                                   const at::Tensor& value,
                                                                   const at::Tensor& key_padding_mask,
                                                                   bool need_weights, const at::Tensor& attn_mask,
                                                                   bool average_attn_weights) {
    auto how = functional::MultiheadAttentionForwardFuncOptions(
                   options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias, bias_k, bias_v,
                   options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias)
                   .training(is_training())
                   .key_padding_mask(key_padding_mask)
                   .need_weights(need_weights)
                   .attn_mask(attn_mask)
                   .average_attn_weights(average_attn_weights);
    if (!_qkv_same_embed_dim) {
        how.use_separate_proj_weight(true)
            .q_proj_weight(q_proj_weight)
            .k_proj_weight(k_proj_weight)
            .v_proj_weight(v_proj_weight);
    }
    return functional::multi_head_attention_forward(query, key, value, how);
}

}  // namespace torch::nn
