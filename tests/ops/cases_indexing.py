# SPDX-License-Identifier: Apache-2.0
"""Picking and writing elements by index or mask."""
import torch

from cases_view import strided, t


def i(*values):
    return torch.tensor(values)


def call(c, op, *args, **more):
    c.call("aten::" + op, *args, grads=more.pop("grads", True), tolerance=1e-5, **more)


MASK = torch.tensor([[True, False, True, False], [False, False, True, True], [False, True, False, False]])


def advanced(c):
    x = lambda: t(3, 4, 2)
    for indices in ([i(2, 0, -1)], [None, i(1, 3)], [i(0, 2), i(1, 3)], [i(0, 2), None, i(1, 0)], [i(0, 1, 2).reshape(3, 1), i(1, 3)],
                    [MASK], [None, torch.tensor([True, False, True, False])], [torch.tensor([True, False, True]), i(1)], [torch.tensor(1)],
                    [i(), ], [torch.zeros(0, dtype=torch.long)], [torch.tensor([[0, 1], [2, 0]])], [None, i(1, 2), i(0, 1)],
                    [i(3)], [i(0), i(0), i(0), i(0)], [torch.tensor([True, False])], [i(0, 1), i(0, 1, 2)], [torch.tensor([1.5])]):
        call(c, "index.Tensor", x(), indices)
    call(c, "index.Tensor", strided(3, 4), [i(1, 1, 2)], grads=False)
    for accumulate in (False, True):
        call(c, "index_put", t(3, 4), [i(0, 2)], t(2, 4), accumulate)
        call(c, "index_put", t(3, 4), [MASK], t(1), accumulate)
        call(c, "index_put", t(3, 4), [None, i(1)], torch.tensor(2.5), accumulate)
        call(c, "index_put_", t(3, 4, grad=False), [i(0, 2), i(1, 1)], i(1, 2).float(), accumulate, grads=False)
    call(c, "index_put", t(3, 4), [i(1, 1, 2)], t(3, 4), True)
    call(c, "index_put", t(3, 4), [i(1, 2)], t(3, 4), False)
    call(c, "index_put", t(3, 4), [i(1, 2)], torch.ones(2, 4, dtype=torch.int64), False)


def along(c):
    for d, index in ((0, i(2, 0, 2)), (1, i(3)), (-1, i(0, 1, 2, 3, 0)), (0, i(3)), (0, i(-1)), (2, i(0)), (0, torch.tensor(1))):
        call(c, "index_select", t(3, 4), d, index)
    call(c, "index_select", strided(3, 4, 2), 1, i(1, 0), grads=False)
    call(c, "index_select", torch.tensor([1, 2, 3], dtype=torch.int16), 0, i(2, 2), grads=False)
    for d, index, src in ((0, i(2, 0, 2), t(3, 4)), (1, i(3, 1), t(3, 2)), (0, i(1, 2), t(3, 4))):
        call(c, "index_add", t(3, 4), d, index, src, 2)
    call(c, "index_add_", t(3, 4, grad=False), 0, i(1, 1), t(2, 4, grad=False), 1, grads=False)
    call(c, "index_copy", t(3, 4), 0, i(2, 0), t(2, 4))
    call(c, "index_copy", t(3, 4), 1, i(2), t(3, 1))
    call(c, "index_fill.int_Scalar", t(3, 4), 1, i(0, -1), 5.0)
    call(c, "index_fill.int_Tensor", t(3, 4), 1, i(0, 2), torch.tensor(5.0, requires_grad=True))
    call(c, "index_fill_.int_Scalar", t(3, 4, grad=False), 0, i(1), 5.0, grads=False)


