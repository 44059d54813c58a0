# SPDX-License-Identifier: Apache-2.0
"""torch.special: values at the edges and between, promotion, gradients, degrees of polynomials."""
import math

import torch

INF, NAN = math.inf, math.nan
FLOAT, DOUBLE = torch.float32, torch.float64
POINTS = [0.0, -0.0, 1e-30, 1e-5, 0.1, 0.5, 1.0, 1.5, 2.0, 3.7, 5.0, 7.9, 8.0, 8.1, 12.0, 20.0, 30.0, 60.0]
EDGES = POINTS + [-x for x in POINTS[2:]] + [INF, -INF, NAN]
FLAT = ["airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0",
        "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0"]
SMOOTH = ["i0", "i0e", "i1", "i1e", "erfcx", "log_ndtr", "ndtr", "entr", "ndtri", "gammaln", "psi", "erfinv", "erfc", "sinc", "logit", "expit"]
POLYNOMIALS = ["chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
               "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
               "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
               "legendre_polynomial_p"]


def functions(c):
    for name in FLAT + SMOOTH:
        op = "aten::special_" + name
        for x in EDGES:  # one call each, so that a failure names the point
            # PyTorch's J and Y are right to 8 digits only.
            c.call(op, torch.tensor([x], dtype=DOUBLE), tolerance=1e-7 if name in FLAT[1:5] else 1e-9)
            c.call(op, torch.tensor([x], dtype=FLOAT), tolerance=1.3e-5)
        c.call(op, torch.tensor([2, 0, 5]), tolerance=1.3e-5)
        c.call(op, torch.tensor([True, False]), tolerance=1.3e-5)
        c.call(op + ".out" if name != "logit" else "aten::special_ndtr.out", torch.tensor([0.25]), torch.empty(0, dtype=DOUBLE), tolerance=1.3e-5)
    for name in SMOOTH:
        x = torch.tensor([0.1, 0.5, 0.9, 0.3]) if name in ("ndtri", "erfinv", "logit") else torch.tensor([0.1, 0.5, 2.0, 9.0])
        c.call("aten::special_" + name, x.double().requires_grad_(), grads=True, tolerance=1e-9)
        c.call("aten::special_" + name, x.float().requires_grad_(), grads=True, tolerance=1.3e-5)
    for name in ("i0", "i0e", "i1", "i1e", "erfcx", "log_ndtr", "ndtr", "sinc"):
        c.call("aten::special_" + name, torch.tensor([0.0, -0.5, -3.0], dtype=DOUBLE, requires_grad=True), grads=True, tolerance=1e-9)


def polynomials(c):
    for name in POLYNOMIALS:
        op = "aten::special_" + name
        for dtype, tolerance in ((DOUBLE, 1e-9), (FLOAT, 1.3e-5)):
            for n in (-1, 0, 1, 2, 3, 5, 7, 9, 12):
                x = torch.tensor([0.0, 0.5, -0.5, 0.3, 1.0, -1.0, 0.99, 1.5, -1.5, NAN], dtype=dtype)
                c.call(op, x, torch.full((10,), n), tolerance=tolerance)
        c.call(op, torch.tensor([0.5, 2.0]), torch.tensor([2.7, -INF]), tolerance=1.3e-5)
        c.call(op + ".n_scalar", torch.tensor([[0.5, 2.0]], dtype=DOUBLE), 4, tolerance=1e-9)
        c.call(op + ".x_scalar", 0.75, torch.tensor([0, 3, 4]), tolerance=1.3e-5)
        c.call(op + ".out", torch.tensor([0.5, 2.0]), torch.tensor([2, 3]), torch.empty(0), tolerance=1.3e-5)


