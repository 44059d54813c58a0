#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks PyTorch what each swept operator gives for tensors without elements or without dimensions; writes edges.txt: operator,
edge, and the results or "refused".

    build/tests/sample_calls edges | /usr/bin/python3 tests/ops/make_edge_table.py
"""
import itertools
import json
import os
import pathlib
import sys
import warnings

import torch

from make_dtype_table import argument

LARGEST = 4  # elements of a result that is written down


def text_of(value):
    if torch.is_tensor(value):
        value = value.resolve_conj().resolve_neg()
        text = str(value.dtype)[6:] + "[" + ",".join(map(str, value.shape)) + "]"
        if 0 < value.numel() <= LARGEST:
            pairs = [complex(v) for v in value.flatten().tolist()]
            text += "=" + ",".join("%.7g" % v.real + ("%+.7gj" % v.imag if value.is_complex() else "") for v in pairs)
        return text
    if isinstance(value, (list, tuple)):
        return "(" + ";".join(text_of(v) for v in value) + ")"
    return type(value).__name__


def answer(call):
    namespace, name = call["name"].split("::")
    operator = getattr(getattr(getattr(torch.ops, namespace), name), call["overload"] or "default")
    arguments = [argument(v) for v in call["arguments"]]
    schema = operator._schema.arguments
    positional = [a for s, a in zip(schema, arguments) if not s.kwarg_only]
    named = {s.name: a for s, a in zip(schema, arguments) if s.kwarg_only}
    try:
        return text_of(operator(*positional, **named))
    except (RuntimeError, IndexError, ValueError, NotImplementedError):
        return "refused"


def answers(name, calls):
    """In a process of its own: some calls end it."""
    lines = []
    for call in calls:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                text = answer(call)
                if text == answer(call):  # else it is memory that nobody wrote
                    os.write(writing, text.encode())
            except (AttributeError, TypeError):
                pass
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        if text:
            lines.append(f"{name}|{call['edge']}|{text}\n")
    return lines


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    lines = []
    name_of = lambda call: call["name"] + ("." + call["overload"] if call["overload"] else "")
    for name, calls in itertools.groupby(map(json.loads, sys.stdin), name_of):
        lines += answers(name, calls)
    pathlib.Path(__file__).with_name("edges.txt").write_text("".join(sorted(lines)))


if __name__ == "__main__":
    main()
