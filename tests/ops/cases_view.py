# SPDX-License-Identifier: Apache-2.0
"""Views: values, exact strides and offsets, gradients."""
import torch


def t(*sizes, grad=True):
    return (torch.arange(float(torch.Size(sizes).numel())) / 4 - 1).reshape(sizes).requires_grad_(grad)


def strided(*sizes, grad=False):
    """Not contiguous: the memory order is that of the reversed dimensions."""
    x = torch.arange(float(torch.Size(sizes).numel())).reshape(sizes[::-1]).permute(*reversed(range(len(sizes))))
    return x.requires_grad_(grad)


def view(c, op, x, *args, grads=None, **more):
    c.call(op, x, *args, strides=True, grads=x.requires_grad if grads is None else grads, **more)


def shapes(c):
    for args in ([6, 4], [2, -1, 2], [24], [2, 3, 2, 2], [5, -1], [-1, -1], [25]):
        view(c, "aten::view", t(2, 3, 4), args)
        view(c, "aten::reshape", t(2, 3, 4), args)
    for args in ([2, 12], [24], [4, 3, 2], [2, 2, 2, 3]):
        view(c, "aten::view", strided(4, 3, 2), args)
        view(c, "aten::reshape", strided(4, 3, 2, grad=True), args)
    view(c, "aten::view", t(1), [])
    view(c, "aten::view", t(), [1, 1])
    view(c, "aten::view", t(0, 3), [3, 0])
    view(c, "aten::view", t(0, 3), [-1, 0])
    view(c, "aten::_unsafe_view", t(2, 3), [3, 2])
    view(c, "aten::flatten.using_ints", t(2, 3, 4), 1, -1)
    view(c, "aten::flatten.using_ints", t(2, 3, 4), 0, 1)
    view(c, "aten::flatten.using_ints", t(), 0, -1)
    view(c, "aten::flatten.using_ints", t(2, 3, 4), 2, 1)
    view(c, "aten::flatten.using_ints", t(2, 3, 4), 3, 3)
    view(c, "aten::unflatten.int", t(2, 6), 1, [2, -1])
    view(c, "aten::unflatten.int", t(2, 6), 1, [4, 2])
    view(c, "aten::ravel", t(2, 3))
    view(c, "aten::view_as", t(2, 3), t(3, 2, grad=False))
    view(c, "aten::view.dtype", t(2, 4, grad=False), torch.int32)
    view(c, "aten::view.dtype", t(2, 4, grad=False), torch.float64)
    view(c, "aten::view.dtype", t(2, 3, grad=False), torch.float64)


def dimensions(c):
    view(c, "aten::squeeze", t(2, 1, 3, 1))
    for d in (1, 0, -1, 4, -5):
        view(c, "aten::squeeze.dim", t(2, 1, 3, 1), d)
    view(c, "aten::squeeze.dim", t(), 0)
    for d in (0, 1, 2, -1, -3, 3):
        view(c, "aten::unsqueeze", t(2, 3), d)
        view(c, "aten::unsqueeze", strided(2, 3), d)
    for a, b in ((0, 2), (-1, 1), (1, 1), (0, 3)):
        view(c, "aten::transpose.int", t(2, 3, 4), a, b)
    for x in (t(2, 3), t(3), t(), t(2, 3, 4)):
        view(c, "aten::t", x)
        view(c, "aten::numpy_T", x) if x.dim() == 2 else None
    for dims in ([2, 0, 1], [-1, -2, 0], [0, 0, 1], [0, 1]):
        view(c, "aten::permute", t(2, 3, 4), dims)
    view(c, "aten::movedim.int", t(2, 3, 4), 0, 2)
    view(c, "aten::movedim.intlist", t(2, 3, 4), [0, 2], [1, 0])
    view(c, "aten::movedim.intlist", t(2, 3, 4), [0, 0], [1, 0])
    view(c, "aten::swapaxes", t(2, 3, 4), 0, 1)
    view(c, "aten::mT", t(2, 3, 4))
    view(c, "aten::mT", t(3))
    view(c, "aten::adjoint", t(2, 3))
    for op, args in (("squeeze_", ()), ("squeeze_.dim", (1,)), ("unsqueeze_", (1,)), ("transpose_", (0, 2)), ("swapdims_", (0, 2))):
        view(c, "aten::" + op, t(2, 1, 3, grad=False), *args)
    view(c, "aten::t_", t(2, 3, grad=False))


def expansions(c):
    for x, size in ((t(3, 1), [3, 4]), (t(3, 1), [2, -1, 4]), (t(), [2, 2]), (t(3), [1, 3]), (t(3), [2, 1, 3]), (t(3, 1), [4]),
                    (t(3, 2), [3, 4]), (t(3), [-1, 3]), (t(1), [0]), (strided(2, 3), [1, 2, 3])):
        view(c, "aten::expand", x, size, False)
    view(c, "aten::expand_as", t(3, 1), t(2, 3, 4, grad=False))
    view(c, "aten::broadcast_to", t(3, 1), [3, 4])
    c.call("aten::broadcast_tensors", [t(3, 1), t(4)], strides=True, grads=True)
    for n in (1, 2, 3):
        for x in (t(), t(3), t(2, 3), t(2, 3, 4)):
            view(c, f"aten::atleast_{n}d", x)


