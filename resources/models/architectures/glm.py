# SPDX-License-Identifier: Apache-2.0
"""GLM-4 (2024): Phi-3's MLP in Llama's layers; half of each head turns, in pairs of neighbours."""

from architectures.decoder import Layout, build_decoder, example_inputs
from architectures.phi3 import FusedMLP
from architectures.rotary import rotate_pairs


class GlmLayout(Layout):
    def __init__(self, config):
        super().__init__(config)
        self.qkv_bias = config.get("attention_bias", True)
        self.mlp = FusedMLP
        self.rotate = rotate_pairs
        self.turns_part = True
        given = config.get("rope_parameters") or {}
        if given.get("partial_rotary_factor") is None and config.get("partial_rotary_factor") is None:
            self.rope["full_attention"]["partial_rotary_factor"] = 0.5


def build(config):
    return build_decoder(GlmLayout(config))
