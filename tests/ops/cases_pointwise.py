# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators: special values, every dtype, promotion, rounding, gradients at kinks, messages."""
import itertools
import math

import torch

INF, NAN = math.inf, math.nan
FLOAT, DOUBLE, HALF, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 88.0, -104.0, 1e-30, INF, -INF, NAN]
DTYPES = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, HALF, BF16, FLOAT, DOUBLE, torch.complex64,
          torch.complex128]
TOLERANCE = {HALF: 1e-3, BF16: 1.6e-2, FLOAT: 1.3e-6, DOUBLE: 1e-7, torch.complex64: 1.3e-6, torch.complex128: 1e-7}


def special(dtype, grad=False):
    return torch.tensor(SPECIAL, dtype=dtype).requires_grad_(grad)


def few(dtype):
    if dtype == torch.bool:
        return torch.tensor([True, False, True])
    if dtype.is_complex:
        return torch.tensor([1 + 2j, -0.5j, -3 + 0.25j], dtype=dtype)
    return torch.tensor([3, 0, 5] if dtype == torch.uint8 else [3, 0, -5], dtype=dtype)


FUNCTIONS = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "square", "sin", "cos", "tan",
             "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sinc", "sigmoid", "erf", "erfc", "erfinv",
             "lgamma", "digamma", "abs", "neg", "sign", "sgn", "floor", "ceil", "round", "trunc", "frac", "isnan", "isinf", "isfinite",
             "isposinf", "isneginf", "signbit", "logical_not", "relu", "silu", "mish", "hardsigmoid", "hardswish", "log_sigmoid", "relu6",
             "selu", "angle"]


def functions(c):
    for name in FUNCTIONS:
        c.call("aten::" + name, special(FLOAT), tolerance=1.3e-6)
        c.call("aten::" + name, special(DOUBLE), tolerance=1e-7)
    for name in ["exp", "sqrt", "abs", "neg", "sigmoid", "tanh", "log"]:
        for dtype in (torch.int32, torch.uint8, torch.bool, HALF, BF16, torch.complex64, torch.complex128):
            if dtype in (HALF,) and name in ("exp", "sqrt", "sigmoid", "tanh", "log"):
                continue  # PyTorch 1.13 has no half of these on the CPU
            if dtype == torch.bool and name in ("neg", "abs"):
                continue
            c.call("aten::" + name, few(dtype), tolerance=TOLERANCE.get(dtype, 1.3e-6))
    for name in ["exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sigmoid", "reciprocal", "asin", "atan", "sinh"]:
        c.call("aten::" + name, torch.tensor([1 + 2j, -0.5j, -3 + 0.25j], dtype=torch.complex128, requires_grad=True), tolerance=1e-7,
               grads=True)


def activations(c):
    points = [-7.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 25.0, INF, -INF, NAN]
    rows = [("gelu", "none"), ("gelu", "tanh"), ("hardtanh",), ("hardtanh", -0.5, 1.0), ("leaky_relu", 0.2), ("elu",), ("elu", 1.5, 0.7, 1.2),
            ("softplus",), ("softplus", 2.0, 5.0), ("softshrink", 0.5), ("hardshrink", 0.5), ("threshold", 0.5, 9.0), ("celu", 1.3), ("relu",),
            ("silu",), ("mish",), ("hardsigmoid",), ("hardswish",), ("log_sigmoid",), ("selu",), ("relu6",)]
    for name, *args in rows:
        c.call("aten::" + name, torch.tensor(points, dtype=FLOAT), *args, tolerance=1.3e-6)
        c.call("aten::" + name, torch.tensor(points[:9], dtype=DOUBLE, requires_grad=True), *args, tolerance=1e-7, grads=True)
    x = torch.tensor([[-1.0, 2.0, -3.0], [4.0, -5.0, 6.0]], requires_grad=True)
    c.call("aten::prelu", x, torch.tensor([0.1, 0.2, 0.3], requires_grad=True), grads=True, tolerance=1e-6)
    c.call("aten::prelu", x, torch.tensor([0.1], requires_grad=True), grads=True, tolerance=1e-6)
    c.call("aten::glu", torch.tensor([[1.0, 2.0, -0.5, 0.25]], requires_grad=True), -1, grads=True, tolerance=1e-6)
    c.call("aten::glu", torch.ones(3), -1)
    c.call("aten::softshrink", torch.ones(2), -1.0)


