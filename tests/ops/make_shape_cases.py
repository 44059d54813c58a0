#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cases/*.json: calls of operators and what PyTorch answers. Run with a Python that has torch 1.13. What
aten::index says of indices of other types is PyTorch 2.15's: int32 is one that it takes."""
import json
import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))


DTYPES = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
          torch.float64: 7, torch.complex32: 8, torch.complex64: 9, torch.complex128: 10, torch.bool: 11, torch.bfloat16: 15}
RARE_DTYPES = {"float8_e5m2": 23, "float8_e4m3fn": 24, "float8_e5m2fnuz": 25, "float8_e4m3fnuz": 26, "uint16": 27, "uint32": 28, "uint64": 29,
               "float8_e8m0fnu": 44}
DTYPES.update({getattr(torch, name): number for name, number in RARE_DTYPES.items() if hasattr(torch, name)})


def real(x):
    plain = x == x and abs(x) != float("inf") and str(x) != "-0.0"
    return x if plain else str(x)


def element_text(x):
    return {int: "int", float: "float", bool: "bool", str: "str", complex: "complex", torch.Tensor: "Tensor",
            tuple: "Any", list: "Any", dict: "Any", type(None): "Any"}[type(x)]


def list_text(values):
    kinds = {element_text(v) for v in values if v is not None}
    if any(v is None for v in values) and kinds == {"Tensor"}:
        return "Tensor?"
    return kinds.pop() if len(kinds) == 1 else "int" if not kinds else "Any"


def encode_tensor(t):
    out = {"t": str(t.dtype)[6:], "s": list(t.shape)}
    if not t.is_contiguous():
        out["st"] = list(t.stride())
    if t._is_zerotensor():  # zeros without storage, as some derivatives give
        t = torch.zeros(t.shape, dtype=t.dtype)
    values = t.detach().resolve_conj().resolve_neg().contiguous().flatten()
    if t.dtype.is_complex:
        out["v"] = [[real(v.real), real(v.imag)] for v in values.tolist()]
    else:
        if t.dtype == getattr(torch, "uint64", None):
            values = [str(v) if v >= 2 ** 63 else v for v in values.tolist()]
            return {**out, "v": values}
        digits = (lambda v: float("%.8g" % v)) if t.dtype == torch.float32 else (lambda v: v)
        out["v"] = [real(digits(v)) for v in values.tolist()]
    if t.requires_grad:
        out["rg"] = True
    return out


def encode(x):
    if x is None or isinstance(x, (bool, str)):
        return x
    if isinstance(x, int):
        return {"i": str(x)}
    if isinstance(x, float):
        return {"f": repr(x)}
    if isinstance(x, complex):
        return {"c": [real(x.real), real(x.imag)]}
    if isinstance(x, torch.Tensor):
        return encode_tensor(x)
    if isinstance(x, torch.device):
        return {"dev": str(x)}
    if isinstance(x, torch.dtype):
        return {"i": str(DTYPES[x])}
    if isinstance(x, tuple):
        return {"u": [encode(v) for v in x]}
    if isinstance(x, dict):
        return {"d": [list_text(list(x)) if x else "str", list_text(list(x.values()))], "v": [[encode(k), encode(v)] for k, v in x.items()]}
    if isinstance(x, list):
        return {"l": list_text(x), "v": [encode(v) for v in x]}
    raise TypeError(type(x))


def copied(x):
    if isinstance(x, torch.Tensor):
        if any(step == 0 and n > 1 for step, n in zip(x.stride(), x.shape)):  # elements in one place: their storage is copied
            extent = 1 + sum((n - 1) * step for step, n in zip(x.stride(), x.shape))
            return x.detach().as_strided((extent,), (1,)).clone().as_strided(x.shape, x.stride(), 0)
        return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(x.detach()).requires_grad_(x.requires_grad)
    if isinstance(x, list):
        return [copied(v) for v in x]
    if isinstance(x, dict):
        return dict(x)
    return x


def strides_of(x):
    if isinstance(x, torch.Tensor):
        return {"st": list(x.stride()), "o": x.storage_offset()}
    return [strides_of(v) for v in x]


def tensors_in(x):
    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, (list, tuple)):
        return [t for v in x for t in tensors_in(v)]
    return []


def error_text(error):
    line = str(error).strip().split("\n")[-1] if "Traceback of TorchScript" in str(error) else str(error).split("\n")[0]
    for prefix in ("RuntimeError: ", "IndexError: "):
        line = line.removeprefix(prefix)
    return line


