# SPDX-License-Identifier: Apache-2.0
"""Joining, repeating, turning and padding."""
import torch

from cases_view import strided, t


def call(c, op, *args, **more):
    c.call("aten::" + op, *args, grads=more.pop("grads", True), tolerance=1e-6, **more)


def joins(c):
    call(c, "cat", [t(2, 3), t(2, 2)], 1)
    call(c, "cat", [t(2, 3), t(0), t(1, 3)], -2)
    call(c, "cat", [t(2, 3), t(3, 2)], 0)
    call(c, "cat", [t(2, 3), t(2)], 0)
    call(c, "cat", [t(), t()], 0)
    call(c, "cat", [t(2), torch.tensor([1, 2]), torch.tensor([1.5], dtype=torch.float64, requires_grad=True)], 0)
    call(c, "cat", [torch.tensor([True]), torch.tensor([3], dtype=torch.uint8)], 0, grads=False)
    call(c, "cat", [strided(2, 3), strided(4, 3)], 0, grads=False)
    last = torch.arange(48.0).reshape(1, 3, 4, 4).to(memory_format=torch.channels_last)
    call(c, "cat", [last, last + 1], 1, grads=False, strides=True)
    call(c, "cat", [last, last.contiguous()], 1, grads=False, strides=True)
    call(c, "concat", [t(2), t(3)], 0)
    for d in (0, 1, -1, 2, 3):
        call(c, "stack", [t(2, 3), t(2, 3)], d)
    call(c, "stack", [t(2, 3), t(3, 2)], 0)
    for op in ("hstack", "vstack", "dstack", "column_stack"):
        for x in ([t(3), t(3)], [t(2, 3), t(2, 3)], [t(), t()]):
            call(c, op, x)
    call(c, "pad_sequence", [t(3, 2), t(1, 2), t(2, 2)], True, 0.5)
    call(c, "block_diag", [t(2, 3), t(2), t(), t(1, 1)])
    call(c, "flatten_dense_tensors", [t(2, 3), t(2)], grads=False)


def repeats(c):
    for r in ([2, 1, 2], [1, 3], [0, 2], [2]):
        call(c, "repeat", t(2, 3), r)
    call(c, "repeat", t(), [3])
    call(c, "tile", t(2, 3), [2])
    call(c, "tile", t(2, 3), [2, 1, 2])
    call(c, "repeat_interleave.self_int", t(2, 3), 2, 1)
    call(c, "repeat_interleave.self_int", t(2, 3), 2)
    call(c, "repeat_interleave.self_Tensor", t(3, 2), torch.tensor([1, 0, 2]), 0)
    call(c, "repeat_interleave.self_Tensor", t(3, 2), torch.tensor([2]), 0)
    call(c, "repeat_interleave.Tensor", torch.tensor([2, 0, 3]), grads=False)
    call(c, "repeat_interleave.self_Tensor", t(3, 2), torch.tensor([1, -1, 2]), 0)


def turns(c):
    for dims in ([0], [1, -1], [0, 1, 2], [], [0, 0]):
        call(c, "flip", t(2, 3, 4), dims)
    call(c, "flip", strided(2, 3), [1], grads=False)
    call(c, "flip", torch.tensor([1, 2, 3], dtype=torch.int8), [0], grads=False)
    call(c, "flip", torch.tensor([1 + 2j, 3j], dtype=torch.complex128), [0], grads=False)
    call(c, "fliplr", t(2, 3))
    call(c, "flipud", t(2, 3))
    for args in (([3], [1]), ([-3], []), ([1, -2], [0, 1]), ([1, 2], [0]), ([0], [0]), ([7], [0])):
        call(c, "roll", t(2, 5), *args)
    for k in (-1, 0, 1, 2, 3, 5):
        call(c, "rot90", t(2, 3), k, [0, 1])
    call(c, "rot90", t(2, 3, 2), 1, [2, 0])


def pads(c):
    for pad in ([1, 2], [1, 2, 0, 1], [-1, 2], [-1, -1, 1, 1], [1], [0, 0, 0, 0, 0, 0]):
        call(c, "constant_pad_nd", t(3, 4), pad, 1.5)
    call(c, "constant_pad_nd", torch.tensor([1, 2]), [1, 1], 7, grads=False)
    last = torch.arange(48.0).reshape(1, 3, 4, 4).to(memory_format=torch.channels_last)
    call(c, "constant_pad_nd", last, [1, 1, 1, 1], 0, grads=False, strides=True)
    for kind in ("reflection", "replication"):
        call(c, f"{kind}_pad1d", t(2, 2, 4), [1, 2])
        call(c, f"{kind}_pad1d", t(2, 4), [3, 0])
        call(c, f"{kind}_pad1d", t(2, 4), [4, 0])
        call(c, f"{kind}_pad1d", t(2, 4), [-1, 1])
        call(c, f"{kind}_pad2d", t(1, 2, 3, 4), [1, 2, 2, 1])
        call(c, f"{kind}_pad2d", t(2, 3, 4), [0, 1, 1, 0])
        call(c, f"{kind}_pad3d", t(2, 2, 3, 3), [1, 1, 2, 0, 1, 1])
        call(c, f"{kind}_pad2d_backward", t(2, 5, 6), t(2, 3, 4, grad=False), [1, 1, 1, 1])
    for mode in ("constant", "reflect", "replicate", "circular", "other"):
        call(c, "pad", t(2, 3, 4), [1, 2], mode)
        call(c, "pad", t(1, 2, 3, 4), [1, 2, 2, 0], mode)
    call(c, "pad", t(2, 3, 4), [1, 2], "constant", 2.5)
    call(c, "pad", t(2, 3, 4), [1, 2, 3, 4, 5, 6, 7, 8], "constant")
    call(c, "pad", t(2, 3, 4), [5, 0], "circular")
    call(c, "pad", t(2, 3, 4), [-1, 2], "circular")


def grids(c):
    call(c, "meshgrid", [t(2), t(3), t()])
    call(c, "meshgrid.indexing", [t(2), t(3)], "xy")
    call(c, "cartesian_prod", [t(2), t(3)])
    call(c, "combinations", t(4), 2)
    call(c, "combinations", t(3), 2, True)
    call(c, "combinations", t(2), 3)
    call(c, "pixel_shuffle", t(2, 8, 2, 3), 2)
    call(c, "pixel_shuffle", t(2, 7, 2, 3), 2)
    call(c, "pixel_unshuffle", t(2, 4, 6), 2)
    call(c, "pixel_unshuffle", t(2, 5, 6), 2)
    call(c, "channel_shuffle", t(1, 4, 2, 2, grad=False), 2, grads=False)


def add(c):
    for part in (joins, repeats, turns, pads, grids):
        part(c)
