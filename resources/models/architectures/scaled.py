# SPDX-License-Identifier: Apache-2.0
"""Weights in 8 bits with a scale for each block (DeepSeek-V3, 2024): quant_method "fp8" of Hugging Face folders. They
stay as the file has them, and are multiplied out by each layer when it runs."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import placeholder

EIGHT_BITS = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)


def blocks_of(config):
    """Rows and columns of the blocks that have a scale each; None for a scale a weight."""
    sizes = config.get("weight_block_size")
    if sizes is None:
        return None
    if (not isinstance(sizes, (list, tuple)) or len(sizes) != 2
            or not all(isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in sizes)):
        raise ValueError(f"weight_block_size is {sizes!r}, no rows and columns")
    return sizes


class ScaledLinear(nn.Module):
    def __init__(self, plain, blocks):
        super().__init__()
        self.in_features = plain.in_features
        self.out_features = plain.out_features
        self.blocks = blocks
        self.weight = plain.weight
        if blocks is None:
            self.weight_scale_inv = placeholder()
        else:
            # The last block of a row or column may be cut.
            self.weight_scale_inv = placeholder(-(-plain.out_features // blocks[0]), -(-plain.in_features // blocks[1]))
        self.bias = plain.bias

    def multiplied_out(self, dtype):
        """weight * scale in float32, as dtype: [out_features, in_features]."""
        scale = self.weight_scale_inv.to(torch.float32)
        if self.blocks is not None:
            scale = scale.repeat_interleave(self.blocks[1], dim=1)[:, :self.in_features]
            scale = scale.repeat_interleave(self.blocks[0], dim=0)[:self.out_features]
        return (self.weight.to(torch.float32) * scale).to(dtype)

    def forward(self, x):
        return F.linear(x, self.multiplied_out(x.dtype), self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def weight_of(layer, dtype):
    """Of a linear layer, whether its weight has scales or not."""
    return layer.multiplied_out(dtype) if isinstance(layer, ScaledLinear) else layer.weight.to(dtype)


def scale_layers(model, names, blocks):
    """The linear layers of these weights, names of the model, take scales."""
    for name in names:
        *path, last = name.split(".")
        if last != "weight" or not path:
            continue
        owner = model
        for part in path[:-1]:
            owner = getattr(owner, part)
        layer = getattr(owner, path[-1])
        if type(layer) is nn.Linear:
            setattr(owner, path[-1], ScaledLinear(layer, blocks))