def graph_type(x):
    if isinstance(x, list):
        return (graph_type(x[0]) if x else "int") + "[]"
    if isinstance(x, dict):
        key, value = next(iter(x.items())) if x else ("a", 1)
        return "Dict(%s, %s)" % (graph_type(key), graph_type(value))
    if isinstance(x, tuple):
        return "(" + ", ".join(graph_type(v) for v in x) + ")"
    if x is None:
        return "NoneType"
    if isinstance(x, torch.device):
        return "Device"
    return element_text(x)


def through_graph(name, args, result_type):
    """Calls an operator that Python cannot reach: one with type variables."""
    inputs = ", ".join("%%x%d : %s" % (i, graph_type(a)) for i, a in enumerate(args))
    names = ", ".join("%%x%d" % i for i in range(len(args)))
    text = "graph(%s):\n  %%y : %s = %s(%s)\n  return (%%y)\n" % (inputs, result_type, name, names)
    if result_type is None:  # what the first argument has become
        text = "graph(%s):\n  %s(%s)\n  return (%%x0)\n" % (inputs, name, names)
    return torch._C._create_function_from_graph("f", torch._C.parse_ir(text))(*args)


class Cases:
    def __init__(self):
        self.rows = []

    def call(self, op, *args, graph=False, result=None, strides=False, grads=False, tolerance=0.0, error=None, seed=0, want=None, first=False,
             refusals=False):
        """Records one call. error: our own text where PyTorch has none fit to show; first: only
        the first result counts; refusals: dtypes that PyTorch's kernels leave out count too."""
        namespace, _, rest = op.partition("::")
        name, _, overload = rest.partition(".")
        args = list(args)
        keywords = []
        if not graph:
            schema = torch._C._get_schema(namespace + "::" + name, overload).arguments
            args += [a.default_value for a in schema[len(args):]]
            keywords = [a.name for a in schema if a.kwarg_only]
        row = {"op": op, "args": [encode(a) for a in args]}
        passed = [copied(a) for a in args]
        try:
            if error is not None:
                raise RuntimeError(error)
            if want is not None:
                got = want
            elif graph:
                got = through_graph(namespace + "::" + name, passed, result)
                if result is None:
                    passed[0], got = got, None
            else:
                function = getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")
                plain = len(passed) - len(keywords)
                got = function(*passed[:plain], **dict(zip(keywords, passed[plain:])))
        except (RuntimeError, IndexError, ValueError, TypeError) as e:
            if "not implemented for" in str(e) and not refusals:
                return  # a dtype that PyTorch's kernels leave out
            row["error"] = error_text(e)
            self.rows.append(row)
            return
        if first:  # the others are for the gradient, and PyTorch leaves some of them out
            got = got[0]
        outs = list(got) if isinstance(got, tuple) else [] if got is None and result is None and graph else [got]
        row["want"] = [encode(o) for o in outs]
        for w in row["want"]:
            if isinstance(w, dict):
                w.pop("rg", None)
        if strides:
            row["strides"] = [strides_of(o) for o in outs]
        after = [encode(a) for a in passed]
        if after != row["args"] and not grads:
            row["after"] = after
        if tolerance:
            row["tolerance"] = tolerance
        if grads:
            self.add_gradient(row, outs, passed, seed)
        self.rows.append(row)

    @staticmethod
    def add_gradient(row, outs, passed, seed):
        torch.manual_seed(seed + 1)
        flat = tensors_in(outs)
        cotangents = [torch.randn(t.shape, dtype=t.dtype) if t.requires_grad else None for t in flat]
        roots = [(t, c) for t, c in zip(flat, cotangents) if c is not None]
        try:
            torch.autograd.backward([t for t, _ in roots], [c for _, c in roots])
        except RuntimeError as e:
            print("no gradient of", row["op"], error_text(e))
            return
        leaves = [t for a in passed for t in tensors_in(a) if t.requires_grad]
        row["gradient"] = {
            "results": len(outs),
            "cotangents": [None if c is None else encode(c) for c in cotangents],
            "grads": [None if t.grad is None else encode(t.grad if t.grad._is_zerotensor() else t.grad.contiguous()) for t in leaves],
        }

    def write(self, family):
        os.makedirs(os.path.join(HERE, "cases"), exist_ok=True)
        with open(os.path.join(HERE, "cases", family + ".json"), "w") as file:
            file.write("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in self.rows) + "\n]\n")


def main():
    sys.path.insert(0, HERE)
    for family in sys.argv[1:] or ["numbers", "view", "indexing", "joining", "sorting", "composed", "pointwise", "reduction", "creation", "linalg", "fft", "special", "random",
                                   "torchvision", "calls", "errors", "subgradients"]:
        cases = Cases()
        __import__("cases_" + family).add(cases)
        cases.write(family)
        print(family, len(cases.rows))


if __name__ == "__main__":
    main()
