# SPDX-License-Identifier: Apache-2.0
"""Gemma (2024): embeddings times the root of their width, weights of norms around zero."""

from architectures.common import CenteredRMSNorm
from architectures.decoder import Layout, build_decoder, example_inputs


def gemma_layout(config):
    layout = Layout(config)
    layout.head_width = config.get("head_dim") or 256
    layout.scaling = layout.head_width ** -0.5
    layout.qkv_bias = layout.out_bias = config.get("attention_bias", False)
    layout.norm = CenteredRMSNorm
    layout.embedding_scale = layout.width ** 0.5
    layout.activation = config.get("hidden_activation") or "gelu_pytorch_tanh"
    layout.ties_embeddings = config.get("tie_word_embeddings", True)
    return layout


def build(config):
    layout = gemma_layout(config)
    named = config.get("hidden_activation") or config.get("hidden_act") or "gelu_pytorch_tanh"
    # Files that say gelu were trained with the tanh form.
    layout.activation = "gelu_pytorch_tanh" if named == "gelu" else named
    return build_decoder(layout)
