# SPDX-License-Identifier: Apache-2.0
# What torch.compile knows as symbols are plain numbers here.
import math

import torch


class SymInt:
    pass


class SymFloat:
    pass


class SymBool:
    pass


def sym_int(a):
    return math.floor(a) if a >= 0 else math.ceil(a)


def sym_float(a):
    return float(a)


def sym_max(a, b):
    return max(a, b)


def sym_min(a, b):
    return min(a, b)


def sym_not(a):
    return not a


def sym_sum(args):
    return sum(args)


def sym_ite(b, t, f):
    return t if b else f


def _check_with(kind, condition, message):
    if not condition:
        raise kind(str(message()) if message is not None else "Expected cond to be True, but got False. (Could this error message be "
                   "improved? If so, please report an enhancement request to PyTorch.)")


def _check(cond, message=None):
    _check_with(RuntimeError, cond, message)


def _check_value(cond, message=None):
    _check_with(ValueError, cond, message)


def unravel_index(indices, shape):
    """Coordinates of places in a flat tensor of that shape."""
    if isinstance(shape, int):
        shape = (shape,)
    coordinates = []
    for size in reversed(tuple(shape)):
        coordinates.append(indices % size)
        indices = torch.div(indices, size, rounding_mode='floor')
    return tuple(reversed(coordinates))
