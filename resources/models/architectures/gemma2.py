# SPDX-License-Identifier: Apache-2.0
"""Gemma 2 (2024): norms after each part too, caps on scores and logits, a window in every other layer."""

from architectures.decoder import build_decoder, example_inputs
from architectures.gemma import gemma_layout


def build(config):
    layout = gemma_layout(config)
    layout.norms_results = True
    layout.zeroes_blind = False
    layout.scaling = config.get("query_pre_attn_scalar", 256) ** -0.5
    layout.score_cap = config.get("attn_logit_softcapping", 50.0)
    layout.logit_cap = config.get("final_logit_softcapping", 30.0)
    layout.window = config.get("sliding_window", 4096)
    layout.layer_types = config.get("layer_types") or [
        "full_attention" if i % 2 else "sliding_attention" for i in range(layout.layers)]
    layout.rope["sliding_attention"] = layout.rope["full_attention"]
    return build_decoder(layout)
