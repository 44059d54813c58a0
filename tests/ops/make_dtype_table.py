#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks PyTorch which dtypes each swept operator takes on the CPU; writes dtypes.txt.

    build/tests/sample_calls | /usr/bin/python3 tests/ops/make_dtype_table.py
"""
import json
import pathlib
import sys

import torch

LETTERS = {"float32": "f", "float64": "d", "float16": "h", "bfloat16": "b", "int64": "l", "int32": "i", "int16": "s", "int8": "c",
           "uint8": "u", "bool": "?", "complex64": "F", "complex128": "D"}


def number(value):
    return float(value)


def tensor(value):
    dtype = getattr(torch, value["dtype"])
    pairs = [complex(number(re), number(im)) for re, im in value["values"]]
    return torch.tensor(pairs, dtype=torch.complex128).reshape(value["sizes"]).to(dtype) if dtype.is_complex else \
        torch.tensor([p.real for p in pairs], dtype=torch.float64).reshape(value["sizes"]).to(dtype)


def argument(value):
    if isinstance(value, dict):
        if "values" in value:
            return tensor(value)
        return number(value["float"]) if "float" in value else complex(*value["complex"])
    if isinstance(value, list):
        return [argument(v) for v in value]
    return value


def is_taken(call):
    namespace, name = call["name"].split("::")
    try:
        packet = getattr(getattr(torch.ops, namespace), name)
        operator = getattr(packet, call["overload"] or "default")
        arguments = [argument(v) for v in call["arguments"]]
        schema = operator._schema.arguments
        positional = [a for s, a in zip(schema, arguments) if not s.kwarg_only]
        named = {s.name: a for s, a in zip(schema, arguments) if s.kwarg_only}
        operator(*positional, **named)
        return True
    except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError, AttributeError):
        return False


def main():
    table = {}
    for line in sys.stdin:
        call = json.loads(line)
        name = call["name"] + ("." + call["overload"] if call["overload"] else "")
        table.setdefault(name, "")
        if is_taken(call):
            table[name] += LETTERS[call["dtype"]]
    lines = [f"{name} {letters}\n" for name, letters in sorted(table.items()) if letters]
    head = "# Made by make_dtype_table.py: the dtypes that PyTorch %s takes on the CPU; letters as there.\n" % torch.__version__.split("+")[0]
    pathlib.Path(__file__).with_name("dtypes.txt").write_text(head + "".join(lines))


if __name__ == "__main__":
    main()
