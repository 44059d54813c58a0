# SPDX-License-Identifier: Apache-2.0
"""Operators that are mostly written with others."""
import torch

from cases_view import t


def f(*values):
    return torch.tensor([float(v) for v in values]).requires_grad_()


def call(c, op, *args, **more):
    c.call("aten::" + op, *args, grads=more.pop("grads", True), tolerance=1e-5, **more)


def curve(*sizes):
    return (torch.arange(float(torch.Size(sizes).numel())) ** 1.5).reshape(sizes).requires_grad_()


def add(c):
    for n, d in ((1, -1), (2, 0), (0, 1), (9, 1)):
        call(c, "diff", curve(3, 4), n, d)
    call(c, "diff", curve(3, 4), 1, 1, t(3, 1), t(3, 2))
    call(c, "diff", torch.tensor([True, False, False]), 1, 0, grads=False)
    for op in ("trapezoid", "cumulative_trapezoid"):
        call(c, op + ".dx", curve(3, 4), 0.5, 1)
        call(c, op + ".x", curve(3, 4), f(0, 1, 3, 4), -1)
        call(c, op + ".x", curve(3, 4), f(0, 1, 3), 0)
    call(c, "trapz.dx", curve(5))
    for order in (1, 2):
        call(c, "gradient.scalarint", curve(4, 5), 0.5, 1, order)
        call(c, "gradient.scalarint", curve(4, 5), None, None, order)
        call(c, "gradient.array", curve(4, 5), [0], order)
        call(c, "gradient.tensorarrayint", curve(4, 5), [f(0, 1, 3, 4, 7)], 1, order)
    call(c, "gradient.scalarrayint", curve(4, 5), [0.5, 2.0])
    call(c, "kron", t(2, 3), t(3, 2))
    call(c, "kron", t(2), t(2, 2))
    call(c, "bincount", torch.tensor([1, 3, 1]), None, 6, grads=False)
    call(c, "bincount", torch.tensor([1, 3, 1]), torch.tensor([0.5, 1.0, 2.0]), 0, grads=False)
    call(c, "bincount", torch.tensor([1, -3]), None, 0, grads=False)
    call(c, "histc", torch.tensor([1.0, 2.0, 1.0, 9.0]), 4, 0, 3, grads=False)
    call(c, "histc", torch.tensor([1.0, 2.0, 1.0, 4.0]), 3, grads=False)
    x = torch.tensor([[0.0, 1.0, 2.0, 4.0], [2.0, 1.0, 0.5, 3.0]])
    call(c, "cov", x.clone().requires_grad_())
    call(c, "cov", x.clone().requires_grad_(), 0, torch.tensor([1, 2, 1, 1]), torch.tensor([0.5, 1.0, 1.5, 1.0]))
    call(c, "cov", x.clone().requires_grad_(), 1, torch.tensor([1, 2, 1, 1]), torch.tensor([0.5, 1.0, 1.5, 1.0]))
    call(c, "cov", x[0].clone().requires_grad_())
    call(c, "corrcoef", x.clone().requires_grad_())
    call(c, "renorm", t(3, 4), 2, 0, 1.0)
    nan = torch.tensor([1.0, float("nan"), float("inf"), 1.0 + 1e-6])
    other = torch.tensor([1.0, float("nan"), float("inf"), 1.0])
    for equal_nan in (False, True):
        call(c, "isclose", nan, other, 1e-5, 1e-8, equal_nan, grads=False)
        call(c, "allclose", nan, other, 1e-5, 1e-8, equal_nan, grads=False)
    call(c, "isclose", torch.tensor([1, 2]), torch.tensor([1, 3]), 0.5, 0.0, False, grads=False)
    call(c, "equal", x, x.clone(), grads=False)
    call(c, "equal", x, x[0], grads=False)
    call(c, "deg2rad", t(2, 3))
    call(c, "rad2deg", t(2, 3))
    call(c, "ldexp.Tensor", t(2, 3), torch.tensor([1, 2, -1]))
    call(c, "frexp.Tensor", torch.tensor([1.0, -3.0, 0.0]), grads=False)
    call(c, "_shape_as_tensor", t(2, 3), grads=False)
    for sizes, wrap in (((3, 4), False), ((7, 3), True), ((7, 3), False), ((3, 3, 3), False)):
        call(c, "fill_diagonal_", torch.zeros(sizes), 5, wrap, grads=False)
    call(c, "resize_", torch.arange(6.0), [2, 2], grads=False)
