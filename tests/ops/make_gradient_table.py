#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks PyTorch what each swept operator records: which results require grad, the node's name, and which arguments get a
gradient; writes gradients.txt: operator, flags of the results, node, flags of the floating point arguments.

PyTorch 1.13 wrote the table; Bessel functions, which have gradients since, have the lines of 2.15.

    build/tests/sample_calls | /usr/bin/python3 tests/ops/make_gradient_table.py
"""
import json
import pathlib
import sys

import torch

from make_dtype_table import argument, name_of


def tensors_in(value):
    if torch.is_tensor(value):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_in(v)]
    return []


def answer(call):
    namespace, name = call["name"].split("::")
    operator = getattr(getattr(getattr(torch.ops, namespace), name), call["overload"] or "default")
    arguments = [argument(v) for v in call["arguments"]]
    leaves = [t for t in tensors_in(arguments) if t.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_()
    schema = operator._schema.arguments
    positional = [a for s, a in zip(schema, arguments) if not s.kwarg_only]
    named = {s.name: a for s, a in zip(schema, arguments) if s.kwarg_only}
    results = tensors_in(operator(*positional, **named))
    flags = "".join("1" if t.requires_grad else "0" for t in results)
    recorded = [t for t in results if t.requires_grad]
    if not recorded:
        return f"{flags or '-'} - -"
    node = recorded[0].grad_fn.name().replace("torch::autograd::", "") if recorded[0].grad_fn else "leaf"
    try:
        grads = torch.autograd.grad(recorded, leaves, [torch.ones_like(t) for t in recorded], allow_unused=True)
        gets = "".join("0" if g is None else "1" for g in grads)
    except RuntimeError:
        gets = "refused"
    return f"{flags} {node} {gets}"


def main():
    lines = []
    for line in sys.stdin:
        call = json.loads(line)
        if call["dtype"] != "float32":
            continue
        try:
            lines.append(f"{name_of(call)} {answer(call)}\n")
        except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError, AttributeError):
            continue
    pathlib.Path(__file__).with_name("gradients.txt").write_text("".join(sorted(lines)))


if __name__ == "__main__":
    main()