def gathers(c):
    for x, d, index in ((t(3, 4), 1, i(3, 0, 1, 1, 2, 2).reshape(3, 2)), (t(3, 4), 0, i(2, 1, 0, 1).reshape(1, 4)), (t(3, 4), -1, i(0, 3).reshape(2, 1)),
                        (t(4), 0, i(3, 3)), (t(), 0, torch.tensor(0)), (t(3, 4), 1, i(4).reshape(1, 1)), (t(3, 4), 1, i(1)), (t(3, 4), 0, i(*[0] * 5).reshape(1, 5))):
        call(c, "gather", x, d, index)
    call(c, "gather", strided(3, 4), 1, i(3, 0, 1, 1, 2, 2).reshape(3, 2), grads=False)
    index = i(3, 0, 1, 2, 2, 0).reshape(3, 2)
    call(c, "scatter.src", t(3, 4), 1, index, t(3, 2))
    call(c, "scatter.src", t(3, 4), 0, i(2, 1).reshape(1, 2), t(1, 2))
    call(c, "scatter.value", t(3, 4), 1, index, 7.5)
    call(c, "scatter_.src", t(3, 4, grad=False), 1, index, t(3, 2, grad=False), grads=False)
    call(c, "scatter_add", t(3, 4), 1, i(1, 1, 1, 0, 0, 3).reshape(3, 2), t(3, 2))
    call(c, "scatter_add", t(3, 4), 0, i(1, 1, 1, 0).reshape(1, 4), t(1, 4))
    for reduce in ("add", "multiply", "max"):
        call(c, "scatter.reduce", t(3, 4, grad=False), 1, index, t(3, 2, grad=False), reduce, grads=False)
        call(c, "scatter.value_reduce", t(3, 4, grad=False), 1, index, 3.0, reduce, grads=False)
    src = (torch.arange(10.0) * 0.37 - 1.1).reshape(2, 5)
    for reduce in ("sum", "mean", "amax", "amin", "prod"):
        for include_self in (True, False):
            call(c, "scatter_reduce.two", (torch.arange(8.0) * 0.53 - 1.7).reshape(2, 4).requires_grad_(), 1,
                 i(0, 1, 1, 3, 0, 2, 2, 2, 1, 0).reshape(2, 5), src.clone().requires_grad_(), reduce, include_self)
    call(c, "scatter.src", t(3, 4), 1, index, t(2, 2))


def masks(c):
    call(c, "masked_select", t(3, 4), MASK)
    call(c, "masked_select", t(3, 1), MASK)
    call(c, "masked_select", t(2, 3, 4), MASK)
    call(c, "masked_scatter", t(3, 4), MASK, t(6))
    call(c, "masked_scatter", t(3, 4), MASK, t(2, 2))
    call(c, "masked_scatter_", t(3, 4, grad=False), MASK, t(6, grad=False), grads=False)
    for x in (MASK, torch.tensor([0.0, 1.5, float("nan")]), torch.tensor(3), torch.tensor(0), torch.zeros(2, 0), strided(2, 3)):
        for op in ("nonzero", "nonzero_numpy", "argwhere"):
            call(c, op, x, grads=False)
    call(c, "where", MASK, grads=False)
    call(c, "take", t(3, 4), i(0, -1, 5, 5).reshape(2, 2))
    call(c, "put", t(3, 4), i(0, -1, 5), t(3), False)
    call(c, "put", t(3, 4), i(0, 0, 5), t(3), True)
    call(c, "put_", t(3, 4, grad=False), i(0, 5), t(2, grad=False), False, grads=False)
    call(c, "take_along_dim", t(3, 4), i(2, 0).reshape(1, 2), 1)
    call(c, "take_along_dim", t(3, 4), i(11, 3))


def searches(c):
    s = torch.tensor([1.0, 3.0, 3.0, 7.0])
    v = torch.tensor([[0.0, 3.0, 8.0], [1.0, 7.0, float("nan")]])
    for right in (False, True):
        call(c, "searchsorted.Tensor", s, v, False, right, grads=False)
        call(c, "bucketize.Tensor", v, s, True, right, grads=False)
        call(c, "searchsorted.Scalar", s, 3, False, right, grads=False)
    call(c, "searchsorted.Tensor", torch.tensor([[1, 3, 5], [2, 4, 6]]), torch.tensor([[3, 6], [3, 6]]), False, False, "right", grads=False)
    call(c, "searchsorted.Tensor", torch.tensor([3, 1, 2]), torch.tensor([2]), False, False, None, torch.tensor([1, 2, 0]), grads=False)


def embeddings(c):
    for padding, scale in ((-1, False), (2, False), (0, True)):
        call(c, "embedding", t(4, 3), i(0, 2, 2, 3).reshape(2, 2), padding, scale, False)
    call(c, "embedding", t(4, 3), torch.tensor(1))
    call(c, "embedding", t(4, 3), i(4))
    for mode in (0, 1):
        c.call("aten::_embedding_bag", t(5, 3), i(0, 2, 2, 3, 1), i(0, 2, 2), False, mode, False, None, False, -1, grads=True, first=True)
        c.call("aten::embedding_bag.padding_idx", t(5, 3), i(0, 2, 2, 3, 1), i(0, 2, 5), False, mode, False, None, True, 2, grads=True, first=True)
    c.call("aten::_embedding_bag", (torch.arange(15.0) % 7).reshape(5, 3).requires_grad_(), i(0, 2, 4, 3, 1), i(0, 2), False, 2, False, None, False, -1,
           grads=True, first=True)
    c.call("aten::_embedding_bag", t(5, 3), i(0, 2, 2, 3, 1), i(0, 2), False, 0, False, t(5), False, -1, grads=True, first=True)
    call(c, "embedding_dense_backward", t(4, 3), i(0, 2, 2, 3), 5, 2, False)


def add(c):
    for part in (advanced, along, gathers, masks, searches, embeddings):
        part(c)
