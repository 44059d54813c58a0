# SPDX-License-Identifier: Apache-2.0
"""Reductions: dims, dtypes, empty tensors, NaN, indices of equals, gradients."""
import math

import torch

NAN, INF = math.nan, math.inf


def x(*sizes, grad=False, dtype=torch.float32):
    n = torch.Size(sizes).numel()
    return (torch.arange(n, dtype=torch.float64) * 7 % 11 - 4.5).reshape(sizes).to(dtype).requires_grad_(grad)


def add(c):
    for name in ("sum", "mean", "prod", "nansum"):
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int32, torch.bool, torch.uint8, torch.complex64):
            if name in ("mean",) and not (dtype.is_floating_point or dtype.is_complex) or name == "nansum" and dtype.is_complex:
                continue
            tolerance = 2e-2 if dtype == torch.bfloat16 else 2e-6
            if name == "nansum":
                c.call("aten::nansum", x(2, 5, dtype=dtype), None, False, None, tolerance=tolerance)
            else:
                c.call("aten::" + name, x(2, 5, dtype=dtype), None, tolerance=tolerance)
    for name in ("sum.dim_IntList", "mean.dim"):
        for dim, keep in (([0], False), ([1], True), ([0, 2], False), ([-1], False), ([], False), ([0, 0], False), ([3], False)):
            c.call("aten::" + name, x(2, 3, 4, grad=True), dim, keep, None, grads=True, tolerance=1e-6)
    c.call("aten::sum", x(3, dtype=torch.float32), torch.float64)
    c.call("aten::sum", torch.zeros(0), None)
    c.call("aten::mean", torch.zeros(0), None)
    c.call("aten::mean", torch.arange(3), None)
    c.call("aten::prod", torch.zeros(0), None)
    for values in ([1.0, 2.0, 3.0], [1.0, 0.0, 3.0], [0.0, 2.0, 0.0]):
        c.call("aten::prod", torch.tensor(values, requires_grad=True), None, grads=True)
        c.call("aten::prod.dim_int", torch.tensor([values, values], requires_grad=True), 1, False, None, grads=True)
        c.call("aten::cumprod", torch.tensor(values, requires_grad=True), 0, None, grads=True)
    c.call("aten::sum", torch.full((1000,), 0.1), None, tolerance=1e-6)
    equals = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]], requires_grad=True)
    for name in ("max", "min"):
        c.call("aten::" + name, equals, grads=True)
        c.call("aten::%s" % name, torch.tensor([1.0, NAN, 3.0]))
        for dim, keep in ((0, False), (1, True), (-1, False)):
            c.call("aten::%s.dim" % name, equals.detach(), dim, keep)
            c.call("aten::a" + name, equals, [dim], keep, grads=True)
            c.call("aten::arg" + name, equals.detach(), dim, keep)
        c.call("aten::%s.dim" % name, torch.tensor([[1.0, NAN, 3.0, NAN]]), 1, False)
        c.call("aten::arg" + name, torch.tensor([1.0, NAN, 3.0]), None, False)
        c.call("aten::arg" + name, equals.detach(), None, False)
        c.call("aten::" + name, torch.zeros(0))
        c.call("aten::%s.dim" % name, torch.zeros(0, 3), 0, False)
        c.call("aten::%s.dim" % name, torch.zeros(0, 3), 1, False)
        c.call("aten::a" + name, torch.zeros(0, 3), [0], False)
        c.call("aten::" + name, torch.tensor([3, -1, 2], dtype=torch.int8))
        c.call("aten::cum" + name, torch.tensor([1.0, 3.0, 3.0, 2.0, NAN, 5.0]), 0)
    c.call("aten::aminmax", equals.detach(), 1, False, spread=True)
    for name in ("any", "all"):
        for t in (torch.tensor([0, 2]), torch.tensor([0.0, 0.0]), torch.tensor([NAN]), torch.tensor([True, True]), torch.zeros(0),
                  torch.tensor([1, 0], dtype=torch.uint8)):
            c.call("aten::" + name, t)
        c.call("aten::%s.dim" % name, torch.tensor([[0, 1], [1, 1]]), 1, False)
    c.call("aten::count_nonzero", torch.tensor([[0, 1], [1, 1]]), None)
    c.call("aten::count_nonzero", torch.tensor([[0, 1], [1, 1]]), 0)
    for name in ("var", "std"):
        for correction in (0, 1, 2):
            c.call("aten::%s.correction" % name, x(3, 4, grad=True), [1], correction, False, grads=True, tolerance=2e-6)
        c.call("aten::" + name, x(7, dtype=torch.float64), True, tolerance=1e-9)
        c.call("aten::%s_mean.correction" % name, x(3, 4), [0], 1, True, tolerance=2e-6)
        c.call("aten::" + name, torch.arange(3), True)
        c.call("aten::%s.correction" % name, x(3, 2, dtype=torch.complex64), [0], 1, False, tolerance=2e-6)
    c.call("aten::var", torch.full((100,), 1e4) + torch.arange(100.0) / 100, True, tolerance=1e-4)
    for p in (0, 1, 2, 3, 0.5, INF, -INF):
        c.call("aten::linalg_vector_norm", x(3, 4, grad=True), p, [1], False, None, grads=True, tolerance=2e-6)
        c.call("aten::norm.Scalar", x(5), p, tolerance=2e-6)
    c.call("aten::linalg_vector_norm", torch.arange(3), 2, None, False, None)
    c.call("aten::norm.ScalarOpt_dim", x(3, 4), None, [0], True, tolerance=2e-6)
    for t in (x(2, 3, grad=True), torch.tensor([[INF, 1.0], [-INF, -INF]], requires_grad=True), torch.tensor([[1000.0, 1000.5]], requires_grad=True)):
        c.call("aten::logsumexp", t, [1], False, grads=bool(torch.isfinite(t).all()), tolerance=2e-6)
    for name in ("cumsum", "cumprod"):
        for dtype in (torch.float32, torch.int32, torch.bool, torch.complex64):
            c.call("aten::" + name, x(2, 3, dtype=dtype), 1, None, tolerance=2e-6)
        c.call("aten::" + name, x(2, 3, grad=True), 0, None, grads=True, tolerance=2e-6)
    c.call("aten::logcumsumexp", x(4, grad=True), 0, grads=True, tolerance=2e-6)
    c.call("aten::cumsum", x(2, 3), 2, None)
    c.call("aten::sum", x(2, 3, 4).transpose(0, 2), None, tolerance=1e-6)
    c.call("aten::sum.dim_IntList", x(2, 3, 4).permute(2, 0, 1), [1], False, None, tolerance=1e-6)
