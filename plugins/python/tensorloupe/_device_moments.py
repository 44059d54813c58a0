# SPDX-License-Identifier: Apache-2.0
"""Moments of a tensor on a device, without a question to it."""

import math

import torch

from ._moments import BINS, LOWEST, real


def on_device(tensor, histogram):
    """nan, inf, zero, min, max, power, mean, variance, mean magnitude, bins: see Moments, one row on the device."""
    x = real(tensor)
    whole = torch.float64 if x.device.type != "mps" else torch.float32
    is_nan = torch.isnan(x).sum()
    is_finite = torch.isfinite(x)
    nothing = torch.zeros((), dtype=x.dtype, device=x.device)
    finite = torch.where(is_finite, x, nothing)
    number = is_finite.sum()
    bound = torch.full((), math.inf, dtype=x.dtype, device=x.device)
    # The largest magnitude is between 2^(power - 1) and 2^power: what is divided by that has squares that stay in range.
    power = torch.frexp(finite.abs().max())[1]
    down = _scaled_down(finite, power)
    mean = down.sum(dtype=whole) / number
    spread = torch.where(is_finite, down - mean.to(x.dtype), nothing)
    parts = [
        is_nan,
        x.numel() - number - is_nan,
        number - torch.count_nonzero(finite),
        torch.where(is_finite, x, bound).min(),
        torch.where(is_finite, x, -bound).max(),
        power,
        mean,
        (spread * spread).sum(dtype=whole) / number,
        down.abs().sum(dtype=whole) / number,
    ]
    row = torch.stack([part.to(whole) for part in parts])
    if not histogram:
        return row
    exponent = torch.frexp(finite)[1].sub_(LOWEST).clamp_(0, BINS - 1).flatten().long()
    # bincount() asks the device for the largest.
    bins = torch.zeros(BINS, dtype=whole, device=x.device)
    bins.scatter_add_(0, exponent, torch.ones((), dtype=whole, device=x.device).expand(exponent.shape[0]))
    return torch.cat([row, bins])


def _scaled_down(x, power):
    """x / 2^power; twice, as 2^-power itself may be out of range."""
    half = torch.div(power, 2, rounding_mode="floor")
    two = torch.full((), 2.0, dtype=x.dtype, device=x.device)
    return x * torch.pow(two, (-half).to(x.dtype)) * torch.pow(two, (half - power).to(x.dtype))
