# SPDX-License-Identifier: Apache-2.0
"""Qwen2 and Qwen2.5: Llama with biases for queries, keys and values, and windows in its upper layers."""

from architectures.decoder import Layout, build_decoder, example_inputs


def set_windows(layout):
    config = layout.config
    layout.rope["sliding_attention"] = layout.rope["full_attention"]
    layout.window = config.get("sliding_window") if config.get("use_sliding_window", False) else None
    first = config.get("max_window_layers", 28)
    layout.layer_types = config.get("layer_types") or [
        "sliding_attention" if layout.window is not None and i >= first else "full_attention"
        for i in range(layout.layers)]


def build(config):
    layout = Layout(config)
    layout.qkv_bias = True
    set_windows(layout)
    return build_decoder(layout)
