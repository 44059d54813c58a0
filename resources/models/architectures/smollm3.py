# SPDX-License-Identifier: Apache-2.0
"""SmolLM3 (2025): Llama, of whose layers every fourth knows no positions."""

from architectures.decoder import Layout, build_decoder, example_inputs
from architectures.rotary import rope_settings


class SmolLayout(Layout):
    def __init__(self, config):
        super().__init__(config)
        interval = config.get("no_rope_layer_interval", 4)
        self.turned = config.get("no_rope_layers") or [int((i + 1) % interval != 0) for i in range(self.layers)]
        self.qkv_bias = self.out_bias = config.get("attention_bias", False)
        self.mlp_bias = config.get("mlp_bias", False)
        self.ties_embeddings = config.get("tie_word_embeddings", True)
        self.rope["full_attention"] = rope_settings(config, 2000000.0)
        if config.get("use_sliding_window", False) and config.get("sliding_window") is not None:
            self.window = config["sliding_window"]
            self.layer_types = config.get("layer_types") or [
                "full_attention" if turned else "sliding_attention" for turned in self.turned]
            self.rope["sliding_attention"] = self.rope["full_attention"]

    def turns(self, index):
        return bool(self.turned[index])


def build(config):
    return build_decoder(SmolLayout(config))
