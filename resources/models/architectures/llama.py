# SPDX-License-Identifier: Apache-2.0
"""Llama 1 to 3 (Touvron et al., 2023)."""

from architectures.decoder import Layout, build_decoder, example_inputs


def build(config):
    layout = Layout(config)
    layout.qkv_bias = layout.out_bias = config.get("attention_bias", False)
    layout.mlp_bias = config.get("mlp_bias", False)
    return build_decoder(layout)
