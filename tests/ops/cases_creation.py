# SPDX-License-Identifier: Apache-2.0
"""Tensors made from numbers, and random numbers for seeds."""
import torch


def options(dtype=None):
    return (dtype, None, None, None)


def add(c):
    for args in ((5,), (2.5,), (0,)):
        c.call("aten::arange", *args, *options())
    c.call("aten::arange", 5, *options(torch.float64))
    for args in ((1, 5), (1.0, 3.5), (5, 1), (-2, 2)):
        c.call("aten::arange.start", *args, *options())
    for args in ((0, 10, 3), (10, 0, -4), (0.0, 1.0, 0.1), (0, 1, 0), (0, 5, -1), (1.0, 2.0, 0.3)):
        c.call("aten::arange.start_step", *args, *options(), tolerance=1e-7)
    c.call("aten::arange.start_step", 0, 7, 2, *options(torch.float16))
    for args in ((0, 1, 5), (-1.0, 1.0, 4), (3, 3, 3), (0, 1, 1), (0, 1, 0), (0, 1, -1), (10, 0, 7)):
        c.call("aten::linspace", *args, *options(), tolerance=1e-6)
    c.call("aten::linspace", 0, 10, 4, *options(torch.int64))
    c.call("aten::logspace", 0, 2, 3, 10.0, *options(), tolerance=1e-6)
    c.call("aten::eye", 3, *options())
    c.call("aten::eye.m", 2, 3, *options(torch.int32))
    for value in (2, 2.5):
        c.call("aten::full", [2, 2], value, *options())
    c.call("aten::full", [2], 2.7, *options(torch.int64))
    c.call("aten::zeros", [2, 0], *options())
    c.call("aten::zeros", [-1], *options())
    c.call("aten::ones", [], *options(torch.bool))
    c.call("aten::full_like", torch.zeros(2, dtype=torch.int8), 3, *options(), None)
    c.call("aten::new_full", torch.zeros(1, dtype=torch.float64), [2], 3, *options())
    c.call("aten::scalar_tensor", 3, *options())
    for diagonal in (-1, 0, 1, 5):
        c.call("aten::tril", torch.ones(3, 4, requires_grad=True), diagonal, grads=True)
        c.call("aten::triu", torch.ones(2, 4, 3), diagonal)
        c.call("aten::tril_indices", 3, 4, diagonal, *options(torch.int64))
        c.call("aten::triu_indices", 3, 4, diagonal, *options(torch.int64))
    c.call("aten::one_hot", torch.tensor([0, 2, 1]), -1)
    c.call("aten::one_hot", torch.tensor([[0], [2]]), 4)
    c.call("aten::one_hot", torch.tensor([3]), 2)
    c.call("aten::one_hot", torch.tensor([1.0]), 2)

    def seeded(seed, op, *args, tolerance=0.0):
        c.call("aten::manual_seed", seed, want=())
        torch.manual_seed(seed)
        c.call(op, *args, tolerance=tolerance)

    for seed in (0, 42, 2**40 + 7):
        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            seeded(seed, "aten::rand", [3, 2], *options(dtype))
            seeded(seed, "aten::randn", [5], *options(dtype), tolerance=1e-6)
            seeded(seed, "aten::randn", [19], *options(dtype), tolerance=1e-2 if dtype == torch.bfloat16 else 2e-6)
        seeded(seed, "aten::randint", 100, [7], *options(torch.int64))
        seeded(seed, "aten::randint.low", -5, 5, [7], *options(torch.int64))
        seeded(seed, "aten::randint.low", 0, 2**40, [3], *options(torch.int64))
        seeded(seed, "aten::randperm", 12, *options(torch.int64))
        seeded(seed, "aten::bernoulli.p", torch.zeros(12), 0.3)
        seeded(seed, "aten::bernoulli", torch.full((12,), 0.4))
        seeded(seed, "aten::bernoulli", torch.full((12,), 0.4, dtype=torch.float64))
        seeded(seed, "aten::dropout", torch.ones(12), 0.25, True)
        # In row-major order, whatever the layout.
        seeded(seed, "aten::dropout", torch.ones(3, 4).t(), 0.25, True)
        seeded(seed, "aten::feature_dropout", torch.ones(2, 5, 2), 0.5, True)
        seeded(seed, "aten::alpha_dropout", torch.ones(12), 0.25, True, tolerance=1e-6)
        seeded(seed, "aten::uniform_", torch.zeros(5), -2.0, 3.0)
        seeded(seed, "aten::uniform_", torch.zeros(3, 4).t(), -2.0, 3.0)
        seeded(seed, "aten::exponential_", torch.zeros(5), 2.0, tolerance=1e-6)
        seeded(seed, "aten::geometric_", torch.zeros(5), 0.3)
        seeded(seed, "aten::random_", torch.zeros(4, dtype=torch.int32))
        seeded(seed, "aten::random_", torch.zeros(4))
        seeded(seed, "aten::multinomial", torch.tensor([0.1, 0.5, 0.4]), 6, True)
        seeded(seed, "aten::multinomial", torch.tensor([0.1, 0.5, 0.4]), 1, False)
    seeded(1, "aten::normal.float_float", 2.0, 3.0, [4], None, None, None, None, None, tolerance=1e-6)
    c.call("aten::dropout", torch.ones(2), 1.5, True)
    c.call("aten::dropout", torch.ones(2), 0.5, False)
    c.call("aten::bernoulli.p", torch.ones(2), 2.0)
