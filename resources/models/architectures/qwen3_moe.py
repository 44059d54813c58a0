# SPDX-License-Identifier: Apache-2.0
"""Qwen3-30B-A3B and its kin: Qwen3 whose MLPs are mixtures of experts."""

from architectures.decoder import build_decoder, example_inputs
from architectures.experts import SparseLayout


def build(config):
    layout = SparseLayout(config)
    layout.qkv_bias = layout.out_bias = config.get("attention_bias", False)
    layout.norms_heads = True
    if config.get("use_sliding_window", False):
        layout.slides_everywhere()
    return build_decoder(layout)
