#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks PyTorch what each swept operator gives for tensors without elements or without dimensions; writes edges.txt: operator,
edge, and the results or "refused".

    build/tests/sample_calls edges | /usr/bin/python3 tests/ops/make_edge_table.py
"""
import json
import pathlib
import sys
import warnings

import torch

from make_dtype_table import argument, in_child, name_of

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


def steady_answer(call):
    try:
        text = answer(call)
        return text if text == answer(call) else ""  # else it is memory that nobody wrote
    except (AttributeError, TypeError):
        return ""


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    lines = []
    for call in map(json.loads, sys.stdin):
        text = in_child(steady_answer, call)
        if text:
            lines.append(f"{name_of(call)}|{call['edge']}|{text}\n")
    pathlib.Path(__file__).with_name("edges.txt").write_text("".join(sorted(lines)))


if __name__ == "__main__":
    main()
