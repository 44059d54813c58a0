# SPDX-License-Identifier: Apache-2.0
"""Unsigned integers above eight bits and floats of eight bits: which operators take them, and how the others refuse. With PyTorch 2.15."""
import torch

UNSIGNED = [torch.uint16, torch.uint32, torch.uint64]
FLOATS = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
SCALE = torch.float8_e8m0fnu
OTHERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64,
          torch.bool]


def add(c):
    def call(op, *args, **more):
        c.call("aten::" + op, *args, refusals=True, **more)

    for dtype in UNSIGNED:
        top = 2 ** min(dtype.itemsize * 8, 62) - 1
        x = torch.tensor([3, 1, 2, top], dtype=torch.int64).to(dtype)
        y = torch.tensor([2, 1, top, 5], dtype=torch.int64).to(dtype)
        add_computed(call, x, y, dtype)
        for name in "logical_and logical_or logical_xor remainder.Tensor fmod.Tensor pow.Tensor_Tensor floor_divide".split():
            call(name, x, y)
        call("bitwise_left_shift.Tensor", x, y)
        for name in "bitwise_and bitwise_or bitwise_xor".split():
            call(name + ".Tensor", x, y)
        for name in "maximum minimum fmax fmin".split():
            call(name, x, y)
        for name in "sqrt exp log reciprocal sigmoid tanh sin floor ceil round trunc isnan isinf signbit relu any all".split():
            call(name, x, tolerance=1e-6)
        for name in "sum prod count_nonzero".split():
            call(name, x)
        call("sum.dim_IntList", x.view(2, 2), [0])
        call("cumsum", x, 0)
        call("sort", x, 0, False)
        call("sort", x.view(2, 2), 1, True)
        call("clamp", x, 2, 3)
        call("clamp", x, 2)
        call("_unique2", y, True, True, True)
        call("gather", x, 0, torch.tensor([3, 0]))
        call("scatter.src", x, 0, torch.tensor([1, 2]), y)
        call("mm", x.view(2, 2), y.view(2, 2))
        call("_to_copy", torch.tensor([-1.0, 2.5, 300.75]), dtype)
        call("_to_copy", torch.tensor([-1, 2, 70000]), dtype)
        call("bitwise_not", x)
        call("masked_fill.Scalar", x, torch.tensor([True, False, True, False]), 1)
        call("arange", 4, dtype)
        call("linspace", 0, 3, 4, dtype)
    for dtype in FLOATS + [SCALE]:
        x = torch.tensor([0.5, -2.0, 1.75, 100.0]).to(dtype)
        y = torch.tensor([1.5, -2.0, 0.25, 3.0]).to(dtype)
        add_computed(call, x, y, dtype)
        for name in "sum prod exp sqrt relu sigmoid floor sort.stable max min argmax flip isfinite isnan".split():
            call(name, x, *((None, 0, False) if name == "sort.stable" else ([0],) if name == "flip" else ()))
        call("any", x)
        call("all", x)
        call("cumsum", x, 0)
        call("mm", x.view(2, 2), y.view(2, 2))
        call("bmm", x.view(1, 2, 2), y.view(1, 2, 2))
        call("gather", x, 0, torch.tensor([3, 0]))
        call("masked_select", x, torch.tensor([True, False, True, False]))
        call("clamp", x, 0.0, 1.0)
        values = torch.tensor([0.0, 1.1, -3.3, 1e-3, 500.0, 1e9, float("inf"), float("-inf"), float("nan")])
        call("_to_copy", values, dtype)
        call("_to_copy", values.double(), dtype)
        call("_to_copy", torch.tensor([-3, 0, 17, 1000]), dtype)
        call("arange", 4, dtype)
    add_promotion(call)
    add_scaled(call)
    add_hashes(call)


def add_computed(call, x, y, dtype):
    for other in OTHERS:
        if not (dtype == SCALE and other.is_complex):
            call("_to_copy", x[:3], other)
    for name in "add sub".split():
        call(name + ".Tensor", x, y)
        call(name + ".Scalar", x, 1)
    for name in "mul div eq ne lt le gt ge".split():
        call(name + ".Tensor", x, y)
    for name in "mul.Scalar div.Scalar eq.Scalar ne.Scalar lt.Scalar".split():
        call(name, x, 2)
    call("eq.Scalar", x, 2.5)
    for name in "neg abs clone nonzero logical_not zeros_like ones_like amax topk tril view_copy.dtype".split():
        more = {"amax": (), "topk": (2,), "view_copy.dtype": (torch.uint8,)}.get(name, ())
        call(name, x.view(2, 2) if name == "tril" else x, *more)
    call("view.dtype", x, torch.uint8)
    call("where.self", torch.tensor([True, False, True, False]), x, y)
    call("cat", [x, y], 0)
    call("index.Tensor", x, [torch.tensor([3, 0])])
    call("index_put", x, [torch.tensor([3, 0])], y[:2])
    call("index_select", x, 0, torch.tensor([1, 1]))
    call("embedding", x.view(2, 2), torch.tensor([1, 0]))
    call("repeat", x, [2])
    call("roll", x, [1], [0])
    call("full", [2], 3, dtype)
    call("zeros", [2], dtype)
    call("fill_.Scalar", x, 2)
    call("copy_", torch.zeros(4), x)
    call("copy_", x, torch.ones(4))
    call("equal", x, x)
    call("transpose.int", x.view(2, 2), 0, 1)


