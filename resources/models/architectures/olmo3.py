# SPDX-License-Identifier: Apache-2.0
"""OLMo 3 (2025): OLMo 2 of whose layers three in four see a window; only the others' positions are stretched."""

from architectures.decoder import example_inputs, with_head
from architectures.olmo2 import Olmo2Decoder, olmo2_layout
from architectures.rotary import rope_settings


def build(config):
    layout = olmo2_layout(config)
    layout.window = config.get("sliding_window", 4096)
    layout.layer_types = config.get("layer_types") or [
        "sliding_attention" if (i + 1) % 4 else "full_attention" for i in range(layout.layers)]
    theta = config.get("rope_theta", 500000.0)
    layout.rope = {kind: rope_settings(config, theta, kind) for kind in ("full_attention", "sliding_attention")}
    if not config.get("rope_parameters"):
        layout.rope["sliding_attention"] = rope_settings({**config, "rope_scaling": None}, theta)
    return with_head(config, layout, Olmo2Decoder(layout))
