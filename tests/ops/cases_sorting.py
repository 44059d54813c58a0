# SPDX-License-Identifier: Apache-2.0
"""Sorting, and what is found by order."""
import torch

NAN = float("nan")


def mixed(grad=True):
    return torch.tensor([[3.0, 1.0, NAN, -2.0, 1.0], [0.5, float("inf"), 2.0, -float("inf"), 0.0]]).requires_grad_(grad)


def plain(grad=True):
    return torch.tensor([[3.0, 1.0, 4.0, -2.0, 1.5], [0.5, 7.0, 2.0, -8.0, 0.0]]).requires_grad_(grad)


INTEGERS = torch.tensor([[3, 1, 3, 2], [2, 2, 1, 3], [3, 1, 3, 2]])


def call(c, op, *args, **more):
    c.call("aten::" + op, *args, grads=more.pop("grads", True), tolerance=1e-6, **more)


def sorts(c):
    for d in (-1, 0):
        for descending in (False, True):
            call(c, "sort", mixed(), d, descending)
            call(c, "sort.stable", INTEGERS, True, d, descending, grads=False)
            call(c, "argsort", plain(), d, descending, grads=False)
    call(c, "sort", torch.tensor(2.0), 0, False, grads=False)
    call(c, "sort", torch.tensor([True, False, True]), 0, True, grads=False)
    call(c, "sort", INTEGERS.to(torch.uint8).t(), 0, False, grads=False)
    call(c, "sort", plain(), 2, False)
    call(c, "msort", plain())
    many = torch.ones(100, dtype=torch.long)
    many[50] = 0
    for descending in (False, True):
        call(c, "sort", many, 0, descending, grads=False)
        call(c, "sort.stable", many, True, 0, descending, grads=False)
    for k, largest in ((2, True), (3, False), (0, True), (6, True)):
        call(c, "topk", plain(), k, -1, largest, True)
    call(c, "topk", mixed(), 3, -1, True, True)
    call(c, "topk", plain(), 1, 0, False, True)
    call(c, "topk", torch.arange(300.0).flip(0).reshape(1, 300), 2, -1, True, True, grads=False)


def selections(c):
    for args in ((1, -1, False), (3, 1, True), (2, 0, False), (6, 1, False)):
        call(c, "kthvalue", plain(), *args)
    torch.manual_seed(1)
    for n in (2, 3, 4, 5, 8, 20, 50):
        call(c, "kthvalue", torch.randint(0, max(2, n // 3), (3, n)), (n + 1) // 2, 1, False, grads=False)
        call(c, "median.dim", torch.randint(0, max(2, n // 3), (3, n)), 1, False, grads=False)
        call(c, "topk", torch.randint(0, max(2, n // 3), (3, n)), (n + 1) // 2, 1, True, True, grads=False)
        call(c, "mode", torch.randint(0, max(2, n // 3), (3, n)), 1, False, grads=False)
    for op in ("median", "nanmedian"):
        call(c, op, plain())
        call(c, op, mixed(False), grads=False)
        call(c, op + ".dim", mixed(), 1, False)
        call(c, op + ".dim", plain(), 0, True)
        call(c, op + ".dim", INTEGERS, 1, False, grads=False)
    call(c, "median", torch.zeros(0), grads=False)
    call(c, "mode", torch.tensor([[1.0, 2.0, 2.0, 3.0, 3.0], [5.0, 4.0, 5.0, 4.0, 4.0]]), 1, False, grads=False)
    call(c, "mode", plain(), 1, True)
    call(c, "value_selecting_reduction_backward", torch.tensor([1.0, 2.0]).requires_grad_(), 1, torch.tensor([2, 0]), [2, 3], False)


def uniques(c):
    for inverse in (False, True):
        for counts in (False, True):
            call(c, "_unique2", INTEGERS, True, inverse, counts, grads=False)
            call(c, "unique_consecutive", torch.tensor([1, 1, 2, 2, 3, 1, 1]), inverse, counts, grads=False)
    call(c, "_unique", INTEGERS, True, True, grads=False)
    call(c, "unique_dim", INTEGERS, 0, True, True, True, grads=False)
    call(c, "unique_dim", INTEGERS, 1, True, True, True, grads=False)
    call(c, "unique_consecutive", torch.tensor([[1, 2], [1, 2], [3, 4]]), True, True, 0, grads=False)
    call(c, "unique_dim_consecutive", INTEGERS, 0, True, True, grads=False)
    call(c, "isin.Tensor_Tensor", INTEGERS, torch.tensor([1, 3, 9]), grads=False)
    call(c, "isin.Tensor_Tensor", INTEGERS, torch.tensor([1, 3, 9]), False, True, grads=False)
    call(c, "isin.Tensor_Scalar", INTEGERS, 2, grads=False)
    call(c, "isin.Scalar_Tensor", 2, INTEGERS, grads=False)


def add(c):
    for part in (sorts, selections, uniques):
        part(c)
