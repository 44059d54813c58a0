# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts (Shazeer et al., 2017): each token goes through a few of many MLPs."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import linear
from architectures.decoder import GatedMLP, Layout


def mix(x, which, shares, experts):
    """The sum of what the experts that a token is sent to make of it. x: [tokens, width]; which and shares:
    [tokens, experts of a token]."""
    out = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        tokens, places = torch.where(which == number)
        if tokens.shape[0] > 0:
            out.index_add_(0, tokens, expert(x[tokens]) * shares[tokens, places, None].to(x.dtype))
    return out


def likeliest(logits, count, norms):
    """Of router logits [tokens, experts] the `count` highest probabilities and whose they are; with norms they add up
    to one."""
    shares, which = torch.topk(F.softmax(logits.to(torch.float32), dim=-1), count, dim=-1)
    return (shares / shares.sum(dim=-1, keepdim=True) if norms else shares), which


def expert_count(config):
    return config["num_local_experts"] if "num_local_experts" in config else config["num_experts"]


class SparseMLP(nn.Module):
    def __init__(self, layout):
        super().__init__()
        config = layout.config
        self.chosen = config["num_experts_per_tok"]
        self.norms = config.get("norm_topk_prob", False)
        count = expert_count(config)
        self.gate = linear(layout.width, count, False)
        self.experts = nn.ModuleList(
            [GatedMLP(layout, config["moe_intermediate_size"]) for _ in range(count)])

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        shares, which = likeliest(self.gate(flat), self.chosen, self.norms)
        return mix(flat, which, shares, self.experts).view(x.shape)


class SharedSparseMLP(SparseMLP):
    """One more expert sees every token, weighted by a gate of its own."""

    def __init__(self, layout):
        super().__init__(layout)
        self.shared_expert = GatedMLP(layout, layout.config["shared_expert_intermediate_size"])
        self.shared_expert_gate = linear(layout.width, 1, False)

    def forward(self, x):
        return super().forward(x) + torch.sigmoid(self.shared_expert_gate(x)) * self.shared_expert(x)


class SparseLayout(Layout):
    """Layers whose MLP is a mixture, but for those that the config excepts."""
    sparse = SparseMLP

    def mlp_of(self, index):
        config = self.config
        is_dense = (index in (config.get("mlp_only_layers") or []) or expert_count(config) == 0
                    or (index + 1) % config.get("decoder_sparse_step", 1) != 0)
        return GatedMLP(self) if is_dense else self.sparse(self)
