#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases of PyTorch's operator database as exported programs, as exported_ops has them, with another seed.

    make_exported_cases.py FOLDER --seed 7 [--only NAME] [--dtypes float32,int64] [--per-dtype 3] [--part 0/2]
    build/bin/conformance FOLDER --all

Needs PyTorch 2.15 and expecttest. Each operator runs in a process of its own; what cannot be exported is left out.
"""
import argparse
import io
import json
import logging
import os
import pathlib
import random
import signal
import sys
import warnings
import zipfile

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

STORED_AS = {torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
GREATEST_INPUT = 20000
SECONDS_PER_OPERATOR = 240


def array(tensor):
    tensor = tensor.detach().resolve_conj().resolve_neg()
    return tensor.to(STORED_AS.get(tensor.dtype, tensor.dtype)).contiguous().numpy().copy()


def npz(arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def is_strided(leaf):
    return leaf.layout == torch.strided and not leaf.is_nested and type(leaf) in (torch.Tensor, torch.nn.Parameter)


class Case:
    def __init__(self, op, sample):
        self.leaves, self.spec = tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
        self.places = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, torch.Tensor)]
        self.op = op

    def tensors(self):
        return [self.leaves[i] for i in self.places]

    def call(self, *tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        given, arguments, named = tree_unflatten(leaves, self.spec)
        return self.op(given, *arguments, **named)

    def is_storable(self):
        tensors = self.tensors()
        return bool(tensors) and all(is_strided(t) for t in tensors) and sum(t.numel() for t in tensors) <= GREATEST_INPUT


def fresh(tensor, with_gradient=False):
    return tensor.detach().clone().requires_grad_(with_gradient)


def tensors_of(value):
    return [leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, torch.Tensor)]


def write_case(case, dtype, with_gradient):
    """The files of one case, or None for one that has no tensor to compare."""
    tensors = case.tensors()
    inputs = {f"arg{i}": array(t) for i, t in enumerate(tensors)}
    differentiable = [with_gradient and t.requires_grad for t in tensors]

    class M(torch.nn.Module):
        def forward(self, *ts):
            return case.call(*ts)

    torch.manual_seed(0)
    program = torch.export.export(M(), tuple(fresh(t) for t in tensors), strict=False)
    torch.manual_seed(0)
    leaves = [fresh(t, wants) for t, wants in zip(tensors, differentiable)]
    # In-place operators take no leaves.
    given = [t.clone() if wants else t for t, wants in zip(leaves, differentiable)]
    outputs = tensors_of(case.call(*given))
    if not outputs or not all(is_strided(t) for t in outputs):
        return None
    expected = {f"out{i}": array(t) for i, t in enumerate(outputs)}
    roots, cotangents = [], []
    for i, out in enumerate(outputs):
        if out.requires_grad and out.numel():
            cotangent = torch.randn(out.shape, dtype=out.dtype)
            inputs[f"cot{i}"] = array(cotangent)
            roots.append(out)
            cotangents.append(cotangent)
    names = []
    if roots:
        torch.autograd.backward(roots, cotangents)
        for i, leaf in enumerate(leaves):
            if leaf.grad is not None and leaf.grad.layout == torch.strided:
                expected[f"grad{i}"] = array(leaf.grad)
                names.append(f"grad{i}")
    file = io.BytesIO()
    torch.export.save(program, file)
    entry = {"dtype": str(dtype).removeprefix("torch."), "dtypes_in": [str(t.dtype).removeprefix("torch.") for t in tensors],
             "outs": len(outputs), "grads": names}
    return entry, file.getvalue(), npz(inputs), npz(expected)


def write_operator(op, name, path, options):
    index, written = [], 0
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for dtype in (getattr(torch, text) for text in options.dtypes.split(",")):
            if dtype not in op.supported_dtypes("cpu"):
                continue
            with_gradient = dtype.is_floating_point and dtype not in (torch.bfloat16, torch.float16) and op.supports_autograd
            torch.manual_seed(options.seed)
            np.random.seed(options.seed)
            random.seed(options.seed)
            try:
                samples = [Case(op, s) for s in op.sample_inputs("cpu", dtype, requires_grad=with_gradient)]
            except Exception as error:
                print(f"{name} {dtype}: no samples: {str(error)[:100]!r}", file=sys.stderr)
                continue
            samples = [case for case in samples if case.is_storable()]
            random.shuffle(samples)
            count = options.per_dtype * (2 if dtype == torch.float32 else 1)
            for case in samples[:count]:
                try:
                    files = write_case(case, dtype, with_gradient)
                except Exception as error:
                    print(f"{name} {dtype}: {type(error).__name__} {str(error)[:100]!r}", file=sys.stderr)
                    continue
                if files is None:
                    continue
                entry, program, inputs, outputs = files
                index.append({"k": written, **entry})
                for ending, data in (("pt2", program), ("in.npz", inputs), ("out.npz", outputs)):
                    archive.writestr(f"{written}.{ending}", data)
                written += 1
        archive.writestr("index.json", json.dumps(index))
    if not index:
        path.unlink()


def in_child(function, *arguments):
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS_PER_OPERATOR)
        function(*arguments)
        sys.stderr.flush()
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--dtypes", default="float32,int64,bfloat16,complex64,bool")
    parser.add_argument("--per-dtype", type=int, default=3)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--like", type=pathlib.Path, help="only operators that have a zip in this folder")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    part, parts = map(int, options.part.split("/"))
    for i, op in enumerate(op_db):
        name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        path = options.folder / f"{name}.zip"
        if i % parts != part or path.exists() or (options.only and options.only != name):
            continue
        if options.like and not (options.like / f"{name}.zip").exists():
            continue
        if not in_child(write_operator, op, name, path, options):
            print(f"{name}: ended", file=sys.stderr)
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