def pairs(c):
    for a in (0.0, 0.1, 0.5, 1.0, 2.0, 5.5, 10.0, 30.0, 100.0, -1.0, INF, NAN):
        for x in (0.0, 1e-5, 0.5, 1.0, 3.0, 9.5, 40.0, -0.5, INF, NAN):
            pair = [torch.tensor([a], dtype=DOUBLE), torch.tensor([x], dtype=DOUBLE)]
            for op in ("igamma", "igammac", "special_zeta", "special_xlog1py", "xlogy.Tensor"):
                c.call("aten::" + op, *pair, tolerance=1e-8)
                if a < 40:
                    c.call("aten::" + op, pair[0].float(), pair[1].float(), tolerance=1.3e-5)
    a, x = torch.tensor([0.5, 2.0, 3.0], dtype=DOUBLE), torch.tensor([1.5, 0.25, 4.0], dtype=DOUBLE, requires_grad=True)
    for op in ("igamma", "igammac", "special_gammainc", "special_gammaincc", "special_xlog1py", "special_xlogy", "special_zeta"):
        c.call("aten::" + op, a + 1, x, grads=True, tolerance=1e-8)
    for op in ("special_xlog1py", "special_xlogy"):
        for y in (3, 0.5, 0.0):
            c.call("aten::" + op + ".other_scalar", torch.tensor([0.0, 2.0], dtype=DOUBLE, requires_grad=True), y, grads=True, tolerance=1e-9)
        c.call("aten::" + op + ".self_scalar", 2, x, grads=True, tolerance=1e-9)
        c.call("aten::" + op, torch.tensor([0.0, 2.0, 0.0], dtype=DOUBLE, requires_grad=True), torch.tensor([-1.0, 3.0, NAN], dtype=DOUBLE),
               grads=True, tolerance=1e-9)
        c.call("aten::" + op, torch.tensor([2, 0]), torch.tensor([3, 1]), tolerance=1.3e-5)
    c.call("aten::special_zeta.other_scalar", a + 1, 2, tolerance=1e-9)
    c.call("aten::special_zeta.self_scalar", 2.5, x, grads=True, tolerance=1e-9)
    c.call("aten::special_zeta.self_scalar_out", 2.5, a, torch.empty(0, dtype=DOUBLE), tolerance=1e-9)
    c.call("aten::igamma_", a + 1, x.detach(), tolerance=1e-8)
    c.call("aten::xlogy_.Scalar_Other", a.clone(), 3.0, tolerance=1e-9)


def gammas(c):
    points = [0.1, 0.5, 1.0, 1.4616, 2.5, 9.9, 10.0, 30.0, 1e4, -0.5, -1.5, -7.25, 0.0, -0.0, -1.0, -4.0, INF, -INF, NAN]
    for n in range(5):
        for dtype, tolerance in ((DOUBLE, 1e-9), (FLOAT, 1.3e-5)):
            for p in points if n < 2 else points[:-3]:
                c.call("aten::polygamma", n, torch.tensor([p], dtype=dtype), tolerance=tolerance)
        c.call("aten::polygamma", n, torch.tensor([0.5, 3.0, -1.5], dtype=DOUBLE, requires_grad=True), grads=True, tolerance=1e-9)
        c.call("aten::special_polygamma", n, torch.tensor([1, 4, 0, -2]), tolerance=1.3e-5)
    c.call("aten::polygamma", -1, torch.tensor([1.0]))
    c.call("aten::polygamma_", torch.tensor([1.5]), 2, tolerance=1.3e-5)
    for p in (1, 2, 4):
        c.call("aten::special_multigammaln", torch.tensor([2.5, 3.0, 9.0], dtype=DOUBLE, requires_grad=True), p, grads=True, tolerance=1e-9)
        c.call("aten::mvlgamma_", torch.tensor([2.5, 3.0]), p, tolerance=1.3e-5)
        c.call("aten::mvlgamma.out", torch.tensor([2.5, 3.0]), p, torch.empty(0), tolerance=1.3e-5)
    c.call("aten::mvlgamma", torch.tensor([5, 6]), 2, tolerance=1.3e-5)
    c.call("aten::mvlgamma", torch.tensor([1.0]), 0)


def others(c):
    c.call("aten::frexp.Tensor", torch.tensor([0.0, 1.0, -3.0], requires_grad=True), grads=True)
    c.call("aten::logcumsumexp", torch.tensor([[1e4, 1e4, 5.0], [0.0, 2.0, -INF]], requires_grad=True), 1, grads=True, tolerance=1e-6)
    for x in (0.2, 0.37, 0.9):
        c.call("aten::logit", torch.tensor([x], dtype=torch.bfloat16), tolerance=4e-3)
        c.call("aten::sinc", torch.tensor([x * 9], dtype=torch.bfloat16), tolerance=4e-3)
    for decimals in (0, 2, -1):
        c.call("aten::special_round", torch.tensor([1.2345, 15.0, -25.0]), decimals, tolerance=1e-6)
    c.call("aten::special_logsumexp", torch.tensor([[1.0, 2.0]]), [1], True, tolerance=1e-6)
    c.call("aten::special_logit", torch.tensor([0.1, 0.7]), 0.2, tolerance=1e-6)


def add(c):
    torch.manual_seed(0)
    functions(c)
    polynomials(c)
    pairs(c)
    gammas(c)
    others(c)
