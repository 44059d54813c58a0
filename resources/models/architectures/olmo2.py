# SPDX-License-Identifier: Apache-2.0
"""OLMo 2 (2024): norms behind attention and MLP instead of before them, and of all queries and keys of a token."""

from architectures.common import split_heads
from architectures.decoder import Attention, Decoder, DecoderLayer, Layout, example_inputs, with_head


class RowNormAttention(Attention):
    def __init__(self, layout, index):
        super().__init__(layout, index)
        self.q_norm = layout.norm(layout.heads * layout.head_width, layout.eps)
        self.k_norm = layout.norm(layout.key_heads * layout.head_width, layout.eps)

    def project(self, x):
        layout = self.layout
        return (split_heads(self.q_norm(self.q_proj(x)), layout.heads),
                split_heads(self.k_norm(self.k_proj(x)), layout.key_heads),
                split_heads(self.v_proj(x), layout.key_heads))


class Olmo2Layer(DecoderLayer):
    attention_class = RowNormAttention

    def __init__(self, layout, index):
        super().__init__(layout, index)
        del self.input_layernorm
        self.post_feedforward_layernorm = layout.norm(layout.width, layout.eps)

    def forward(self, x, rotary, mask, past):
        mixed, cache = self.self_attn(x, rotary, mask, past)
        x = x + self.post_attention_layernorm(mixed)
        return x + self.post_feedforward_layernorm(self.mlp(x)), cache


class Olmo2Decoder(Decoder):
    layer_class = Olmo2Layer


def olmo2_layout(config):
    layout = Layout(config)
    layout.eps = config.get("rms_norm_eps", 1e-5)
    layout.qkv_bias = layout.out_bias = config.get("attention_bias", False)
    return layout


def build(config):
    layout = olmo2_layout(config)
    return with_head(config, layout, Olmo2Decoder(layout))
