# SPDX-License-Identifier: Apache-2.0
"""Qwen3: Qwen2 with a norm for each head of queries and keys instead of their biases."""

from architectures.decoder import Layout, build_decoder, example_inputs
from architectures.qwen2 import set_windows


def build(config):
    layout = Layout(config)
    layout.head_width = config.get("head_dim") or 128
    layout.scaling = layout.head_width ** -0.5
    layout.qkv_bias = layout.out_bias = config.get("attention_bias", False)
    layout.norms_heads = True
    set_windows(layout)
    return build_decoder(layout)
