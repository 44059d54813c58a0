# SPDX-License-Identifier: Apache-2.0
"""Attention by one operator, and beside it the same taken apart."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.query = nn.Parameter(torch.randn(1, 4, 5, 8))
        self.key = nn.Parameter(torch.randn(1, 4, 6, 8))
        self.few = nn.Parameter(torch.randn(1, 2, 6, 8))
        self.value = nn.Parameter(torch.randn(1, 4, 6, 8))

    def apart(self, query, key, scale, mask):
        scores = torch.matmul(query, key.transpose(-2, -1)) * scale
        if mask is not None:
            scores = scores + mask
        return torch.matmul(torch.softmax(scores, dim=-1), self.value)

    def forward(self, x):
        query = self.query + x
        scale = 1 / math.sqrt(8)
        seen = torch.ones(5, 6, dtype=torch.bool).tril()
        hidden = torch.zeros(5, 6).masked_fill(torch.logical_not(seen), float("-inf"))
        out = F.scaled_dot_product_attention(query, self.key, self.value)
        out = out + self.apart(query, self.key, scale, None)
        out = out + F.scaled_dot_product_attention(query, self.key, self.value, is_causal=True)
        out = out + self.apart(query, self.key, scale, hidden)
        out = out + F.scaled_dot_product_attention(query, self.key, self.value, attn_mask=seen, scale=0.5)
        out = out + self.apart(query, self.key, 0.5, hidden)
        few = self.few.repeat_interleave(2, dim=1)
        out = out + F.scaled_dot_product_attention(query, self.few, self.value[:, :2], enable_gqa=True)
        return out + self.apart(query, few, scale, None)


example_inputs = (torch.zeros(1),)
