# SPDX-License-Identifier: Apache-2.0
"""DeepSeek-V3 and R1 (2024): DeepSeek-V2 whose experts are chosen by sigmoids, with a bias that balances their load."""

import torch
import torch.nn.functional as F

from architectures.decoder import example_inputs, with_head
from architectures.deepseek_v2 import DeepseekDecoder, DeepseekExperts, DeepseekLayout
from architectures.rotary import rotate
from architectures.scaled import weight_of


class BalancedExperts(DeepseekExperts):
    def __init__(self, layout):
        super().__init__(layout)
        config = layout.config
        self.norms = config.get("norm_topk_prob", True)
        # It decides who is chosen, and is no part of the shares.
        self.gate.register_buffer("e_score_correction_bias", torch.zeros(config["n_routed_experts"]))

    def choose(self, x):
        logits = F.linear(x.to(torch.float32), weight_of(self.gate, torch.float32))
        scores = torch.sigmoid(logits)
        wanted = scores + self.gate.e_score_correction_bias
        # A group is as good as its two best experts.
        groups = wanted.view(wanted.shape[0], self.groups, -1).topk(2, dim=-1)[0].sum(dim=-1)
        blind = torch.logical_not(self.in_best_groups(groups, wanted.shape[-1]))
        which = torch.topk(wanted.masked_fill(blind, float("-inf")), self.chosen, dim=-1)[1]
        shares = scores.gather(1, which)
        if self.norms:
            shares = shares / (shares.sum(dim=-1, keepdim=True) + 1e-20)
        return shares * self.scale, which


def build(config):
    layout = DeepseekLayout(config)
    layout.experts = BalancedExperts
    if not config.get("rope_interleave", True):
        layout.rotate = rotate
    return with_head(config, layout, DeepseekDecoder(layout))
