# SPDX-License-Identifier: Apache-2.0
"""GLM-4-0414 (2025): GLM-4 with norms behind attention and MLP too."""

from architectures.decoder import Decoder, DecoderLayer, example_inputs, with_head
from architectures.glm import GlmLayout


class Glm4Layer(DecoderLayer):
    def __init__(self, layout, index):
        super().__init__(layout, index)
        self.post_self_attn_layernorm = layout.norm(layout.width, layout.eps)
        self.post_mlp_layernorm = layout.norm(layout.width, layout.eps)

    def forward(self, x, rotary, mask, past):
        mixed, cache = self.self_attn(self.input_layernorm(x), rotary, mask, past)
        x = x + self.post_self_attn_layernorm(mixed)
        return x + self.post_mlp_layernorm(self.mlp(self.post_attention_layernorm(x))), cache


class Glm4Decoder(Decoder):
    layer_class = Glm4Layer


def build(config):
    layout = GlmLayout(config)
    return with_head(config, layout, Glm4Decoder(layout))
