#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks PyTorch which dtypes each swept operator takes on the CPU; adds them to dtypes.txt, to which another PyTorch may have added.

    build/tests/sample_calls | /usr/bin/python3 tests/ops/make_dtype_table.py
"""
import itertools
import json
import os
import pathlib
import re
import sys

import torch

LETTERS = {"float32": "f", "float64": "d", "float16": "h", "bfloat16": "b", "int64": "l", "int32": "i", "int16": "s", "int8": "c",
           "uint8": "u", "bool": "?", "complex64": "F", "complex128": "D", "uint16": "H", "uint32": "I", "uint64": "Q",
           "float8_e4m3fn": "8", "float8_e8m0fnu": "e"}


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


def name_of(call):
    return call["name"] + ("." + call["overload"] if call["overload"] else "")


def in_child(function, *arguments):
    """The text that the function gives, in a process of its own, as some calls end it; None when it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, function(*arguments).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    return text if os.waitpid(child, 0)[1] == 0 else None


def letters_of(calls):
    return "".join(LETTERS[call["dtype"]] for call in calls if is_taken(call))


def known(path):
    """The versions that were asked, and the letters of each operator."""
    if not path.exists():
        return [], {}
    head, *lines = path.read_text().splitlines()
    return re.search(r"PyTorch (.*) takes", head)[1].split(" or "), dict(line.split() for line in lines)


def main():
    torch.set_num_threads(1)
    path = pathlib.Path(__file__).with_name("dtypes.txt")
    versions, table = known(path)
    for name, group in itertools.groupby(map(json.loads, sys.stdin), name_of):
        calls = list(group)
        letters = in_child(letters_of, calls)
        if letters is None:
            letters = "".join(in_child(letters_of, [call]) or "" for call in calls)
        both = set(letters) | set(table.get(name, ""))
        if both:
            table[name] = "".join(letter for letter in LETTERS.values() if letter in both)
    version = torch.__version__.split("+")[0]
    head = "# Made by make_dtype_table.py: the dtypes that PyTorch %s takes on the CPU; letters as there.\n"
    lines = [f"{name} {letters}\n" for name, letters in sorted(table.items())]
    path.write_text(head % " or ".join([*(v for v in versions if v != version), version]) + "".join(lines))


if __name__ == "__main__":
    main()
