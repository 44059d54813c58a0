# SPDX-License-Identifier: Apache-2.0
"""Phi-3 (2024): Llama with queries, keys and values, and the two halves of its MLP, in one product each."""

from torch import nn

from architectures.common import activation, linear, split_heads
from architectures.decoder import Attention, Decoder, DecoderLayer, Layout, example_inputs, with_head


class FusedAttention(Attention):
    def __init__(self, layout, index):
        super().__init__(layout, index)
        del self.q_proj, self.k_proj, self.v_proj
        self.sizes = [layout.heads * layout.head_width] + [layout.key_heads * layout.head_width] * 2
        self.qkv_proj = linear(layout.width, sum(self.sizes), False)

    def project(self, x):
        query, key, value = self.qkv_proj(x).split(self.sizes, dim=-1)
        layout = self.layout
        return (split_heads(query, layout.heads), split_heads(key, layout.key_heads),
                split_heads(value, layout.key_heads))


class FusedMLP(nn.Module):
    def __init__(self, layout):
        super().__init__()
        self.gate_up_proj = linear(layout.width, 2 * layout.inner, False)
        self.down_proj = linear(layout.inner, layout.width, False)
        self.activation_fn = activation(layout.activation)

    def forward(self, x):
        gate, up = self.gate_up_proj(x).chunk(2, dim=-1)
        return self.down_proj(up * self.activation_fn(gate))


class Phi3Layer(DecoderLayer):
    attention_class = FusedAttention


class Phi3Decoder(Decoder):
    layer_class = Phi3Layer


def build(config):
    layout = Layout(config)
    layout.eps = config.get("rms_norm_eps", 1e-5)
    layout.mlp = FusedMLP
    layout.turns_part = True
    rope = layout.rope["full_attention"]
    if rope["rope_type"] in ("su", "yarn"):
        rope["rope_type"] = "longrope"
    rope["original_max_position_embeddings"] = config.get("original_max_position_embeddings", 4096)
    layout.slides_everywhere()
    return with_head(config, layout, Phi3Decoder(layout))