def parts(c):
    for d, i in ((0, 1), (1, -1), (-1, 3), (0, 3), (3, 0)):
        view(c, "aten::select.int", t(3, 2, 4), d, i)
    view(c, "aten::select.int", t(), 0, 0)
    for args in ((0, 1, 3, 1), (1, None, None, 2), (1, -3, -1, 1), (1, 4, 2, 1), (1, 2, 100, 3), (0, 0, 3, 0), (1, 0, 9223372036854775807, 1), (2, 0, 1, 1)):
        view(c, "aten::slice.Tensor", t(3, 7), *args)
    view(c, "aten::narrow", t(3, 7), 1, 2, 3)
    view(c, "aten::narrow", t(3, 7), 1, -3, 2)
    view(c, "aten::narrow", t(3, 7), 1, 5, 3)
    for args in ((1, 3, 2), (0, 2, 1), (1, 2, 3), (1, 8, 1), (1, 2, 0)):
        view(c, "aten::unfold", t(3, 7), *args)
    view(c, "aten::unfold", t(), 0, 1, 1)
    for args in ((0, 0, 1), (1, 0, 1), (-1, 0, 1), (0, 2, 0), (9, 0, 1), (0, 1, 1)):
        view(c, "aten::diagonal", t(3, 4, 2), *args)
    for args in ((0, -2, -1), (1, 0, 2), (-2, -2, -1)):
        view(c, "aten::diag_embed", t(2, 3), *args)
    for x in (t(3), t(3, 4)):
        for k in (0, 1, -1):
            view(c, "aten::diag", x, k)
    view(c, "aten::diagflat", t(2, 2), 1)
    view(c, "aten::trace", t(3, 4))
    for args in (([2, 2], [4, 1], 1), ([3, 3], [2, 1], None), ([2], [0], 3)):
        view(c, "aten::as_strided", t(3, 4), *args)
    view(c, "aten::as_strided", strided(3, 4, grad=True), [2, 3], [1, 4], 2, grads=False)
    view(c, "aten::as_strided", t(3, 4), [2, 2], [-1, 1], 1)


def splits(c):
    for n in (3, 7, 10, 1, 0, -1):
        view(c, "aten::split.Tensor", t(3, 7), n, 1)
    view(c, "aten::split.sizes", t(3, 7), [1, 4, 2], 1)
    view(c, "aten::split_with_sizes", t(3, 7), [1, 4], 1)
    view(c, "aten::unsafe_split.Tensor", t(3, 7), 3, 1)
    for n in (2, 3, 5, 9, 0):
        view(c, "aten::chunk", t(3, 7), n, 1)
    view(c, "aten::chunk", t(0, 3), 3, 0)
    view(c, "aten::unbind.int", t(3, 4), -1)
    view(c, "aten::unbind.int", t(), 0)
    view(c, "aten::tensor_split.sections", t(3, 7), 3, 1)
    view(c, "aten::tensor_split.indices", t(3, 7), [2, 5, 9], 1)
    view(c, "aten::tensor_split.tensor_indices_or_sections", t(3, 7), torch.tensor([2, 4]), 1)
    view(c, "aten::hsplit.int", t(2, 4), 2)
    view(c, "aten::vsplit.array", t(4, 2), [1, 3])
    view(c, "aten::dsplit.int", t(2, 2, 4), 2)
    view(c, "aten::hsplit.int", t(2, 4), 3)


def scatters(c):
    # PyTorch's own gradient of as_strided_scatter reads memory that nobody wrote, so it is not asked for.
    for op, x, src, args in (("select_scatter", t(3, 4), t(3), (1, 2)), ("slice_scatter", t(3, 7), t(3, 3), (1, 1, 6, 2)),
                             ("diagonal_scatter", t(3, 4), t(3), (1, 0, 1)),
                             ("as_strided_scatter", t(3, 4), t(2, 2), ([2, 2], [4, 1], 1))):
        c.call("aten::" + op, x, src, *args, grads=op != "as_strided_scatter")
    c.call("aten::select_scatter", t(3, 4), t(2), 1, 2)
    c.call("aten::select_backward", t(3), [3, 4], 1, 2, grads=True)
    c.call("aten::slice_backward", t(3, 3), [3, 7], 1, 1, 6, 2, grads=True)
    c.call("aten::diagonal_backward", t(3), [3, 4], 1, 0, 1, grads=True)
    c.call("aten::unfold_backward", t(3, 3, 3), [3, 7], 1, 3, 2, grads=True)
    for op, args in (("view_copy", ([6],)), ("permute_copy", ([1, 0],)), ("select_copy.int", (0, 1)), ("expand_copy", ([2, 2, 3], False)),
                     ("split_copy.Tensor", (1, 1)), ("unbind_copy.int", (0,)), ("t_copy", ())):
        view(c, "aten::" + op, t(2, 3), *args)


def add(c):
    for part in (shapes, dimensions, expansions, parts, splits, scatters):
        part(c)
