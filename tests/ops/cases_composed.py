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
    shares = torch.tensor([0.0, 0.3, 0.9])
    holes = torch.tensor([[0.5, float("nan"), 2.0, 1.0], [3.0, -1.0, 0.25, 7.0]])
    for op in ("quantile", "nanquantile"):
        for interpolation in ("linear", "lower", "higher", "midpoint", "nearest"):
            call(c, op + ".scalar", holes.clone().requires_grad_(), 0.4, 1, False, interpolation)
        call(c, op, holes.clone().requires_grad_(), shares, 0, True)
        call(c, op, holes.clone().requires_grad_(), shares)
        call(c, op + ".scalar", holes, 0.5, None, True, grads=False)
    call(c, "quantile.scalar", holes.long(), 0.5, grads=False)
    call(c, "quantile.scalar", holes, 1.5, grads=False)
    call(c, "quantile", holes, torch.rand(2, 2), grads=False)
    for reduce in ("max", "min", "mean", "sum", "prod"):
        ties = torch.tensor([[1.0, 2.0], [2.0, 0.0], [2.0, 3.0], [0.0, 0.0], [3.0, float("nan")]])
        for initial in (None, 2):
            call(c, "segment_reduce", ties.clone().requires_grad_(), reduce, torch.tensor([3, 0, 2]), None, None, 0, False, initial)
            call(c, "segment_reduce", ties.t().contiguous().requires_grad_(), reduce, None, None, torch.tensor([[0, 1, 5], [0, 4, 5]]), 1, False, initial)
    call(c, "segment_reduce", holes, "sum", grads=False)
    call(c, "segment_reduce", holes, "sum", torch.tensor([1, 2]), grads=False)
    x = torch.tensor([0.1, 0.5, 1.0, 0.99999, 0.25])
    weight = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    for density in (False, True):
        call(c, "histogram.bin_ct", x, 4, [0.0, 1.0], weight, density, grads=False)
        call(c, "histogram.bins_tensor", x, torch.tensor([0.0, 0.25, 0.7, 0.9]), None, density, grads=False)
        points = torch.stack([x, 1 - x * x], 1)
        call(c, "histogramdd", points, [2, 3], None, weight, density, grads=False)
    call(c, "histogram.bin_ct", x, 0, grads=False)
    call(c, "histogram.bin_ct", x, 3, [1.0, 0.0], grads=False)
    call(c, "histogram.bin_ct", x.half(), 3, grads=False)
    call(c, "histc", torch.tensor([7.3, 9.1, -3.2, 4.0]).bfloat16(), 10, grads=False)
    call(c, "_weight_norm", t(3, 2, 2), t(3, 1, 1), 0)
    call(c, "_cast_Int", t(2, 3), grads=False)
    call(c, "vander", torch.tensor([1.0, 2.0, 3.0]), 4, False, grads=False)
    call(c, "multiply_.Tensor", torch.ones(2, 3), t(2, 3).detach(), grads=False)
    call(c, "subtract_.Scalar", torch.ones(2, 3), 2, grads=False)
    call(c, "greater_.Scalar", torch.arange(3.0), 1, grads=False)
    call(c, "__iand__.Scalar", torch.arange(4), 1, grads=False)
    call(c, "frexp.Tensor", t(2, 3))
