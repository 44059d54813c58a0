# SPDX-License-Identifier: Apache-2.0
"""Which subgradient is taken at kinks and ties, and which gradients stay undefined."""
import torch

INF = float("inf")


def t(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def z(*values):
    return torch.tensor(values, dtype=torch.complex128, requires_grad=True)


TIED = [[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]]


def extrema(c):
    for op in ("max", "min", "amax", "amin", "median", "nanmedian"):
        if op.startswith("a"):
            c.call(f"aten::{op}", t(*TIED), [], False, grads=True)
            c.call(f"aten::{op}", t(*TIED), [1], False, grads=True)
            c.call(f"aten::{op}", t(*TIED), [0], True, grads=True)
        else:
            c.call(f"aten::{op}", t(*TIED), grads=True)
            for dim in (0, 1):
                c.call(f"aten::{op}.dim", t(*TIED), dim, False, grads=True)
    c.call("aten::max", t(1.0, float("nan"), float("nan")), grads=True)
    c.call("aten::median", t(2.0, 2.0, 1.0, 2.0), grads=True)
    c.call("aten::mode", t(*TIED), 1, False, grads=True)
    c.call("aten::kthvalue", t(*TIED), 2, 1, False, grads=True)
    for op in ("maximum", "minimum", "fmax", "fmin"):
        c.call(f"aten::{op}", t(1.0, 2.0, 3.0, float("nan"), 1.0), t(1.0, 1.0, 4.0, 1.0, float("nan")), grads=True)
    for op in ("cummax", "cummin"):
        c.call(f"aten::{op}", t(2.0, 2.0, 1.0, 3.0, 3.0), 0, grads=True)
    for op in ("sort", "topk", "msort"):
        args = {"sort": (1, False), "topk": (2, 1, True, True), "msort": ()}[op]
        c.call(f"aten::{op}", t(*TIED), *args, grads=True)
    c.call("aten::sort.stable", t(3.0, 1.0, 3.0, 1.0, 2.0), True, 0, True, grads=True)
    c.call("aten::logsumexp", t(-INF, -INF, 1.0), [0], False, grads=True)
    c.call("aten::std.correction", t(2.0, 2.0, 2.0), None, 1, False, grads=True)
    for op in ("max_pool1d", "max_pool2d"):
        x = torch.tensor([[[1.0, 3.0, 3.0, 3.0]]], dtype=torch.float64)
        x = x if op == "max_pool1d" else x[None]
        kernel = [2] if op == "max_pool1d" else [1, 2]
        c.call(f"aten::{op}", x.requires_grad_(), kernel, [1] * len(kernel), grads=True)
    c.call("aten::adaptive_max_pool1d", torch.tensor([[[2.0, 2.0, 1.0, 1.0]]], dtype=torch.float64, requires_grad=True), [2], grads=True)


def kinks(c):
    at = (-2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0)
    for op in ("abs", "relu", "relu6", "sgn", "sign", "sqrt", "rsqrt", "log", "log1p", "reciprocal", "acos", "asin", "atanh", "acosh", "hardswish",
               "hardsigmoid", "hardtanh", "selu", "celu", "elu", "leaky_relu", "softplus", "softshrink", "hardshrink", "round", "floor", "ceil",
               "trunc", "frac", "digamma", "lgamma", "erfinv", "square", "logit", "silu", "mish", "log_sigmoid", "nan_to_num", "positive",
               "special_entr", "sinc", "i0", "special_i0e", "special_i1", "special_i1e", "special_ndtri", "special_log_ndtr", "xlog1py", "rad2deg", "angle"):
        try:
            torch._C._get_schema(f"aten::{op}", "")
        except RuntimeError:
            continue
        c.call(f"aten::{op}", t(*at), grads=True)
    for bounds in ((-1.0, 1.0), (None, 0.5), (0.5, None), (1.0, -1.0)):
        c.call("aten::clamp", t(*at), *bounds, grads=True)
        c.call("aten::clamp.Tensor", t(*at), *(None if b is None else t(b) for b in bounds), grads=True)
        c.call("aten::hardtanh", t(*at), -1.0, 1.0, grads=True)
    c.call("aten::clamp_min", t(*at), 0.5, grads=True)
    c.call("aten::clamp_max", t(*at), 0.5, grads=True)
    c.call("aten::clamp_min.Tensor", t(*at), t(0.5), grads=True)
    c.call("aten::clamp_max.Tensor", t(*at), t(0.5), grads=True)
    c.call("aten::threshold", t(*at), 0.5, 7.0, grads=True)
    c.call("aten::prelu", t(*at), t(0.25), grads=True)
    for exponent in (0, 0.0, 0.5, 1.0, 2.0, -1.0, 3):
        c.call("aten::pow.Tensor_Scalar", t(*at), exponent, grads=True)
        c.call("aten::pow.Scalar", exponent, t(*at), grads=True)
    c.call("aten::pow.Tensor_Tensor", t(0.0, 0.0, 0.0, 2.0, -2.0, 1.0), t(0.0, 1.0, 2.0, 0.0, 3.0, INF), grads=True)
    c.call("aten::pow.Tensor_Tensor", z(0, 0, 1 + 1j), z(0, 2, 0), grads=True)
    c.call("aten::xlogy.Tensor", t(0.0, 0.0, 1.0, 2.0), t(0.0, 1.0, 0.0, 2.0), grads=True)
    c.call("aten::special_xlog1py", t(0.0, 0.0, 1.0), t(-1.0, 1.0, 0.0), grads=True)
    c.call("aten::atan2", t(0.0, 0.0, 1.0), t(0.0, 1.0, 0.0), grads=True)
    c.call("aten::hypot", t(0.0, 3.0), t(0.0, 4.0), grads=True)
    c.call("aten::copysign.Tensor", t(0.0, -1.0, 2.0), t(-1.0, 0.0, -0.0), grads=True)
    c.call("aten::fmod.Tensor", t(4.0, -4.0), t(2.0, 2.0), grads=True)
    c.call("aten::remainder.Tensor", t(4.0, -4.0), t(2.0, 2.0), grads=True)
    c.call("aten::dist", t(1.0, 2.0), t(1.0, 2.0), 2, grads=True)
    for x in (z(0, 1 + 1j, -2j), z(0j, -1, 1)):
        for op in ("abs", "angle", "sgn", "square"):
            c.call(f"aten::{op}", x.detach().requires_grad_(), grads=True)


def zeros(c):
    for p in (0, 0.5, 1, 1.5, 2, 2.5, 3, INF, -INF, -1):
        for x in (t(0.0, 0.0, 0.0), t(0.0, 3.0, -4.0), t([0.0, 0.0], [1.0, -1.0])):
            c.call("aten::linalg_vector_norm", x, p, [-1], grads=True)
            c.call("aten::norm.ScalarOpt_dim", x.detach().requires_grad_(), p, [-1], grads=True)
        c.call("aten::dist", t(1.0, 2.0), t(1.0, 2.0), p, grads=True)
        if p not in (-1, -INF):
            c.call("aten::cdist", t([0.0, 1.0], [1.0, 1.0]), t([0.0, 1.0], [2.0, 2.0]), float(p), grads=True)
    c.call("aten::linalg_norm", t([0.0, 0.0], [0.0, 0.0]), None, grads=True)
    for x in ((0.0, 2.0, 3.0), (0.0, 0.0, 3.0), (0.0, 0.0, 0.0), (1.0, 2.0, 3.0)):
        c.call("aten::prod", t(*x), grads=True)
        c.call("aten::prod.dim_int", t(x, (1.0, 0.0, 2.0)), 1, False, grads=True)
        c.call("aten::cumprod", t(*x), 0, grads=True)
    c.call("aten::var.correction", t(2.0, 2.0), None, 1, False, grads=True)
    c.call("aten::cosine_similarity", t([0.0, 0.0], [1.0, 2.0]), t([1.0, 2.0], [0.0, 0.0]), grads=True)
    c.call("aten::pairwise_distance", t([1.0, 2.0]), t([1.0, 2.0]), 2.0, 0.0, False, grads=True)
    for reduction in (0, 1):
        c.call("aten::l1_loss", t(1.0, 2.0, 3.0), t(1.0, 3.0, 2.0), reduction, grads=True)
        c.call("aten::smooth_l1_loss", t(1.0, 2.0, 3.0), t(1.0, 3.0, 2.0), reduction, 1.0, grads=True)
        c.call("aten::huber_loss", t(1.0, 2.0, 3.0), t(1.0, 3.0, 2.0), reduction, 1.0, grads=True)
        c.call("aten::margin_ranking_loss", t(1.0, 2.0), t(1.0, 1.0), torch.tensor([1.0, -1.0], dtype=torch.float64), 1.0, reduction, grads=True)
        c.call("aten::hinge_embedding_loss", t(1.0, 2.0), torch.tensor([-1.0, 1.0], dtype=torch.float64), 1.0, reduction, grads=True)
        c.call("aten::binary_cross_entropy", t(0.0, 1.0, 0.5), torch.tensor([1.0, 0.0, 0.5], dtype=torch.float64), None, reduction, grads=True)
    c.call("aten::kl_div", t(-1.0, 0.0), torch.tensor([0.0, 1.0], dtype=torch.float64), 0, False, grads=True)
    c.call("aten::where.self", torch.tensor([True, False]), t(1.0, 2.0), t(3.0, 4.0), grads=True)
    c.call("aten::masked_fill.Scalar", t(INF, 1.0), torch.tensor([True, False]), 0.0, grads=True)
    c.call("aten::scatter_reduce.two", t(1.0, 2.0, 2.0), 0, torch.tensor([0, 0, 1, 2]), t(1.0, 1.0, 5.0, 2.0), "amax", grads=True)
    c.call("aten::scatter_reduce.two", t(1.0, 2.0, 2.0), 0, torch.tensor([0, 0, 1, 2]), t(0.0, 0.0, 5.0, 2.0), "prod", grads=True)


def undefined(c):
    """Arguments that get no gradient at all."""
    c.call("aten::linalg_vector_norm", t(1.0, 2.0), 0, None, grads=True)
    c.call("aten::heaviside", t(1.0), t(1.0))
    c.call("aten::gather", t(1.0, 2.0), 0, torch.tensor([1]), grads=True)
    c.call("aten::index_put", t(1.0, 2.0), [torch.tensor([1])], t(3.0), False, grads=True)
    c.call("aten::lerp.Tensor", t(1.0), t(2.0), t(0.5), grads=True)
    c.call("aten::native_layer_norm", t([1.0, 2.0, 4.0]), [3], None, None, 1e-5, grads=True)
    c.call("aten::linear", t([1.0, 2.0]), t([1.0, 2.0]), None, grads=True)
    c.call("aten::embedding", t([1.0, 2.0], [3.0, 4.0]), torch.tensor([0, 0]), 0, grads=True)


class Near:
    """Results to twelve digits: it is the gradients that are asked for."""

    def __init__(self, cases):
        self.cases = cases

    def call(self, *args, **named):
        self.cases.call(*args, tolerance=1e-12, **named)


def add(c):
    c = Near(c)
    extrema(c)
    kinks(c)
    zeros(c)
    undefined(c)
