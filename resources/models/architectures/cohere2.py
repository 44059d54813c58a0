# SPDX-License-Identifier: Apache-2.0
"""Command R7B and Command A (Cohere, 2024): Command R of whose layers three in four see a window, and only those know
positions."""

from architectures.cohere import CohereDecoder, CohereLayout
from architectures.decoder import example_inputs, with_head


class Cohere2Layout(CohereLayout):
    def __init__(self, config):
        super().__init__(config)
        self.window = config.get("sliding_window", 4096)
        pattern = config.get("sliding_window_pattern", 4)
        self.layer_types = config.get("layer_types") or [
            "sliding_attention" if (i + 1) % pattern else "full_attention" for i in range(self.layers)]
        self.rope["sliding_attention"] = self.rope["full_attention"]

    def turns(self, index):
        return self.window is not None and self.layer_types[index] == "sliding_attention"


def build(config):
    layout = Cohere2Layout(config)
    return with_head(config, layout, CohereDecoder(layout))
