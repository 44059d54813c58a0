# SPDX-License-Identifier: Apache-2.0
"""Pieces of a tensor that are small enough for temporary copies of them to cost little memory."""

import torch

_PIECE = 1 << 20  # elements
_FEWEST = 1 << 22  # elements of a view that may show its memory as often as it likes
_MOST_TIMES = 32


def span(tensor):
    """How many elements of memory lie between its first and its last, these included."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))


def is_repeated(tensor):
    """A view that overlaps itself so often that to go through it takes far longer than through its memory."""
    count = tensor.numel()
    return count > _FEWEST and count > _MOST_TIMES * span(tensor)


def dense(tensor):
    """The elements in one row as they lie in memory, or None when they lie otherwise."""
    if tensor.is_contiguous():
        return tensor.view(-1)
    expected = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size == 1:
            continue
        if stride != expected:
            return None
        expected *= size
    return tensor.as_strided((tensor.numel(),), (1,), tensor.storage_offset())


def pieces(tensor):
    """Rows of all its elements, in any order."""
    if tensor.numel() == 0:
        return
    row = dense(tensor)
    if row is not None:
        if row.numel() <= _PIECE:
            yield row
        else:
            yield from row.split(_PIECE)
    elif tensor.numel() <= _PIECE:
        yield tensor.flatten()
    else:
        longest = max(range(tensor.dim()), key=lambda dimension: tensor.shape[dimension])
        half = tensor.shape[longest] // 2
        yield from pieces(tensor.narrow(longest, 0, half))
        yield from pieces(tensor.narrow(longest, half, tensor.shape[longest] - half))


def compact_copy(tensor):
    """A copy on the CPU that takes no more memory than what it shows: of a view that overlaps itself a view."""
    count, reach = tensor.numel(), span(tensor)
    if reach >= count or count == 0 or tensor.device.type != "cpu":
        return tensor.to("cpu", copy=True)
    memory = tensor.as_strided((reach,), (1,), tensor.storage_offset()).clone()
    return memory.as_strided(tensor.shape, tensor.stride(), 0)