def promotion(c):
    for a, b in itertools.product(DTYPES, DTYPES):
        x, y = few(a), few(b)
        c.call("aten::add.Tensor", x, y, 1, tolerance=TOLERANCE.get(torch.promote_types(a, b), 0))
        if torch.result_type(x, y[0]) != torch.complex32:  # a type that the engine lacks
            c.call("aten::mul.Tensor", x, y[0], tolerance=TOLERANCE.get(torch.result_type(x, y[0]), 0))
    for a in DTYPES:
        for number in (2, 2.5, 1 + 2j):
            if a == HALF and isinstance(number, complex):
                continue
            c.call("aten::mul.Scalar", few(a), number, tolerance=2e-2 if a in (HALF, BF16) else 1e-6)
            c.call("aten::eq.Scalar", few(a), number)
    for name in ("div.Tensor", "pow.Tensor_Tensor", "maximum", "atan2", "lt.Tensor", "logical_and", "bitwise_and.Tensor", "fmod.Tensor"):
        for a, b in ((torch.int32, torch.uint8), (torch.int64, FLOAT), (BF16, torch.int8), (torch.bool, torch.int16), (FLOAT, DOUBLE)):
            if name.startswith("bitwise") and (a.is_floating_point or b.is_floating_point):
                continue
            y = few(b).abs() + 1 if b != torch.bool else few(b)
            c.call("aten::" + name, few(a).abs() if a not in (torch.bool, torch.uint8) else few(a), y, tolerance=2e-2 if BF16 in (a, b) else 1.3e-6)


def division(c):
    numbers = [-7, -6, -1, 0, 1, 6, 7]
    pairs = [(a, b) for a in numbers for b in numbers if b != 0]
    for dtype in (torch.int8, torch.int64, FLOAT):
        a = torch.tensor([p[0] for p in pairs], dtype=dtype)
        b = torch.tensor([p[1] for p in pairs], dtype=dtype)
        for name, args in (("div.Tensor_mode", ("floor",)), ("div.Tensor_mode", ("trunc",)), ("remainder.Tensor", ()), ("fmod.Tensor", ()),
                           ("div.Tensor", ())):
            c.call("aten::" + name, a, b, *args, tolerance=1e-6)
    odd = torch.tensor([5.3, -5.3, 0.0, -0.0, INF, -INF, NAN, 1.0])
    for divisor in (0.7, -0.7, 0.0, INF, -INF, NAN):
        for name in ("remainder.Scalar", "fmod.Scalar", "div.Scalar", "floor_divide.Scalar"):
            c.call("aten::" + name, odd, divisor, tolerance=1.3e-6)
    for name in ("remainder.Scalar", "fmod.Scalar", "floor_divide.Scalar"):
        c.call("aten::" + name, torch.tensor([1, 2]), 0)
    c.call("aten::div.Tensor_mode", torch.ones(2), torch.ones(2), "up")


def binary(c):
    values = [-INF, -1.5, -0.0, 0.0, 2.0, INF, NAN]
    a = torch.tensor([x for x in values for _ in values])
    b = torch.tensor([y for _ in values for y in values])
    for name in ("maximum", "minimum", "fmax", "fmin", "pow.Tensor_Tensor", "atan2", "hypot", "copysign.Tensor", "xlogy.Tensor", "logaddexp",
                 "logaddexp2", "heaviside", "nextafter", "eq.Tensor", "lt.Tensor", "ge.Tensor", "logical_xor", "mul.Tensor", "div.Tensor"):
        c.call("aten::" + name, a, b, tolerance=1.3e-6)
    ints, others = torch.tensor([12, -12, 7, 0, 255]), torch.tensor([8, 3, -2, 5, 4])
    for name in ("gcd", "lcm", "bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor", "bitwise_left_shift.Tensor",
                 "bitwise_right_shift.Tensor"):
        shift = "shift" in name
        c.call("aten::" + name, ints, others.abs() if shift else others)
        c.call("aten::" + name, ints.to(torch.int16), (others.abs() if shift else others).to(torch.int16))
    c.call("aten::bitwise_not", torch.tensor([True, False]))
    c.call("aten::bitwise_not", torch.tensor([5, 0, 255], dtype=torch.uint8))
    for exponent in (2, 3, 0.5, -1, -0.5, 0, 1, 2.5):
        c.call("aten::pow.Tensor_Scalar", torch.tensor([0.5, 2.0, 3.0], requires_grad=True), exponent, grads=True, tolerance=1.3e-6)
    c.call("aten::pow.Tensor_Scalar", torch.tensor([2, -3]), 3)
    c.call("aten::pow.Tensor_Scalar", torch.tensor([2, -3]), -1)
    c.call("aten::pow.Tensor_Tensor", torch.tensor([2, -1, 1, 3]), torch.tensor([-1, -3, -2, 4]))
    c.call("aten::pow.Scalar", 2.0, torch.tensor([0.5, -1.0, 3.0], requires_grad=True), grads=True, tolerance=1.3e-6)
    same = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    c.call("aten::maximum", *same, grads=True)
    c.call("aten::minimum", *same, grads=True)
    c.call("aten::mul.Tensor", torch.ones(2, 3, requires_grad=True), torch.arange(3.0).requires_grad_(), grads=True)
    c.call("aten::sub.Tensor", torch.ones(2, 1, requires_grad=True), torch.arange(3.0).requires_grad_(), 2, grads=True)
    c.call("aten::add.Tensor", torch.ones(2, 3), torch.ones(4), 1)
    c.call("aten::add.Tensor", torch.tensor([1]), torch.tensor([2]), 1.5)
    c.call("aten::sub.Tensor", torch.tensor([True]), torch.tensor([True]), 1)
    c.call("aten::neg", torch.tensor([True]))
    c.call("aten::add_.Tensor", torch.tensor([1]), torch.tensor([1.5]), 1)
    c.call("aten::mul_.Tensor", torch.ones(2), torch.ones(3, 2))


