# SPDX-License-Identifier: Apache-2.0
"""Qwen1.5-MoE and Qwen2-57B-A14B: Qwen2 whose MLPs are mixtures of experts, one of which sees every token."""

from architectures.decoder import build_decoder, example_inputs
from architectures.experts import SharedSparseMLP, SparseLayout


class Qwen2Moe(SparseLayout):
    sparse = SharedSparseMLP


def build(config):
    layout = Qwen2Moe(config)
    layout.qkv_bias = config.get("qkv_bias", True)
    layout.rope["sliding_attention"] = layout.rope["full_attention"]
    slides = config.get("use_sliding_window", False)
    layout.window = config.get("sliding_window", 4096) if slides else None
    first = config.get("max_window_layers", 28)
    layout.layer_types = config.get("layer_types") or [
        "sliding_attention" if slides and i % 2 == 0 and i < first else "full_attention" for i in range(layout.layers)]
    return build_decoder(layout)
