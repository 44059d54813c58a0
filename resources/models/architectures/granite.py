# SPDX-License-Identifier: Apache-2.0
"""Granite 3 (IBM, 2024): Llama whose embeddings, scores, residuals and logits are scaled by numbers of the config."""

from architectures.decoder import Decoder, DecoderLayer, Layout, example_inputs, with_head


class ScaledLayer(DecoderLayer):
    def __init__(self, layout, index):
        super().__init__(layout, index)
        self.scale = layout.config.get("residual_multiplier", 1.0)

    def forward(self, x, rotary, mask, past):
        mixed, cache = self.self_attn(self.input_layernorm(x), rotary, mask, past)
        x = x + mixed * self.scale
        return x + self.mlp(self.post_attention_layernorm(x)) * self.scale, cache


class GraniteDecoder(Decoder):
    layer_class = ScaledLayer


def build(config):
    layout = Layout(config)
    layout.qkv_bias = layout.out_bias = config.get("attention_bias", False)
    layout.mlp_bias = config.get("mlp_bias", False)
    layout.embedding_scale = config.get("embedding_multiplier", 1.0)
    layout.scaling = config.get("attention_multiplier", 1.0)
    layout.logit_scale = 1.0 / config.get("logits_scaling", 1.0)
    return with_head(config, layout, GraniteDecoder(layout))
