# SPDX-License-Identifier: Apache-2.0
# Attention with a score function, computed densely.
import math
import torch


class BlockMask:
    def __init__(self, mask, mask_mod):
        self.mask = mask
        self.mask_mod = mask_mod
        self.shape = tuple(mask.shape)


def _vectorised(function, *sizes):
    grids = torch.meshgrid(*[torch.arange(size) for size in sizes], indexing='ij')
    return function, grids


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device='cpu'):
    function, (b, h, q, k) = _vectorised(mod_fn, B or 1, H or 1, Q_LEN, KV_LEN)
    return function(b, h, q, k).expand(B or 1, H or 1, Q_LEN, KV_LEN)


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device='cpu', BLOCK_SIZE=128, _compile=False):
    return BlockMask(create_mask(mask_mod, B, H, Q_LEN, KV_LEN), mask_mod)


def and_masks(*mask_mods):
    def mask_mod(b, h, q, k):
        out = mask_mods[0](b, h, q, k)
        for each in mask_mods[1:]:
            out = out & each(b, h, q, k)
        return out
    return mask_mod


def or_masks(*mask_mods):
    def mask_mod(b, h, q, k):
        out = mask_mods[0](b, h, q, k)
        for each in mask_mods[1:]:
            out = out | each(b, h, q, k)
        return out
    return mask_mod


def noop_mask(b, h, q, k):
    return torch.ones_like(b, dtype=torch.bool)


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False, kernel_options=None):
    if enable_gqa:
        groups = query.size(1) // key.size(1)
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = (query @ key.transpose(-2, -1)) * (scale if scale is not None else 1 / math.sqrt(query.size(-1)))
    if score_mod is not None:
        function, (b, h, q, k) = _vectorised(score_mod, *scores.shape)
        scores = function(scores, b, h, q, k)
    if block_mask is not None:
        scores = scores.masked_fill(~block_mask.mask, -math.inf)
    lse = scores.logsumexp(-1)
    weights = torch.softmax(scores, -1).nan_to_num(0.0)
    out = weights @ value
    return (out, lse) if return_lse else out
