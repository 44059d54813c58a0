# SPDX-License-Identifier: Apache-2.0
"""Mistral 7B (Jiang et al., 2023): Llama with a window."""

from architectures.decoder import Layout, build_decoder, example_inputs


def build(config):
    layout = Layout(config)
    layout.slides_everywhere()
    return build_decoder(layout)
