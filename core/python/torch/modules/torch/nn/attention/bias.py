# SPDX-License-Identifier: Apache-2.0
# Masks of attention by their kind, made when they are used.
from enum import IntEnum

import torch


class CausalVariant(IntEnum):
    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def _causal(rows, columns, diagonal):
    return torch.tril(torch.ones(rows, columns, dtype=torch.bool), diagonal=diagonal)


def causal_upper_left(*size):
    assert len(size) == 2, "causal_upper_left only supports 2D tensors"
    return _causal(size[0], size[1], 0)


def causal_lower_right(*size):
    assert len(size) == 2, "causal_lower_right only supports 2D tensors"
    return _causal(size[0], size[1], size[1] - size[0])
