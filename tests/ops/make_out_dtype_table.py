#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks PyTorch which out= forms take another dtype than the result's; writes out_dtypes.txt: operator, overload of its out=
form, the result that gets another dtype, that dtype, and "ok" or what PyTorch says.

    build/tests/sample_calls | /usr/bin/python3 tests/ops/make_out_dtype_table.py
"""
import json
import pathlib
import sys
import warnings

import torch

from make_dtype_table import argument, in_child, name_of

OTHER = {torch.float32: torch.float64, torch.int64: torch.float32, torch.bool: torch.float32, torch.complex64: torch.complex128}
# Accidents of PyTorch's kernels, not words for a user.
ACCIDENTS = ("INTERNAL ASSERT", "Found dtype Float but expected Double", "Found dtype ComplexDouble", "Could not run", "itensor_view_from_dense", "self and mat2 must have the same dtype")


def out_forms(packet, schema):
    """The out= overloads that take the functional one's arguments."""
    wanted = [str(a.type) for a in schema.arguments]
    for overload in packet.overloads():
        arguments = getattr(packet, overload)._schema.arguments
        outs = [a.name for a in arguments if a.is_out]
        if outs and [str(a.type) for a in arguments if not a.is_out] == wanted:
            yield overload, outs


def answer(function, positional, named):
    try:
        function(*positional, **named)
        return "ok"
    except (RuntimeError, IndexError, ValueError, NotImplementedError) as error:
        return str(error).split("\n")[0].strip()


def lines_of(call):
    namespace, name = call["name"].split("::")
    packet = getattr(getattr(torch.ops, namespace), name)
    operator = getattr(packet, call["overload"] or "default")
    arguments = [argument(v) for v in call["arguments"]]
    schema = operator._schema
    positional = [a for s, a in zip(schema.arguments, arguments) if not s.kwarg_only]
    named = {s.name: a for s, a in zip(schema.arguments, arguments) if s.kwarg_only}
    made = operator(*positional, **named)
    made = [made] if torch.is_tensor(made) else list(made)
    text = ""
    for overload, outs in out_forms(packet, schema):
        for k, result in enumerate(made if len(outs) == len(made) else []):
            other = OTHER.get(result.dtype)
            if other is None:
                continue
            given = {o: torch.empty(t.shape, dtype=other if i == k else t.dtype) for i, (o, t) in enumerate(zip(outs, made))}
            said = answer(getattr(packet, overload), positional, {**named, **given})
            if not any(words in said for words in ACCIDENTS):
                text += f"{name_of(call)}|{overload}|{k}|{str(other)[6:]}|{said}\n"
    return text


def steady_lines(call):
    try:
        return lines_of(call)
    except (RuntimeError, IndexError, ValueError, NotImplementedError, AttributeError, TypeError):
        return ""


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    calls = (call for call in map(json.loads, sys.stdin) if call["dtype"] == "float32")
    lines = [in_child(steady_lines, call) or "" for call in calls]
    pathlib.Path(__file__).with_name("out_dtypes.txt").write_text("".join(sorted(lines)))


if __name__ == "__main__":
    main()
