# SPDX-License-Identifier: Apache-2.0
"""Mixtral (Jiang et al., 2024): Mistral whose MLP is a mixture of experts."""

from torch import nn

from architectures.common import activation, linear
from architectures.decoder import Decoder, DecoderLayer, Layout, example_inputs, with_head
from architectures.experts import likeliest, mix
from architectures.rotary import rope_settings


class Expert(nn.Module):
    def __init__(self, layout):
        super().__init__()
        self.w1 = linear(layout.width, layout.inner, False)
        self.w2 = linear(layout.inner, layout.width, False)
        self.w3 = linear(layout.width, layout.inner, False)
        self.act_fn = activation(layout.activation)

    def forward(self, x):
        return self.w2(self.act_fn(self.w1(x)) * self.w3(x))


class MixtureOfExperts(nn.Module):
    """Each token goes through its `chosen` likeliest experts, weighted by their probabilities among each other."""

    def __init__(self, layout):
        super().__init__()
        count = layout.config["num_local_experts"]
        self.chosen = layout.config["num_experts_per_tok"]
        self.gate = linear(layout.width, count, False)
        self.experts = nn.ModuleList([Expert(layout) for _ in range(count)])

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        shares, which = likeliest(self.gate(flat), self.chosen, True)
        return mix(flat, which, shares, self.experts).view(x.shape)


class MixtralLayer(DecoderLayer):
    def __init__(self, layout, index):
        super().__init__(layout, index)
        del self.mlp
        self.block_sparse_moe = MixtureOfExperts(layout)

    def forward(self, x, rotary, mask, past):
        mixed, cache = self.self_attn(self.input_layernorm(x), rotary, mask, past)
        x = x + mixed
        return x + self.block_sparse_moe(self.post_attention_layernorm(x)), cache


class MixtralDecoder(Decoder):
    layer_class = MixtralLayer


def build(config):
    layout = Layout(config)
    layout.eps = config.get("rms_norm_eps", 1e-5)
    layout.rope = {"full_attention": rope_settings(config, 1000000.0)}
    layout.slides_everywhere()
    return with_head(config, layout, MixtralDecoder(layout))
