// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::MultiheadAttention.

#include <tuple>

#include <loupe_torch/arg.h>
#include <loupe_torch/nn.h>

namespace torch::nn {

class MultiheadAttentionOptions {
  public:
    MultiheadAttentionOptions(std::int64_t embed_dim, std::int64_t num_heads)
        : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
    TORCH_ARG(std::int64_t, embed_dim);
    TORCH_ARG(std::int64_t, num_heads);
    TORCH_ARG(double, dropout) = 0.0;
    TORCH_ARG(bool, bias) = true;
    TORCH_ARG(bool, add_bias_kv) = false;
    TORCH_ARG(bool, add_zero_attn) = false;
    TORCH_ARG(std::int64_t, kdim);
    TORCH_ARG(std::int64_t, vdim);
};

// Attention of several heads: Vaswani et al. 2017.
class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
  public:
    MultiheadAttentionImpl(std::int64_t embed_dim, std::int64_t num_heads)
        : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
    explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& given);

    // query: [T, B, embed_dim]; key: [S, B, kdim]; value: [S, B, vdim]; key_padding_mask: [B, S]; attn_mask: [T, S].
    // Gives [T, B, embed_dim] and the weights, [B, T, S] or, not averaged, [B, heads, T, S]; undefined if not needed.
    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                               const at::Tensor& key_padding_mask = {}, bool need_weights = true,
                                               const at::Tensor& attn_mask = {}, bool average_attn_weights = true);
    void reset() override;
    void _reset_parameters();

    MultiheadAttentionOptions options;
    bool _qkv_same_embed_dim = false;
    at::Tensor in_proj_weight, in_proj_bias, bias_k, bias_v;
    Linear out_proj{nullptr};
    at::Tensor q_proj_weight, k_proj_weight, v_proj_weight;  // when kdim or vdim is not embed_dim
    std::int64_t head_dim = 0;
};
TORCH_MODULE(MultiheadAttention);

}  // namespace torch::nn
