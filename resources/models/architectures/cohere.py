# SPDX-License-Identifier: Apache-2.0
"""Command R (Cohere, 2024): attention and MLP side by side behind one norm, positions as pairs of neighbours."""

import torch
from torch import nn

from architectures.decoder import Attention, Decoder, DecoderLayer, Layout, example_inputs, with_head
from architectures.rotary import rope_settings, rotate_pairs


class WeightedLayerNorm(nn.Module):
    """Layer norm in float32 without a bias. The weight has the shape that the norm is made with: of heads, its own for
    each."""

    def __init__(self, shape, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(shape))
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.float32)
        wide = wide - wide.mean(-1, keepdim=True)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return (self.weight.to(torch.float32) * wide).to(x.dtype)


class CohereAttention(Attention):
    def __init__(self, layout, index):
        super().__init__(layout, index)
        self.norms = layout.config.get("use_qk_norm", False)
        if self.norms:
            self.q_norm = WeightedLayerNorm((layout.heads, layout.head_width), layout.eps)
            self.k_norm = WeightedLayerNorm((layout.key_heads, layout.head_width), layout.eps)

    def project(self, x):
        query, key, value = super().project(x)
        if self.norms:
            query = self.q_norm(query.transpose(1, 2)).transpose(1, 2)
            key = self.k_norm(key.transpose(1, 2)).transpose(1, 2)
        return query, key, value


class ParallelLayer(DecoderLayer):
    attention_class = CohereAttention

    def __init__(self, layout, index):
        super().__init__(layout, index)
        del self.post_attention_layernorm

    def forward(self, x, rotary, mask, past):
        normed = self.input_layernorm(x)
        mixed, cache = self.self_attn(normed, rotary, mask, past)
        return x + mixed + self.mlp(normed), cache


class CohereDecoder(Decoder):
    layer_class = ParallelLayer


class CohereLayout(Layout):
    def __init__(self, config):
        super().__init__(config)
        self.norm = WeightedLayerNorm
        self.eps = config.get("layer_norm_eps", 1e-5)
        self.qkv_bias = self.out_bias = config.get("attention_bias", False)
        self.logit_scale = config.get("logit_scale", 0.0625)
        self.ties_embeddings = config.get("tie_word_embeddings", True)
        self.rotate = rotate_pairs
        self.rope = {"full_attention": rope_settings(config, 500000.0)}


def build(config):
    layout = CohereLayout(config)
    return with_head(config, layout, CohereDecoder(layout))
