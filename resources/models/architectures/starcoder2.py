# SPDX-License-Identifier: Apache-2.0
"""StarCoder 2 (2024): rotary positions and shared key heads, with layer norms and GPT-2's MLP."""

from torch import nn

from architectures.common import activation, linear
from architectures.decoder import Layout, build_decoder, example_inputs


class PlainMLP(nn.Module):
    def __init__(self, layout):
        super().__init__()
        self.c_fc = linear(layout.width, layout.inner, layout.mlp_bias)
        self.c_proj = linear(layout.inner, layout.width, layout.mlp_bias)
        self.act = activation(layout.activation)

    def forward(self, x):
        return self.c_proj(self.act(self.c_fc(x)))


def build(config):
    layout = Layout(config)
    layout.eps = config.get("norm_epsilon", 1e-5)
    layout.norm = nn.LayerNorm
    layout.mlp = PlainMLP
    layout.activation = config.get("hidden_act", "gelu_pytorch_tanh")
    layout.qkv_bias = layout.out_bias = layout.mlp_bias = config.get("use_bias", True)
    layout.ties_embeddings = config.get("tie_word_embeddings", True)
    layout.slides_everywhere()
    return build_decoder(layout)