def choosing(c):
    x = torch.tensor([-2.0, -0.5, 0.0, 0.5, 2.0, NAN])
    for low, high in ((-1, 1), (None, 0.5), (0, None), (1, -1), (NAN, 1)):
        c.call("aten::clamp", x, low, high)
    c.call("aten::clamp", x, None, None)
    c.call("aten::clamp", torch.tensor([1, 5, 9]), 2, 7)
    c.call("aten::clamp", torch.tensor([1, 5, 9]), 2.5, 7)
    c.call("aten::clamp", torch.tensor([-1.0, 0.0, 1.0, 2.0], requires_grad=True), -1, 1, grads=True)
    c.call("aten::clamp.Tensor", torch.tensor([1.0, 5.0, 9.0]), torch.tensor([2.0, 2.0, 10.0]), torch.tensor([4.0]))
    condition = torch.tensor([[True], [False]])
    c.call("aten::where.self", condition, torch.tensor([1.0, 2.0]), torch.tensor([3, 4]))
    c.call("aten::where.self", torch.tensor([1.0]), x, x)
    c.call("aten::masked_fill.Scalar", torch.arange(4.0).requires_grad_(), torch.tensor([True, False, True, False]), 7, grads=True)
    c.call("aten::masked_fill.Scalar", torch.arange(2), condition, 7)
    c.call("aten::masked_fill.Tensor", torch.arange(2.0), condition, torch.tensor([1.0]))
    a, b = torch.tensor([0.0, 1.0, 2.0], requires_grad=True), torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
    c.call("aten::lerp.Scalar", a, b, 0.25, grads=True, tolerance=1e-6)
    c.call("aten::lerp.Tensor", a, b, torch.tensor([0.0, 0.5, 1.0], requires_grad=True), grads=True, tolerance=1e-6)
    c.call("aten::addcmul", a, b, b, 0.5, grads=True, tolerance=1e-6)
    c.call("aten::addcdiv", a, b, b, 0.5, grads=True, tolerance=1e-6)
    c.call("aten::nan_to_num", special(FLOAT), None, None, None)
    c.call("aten::nan_to_num", special(FLOAT), 1.0, 2.0, -3.0)
    c.call("aten::logit", torch.tensor([0.0, 0.25, 1.0]), None, tolerance=1e-6)
    c.call("aten::logit", torch.tensor([0.0, 0.25, 1.0]), 0.1, tolerance=1e-6)


def conversions(c):
    numbers = torch.tensor([0.0, 1.5, -1.5, 2.5, 65504.0, 1e-8, 300.0])
    for dtype in (HALF, BF16, DOUBLE, torch.int32, torch.int64, torch.bool, torch.complex64):
        c.call("aten::_to_copy", numbers, dtype, None, None, None, False, None)
    c.call("aten::_to_copy", torch.tensor([1e5, 1e-8, INF, NAN]), HALF, None, None, None, False, None)
    c.call("aten::_to_copy", torch.tensor([200, -1, 300]), torch.uint8, None, None, None, False, None)
    c.call("aten::copy_", torch.zeros(2, 3), torch.arange(3))
    c.call("aten::fill_.Scalar", torch.zeros(2, dtype=torch.int8), 3)
    c.call("aten::complex", torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    c.call("aten::polar", torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0]), tolerance=1e-6)
    c.call("aten::real", torch.tensor([1 + 2j]))
    c.call("aten::imag", torch.tensor([1 + 2j]))
    c.call("aten::imag", torch.ones(1))


def add(c):
    for part in (functions, activations, promotion, division, binary, choosing, conversions):
        part(c)