def add_promotion(call):
    u, f = torch.tensor([1, 2]).to(torch.uint16), torch.tensor([1.0, 2.0]).to(torch.float8_e5m2)
    for other in (torch.uint8, torch.int32, torch.int64, torch.uint32, torch.float16, torch.float32, torch.complex64, torch.bool):
        z = torch.tensor([1, 3]).to(other)
        for x in (u, f):
            call("mul.Tensor", x, z)
            call("eq.Tensor", x, z)
            call("mul.Tensor", x, z[0])
    call("add.Tensor", u, torch.ones(2))
    call("mul.Scalar", u, 2.5)


def add_scaled(call):
    torch.manual_seed(5)
    a, b = torch.randn(4, 16), torch.randn(16, 3)
    one, half = torch.tensor(2.0), torch.tensor(0.5)
    for left, right in ((torch.float8_e4m3fn, torch.float8_e4m3fn), (torch.float8_e5m2, torch.float8_e4m3fn), (torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)):
        x, y = a.to(left), b.to(right)
        for out in (None, torch.float32, torch.bfloat16, torch.float8_e5m2):
            call("_scaled_mm", x, y, one, half, None, None, out, tolerance=1e-6)
    x, y = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    rows, columns = torch.rand(4, 1), torch.rand(1, 3)
    call("_scaled_mm", x, y, rows, columns, None, None, torch.float32, tolerance=1e-5)
    call("_scaled_mm", x, y, rows, columns, torch.rand(3), None, torch.float32, tolerance=1e-5)
    call("_scaled_mm", x, y, one, half, torch.rand(3).bfloat16(), None, torch.bfloat16, tolerance=1e-2)
    call("_scaled_mm", x, y, one, half, None, torch.tensor(3.0), torch.float32, tolerance=1e-6)
    call("_scaled_mm", x, y, torch.ones(1), torch.ones(1, 1), None, None, torch.float32, tolerance=1e-6)
    for wrong in ((x, y, rows, half), (x, y, torch.rand(4), torch.rand(3)), (x, y, columns, rows), (x, y, one.double(), half), (a, b, one, half),
                  (x, x, one, half), (x[0], y, one, half)):
        call("_scaled_mm", *wrong, None, None, torch.float32)
    call("_scaled_mm", x, y, one, half, torch.rand(2), None, torch.float32)
    for recipe, scales in ((0, ([one], [half])), (1, ([rows], [columns]))):
        call("_scaled_mm_v2", x, y, scales[0], [recipe], [0], scales[1], [recipe], [0], None, torch.float32, tolerance=1e-5)
    for left, recipe, right, other, swizzle, contraction in (([rows], 0, [half], 0, 0, []), ([one], 1, [columns], 1, 0, []), ([one], 0, [columns], 1, 0, []),
                                                           ([one], 0, [half], 0, 1, []), ([one], 0, [half], 0, 0, [0, 0]), ([rows.t()], 1, [columns], 1, 0, []),
                                                           ([torch.rand(5)], 1, [columns], 1, 0, []), ([one], 9, [half], 9, 0, [])):
        call("_scaled_mm_v2", x, y, left, [recipe], [swizzle], right, [other], [0], None, torch.float32, contraction)
    call("_scaled_mm_v2", a, b, [one], [0], [0], [half], [0], [0], None, torch.float32)


def add_hashes(call):
    for dtype in OTHERS:
        call("hash_tensor", torch.arange(6).reshape(2, 3).to(dtype))
    x = torch.tensor([[1.5, -2.0, 3.25], [0.0, 7.0, -0.5]])
    for dim, keep in (([1], False), ([0], True), ([0, 1], True), ([-1], False), ([5], False), ([0, 0], False)):
        call("hash_tensor", x, dim, keep)
    call("hash_tensor", x, [], False, 1)
    call("hash_tensor", torch.tensor(3.0))
    call("hash_tensor", torch.zeros(0))
    call("hash_tensor", torch.zeros(0, 3), [0])
    call("hash_tensor", torch.zeros(0, 3), [1])
    call("hash_tensor", torch.tensor([-1, 5], dtype=torch.int32))
    call("hash_tensor.out", x, [1], False, 0, torch.empty(0, dtype=torch.uint64))
    call("hash_tensor.out", x, [1], False, 0, torch.empty(0, dtype=torch.int64))
