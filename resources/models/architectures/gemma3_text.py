# SPDX-License-Identifier: Apache-2.0
"""Gemma 3 without pictures (2025): five layers with a window and positions of their own, then one without."""

from architectures.decoder import build_decoder, example_inputs
from architectures.gemma import gemma_layout
from architectures.rotary import rope_settings


def gemma3_layout(config):
    layout = gemma_layout(config)
    layout.norms_heads = layout.norms_results = True
    layout.scaling = config.get("query_pre_attn_scalar", 256) ** -0.5
    layout.logit_cap = config.get("final_logit_softcapping")
    layout.window = config.get("sliding_window", 4096)
    if config.get("use_bidirectional_attention", False):
        layout.is_causal = False
        layout.window = layout.window // 2 + 1
    every = config.get("sliding_window_pattern") or config.get("_sliding_window_pattern") or 6
    layout.layer_types = config.get("layer_types") or [
        "sliding_attention" if (i + 1) % every else "full_attention" for i in range(layout.layers)]
    local = {key: value for key, value in config.items() if key not in ("rope_scaling", "rope_theta")}
    local["rope_theta"] = config.get("rope_local_base_freq")
    layout.rope = {"full_attention": rope_settings(config, 1000000.0, "full_attention"),
                   "sliding_attention": rope_settings(local, 10000.0, "sliding_attention")}
    return layout


def build(config):
    return build_decoder(gemma3_layout(config))
