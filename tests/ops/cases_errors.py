# SPDX-License-Identifier: Apache-2.0
"""Calls that PyTorch refuses, and its words: the error inputs of its own operator database, as calls of ATen operators."""
import re
import sys
import types
import unittest

import torch

# torch.testing's database wants a package that Debian leaves out.
expecttest = types.ModuleType("expecttest")
expecttest.TestCase = unittest.TestCase
expecttest.ACCEPT = True
sys.modules.setdefault("expecttest", expecttest)

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

LARGEST = 2000  # elements of a tensor that is written down
# Named dimensions are not there.
LEFT_OUT = {"aten::mean.names_out"}


def packets(op):
    """ATen operators of the name, the likeliest first."""
    last = op.name.split(".")[-1]
    names = [op.aten_name or op.name, last, op.name.replace(".", "_")]
    for name in dict.fromkeys(names):
        packet = getattr(torch.ops.aten, name, None)
        if packet is not None:
            yield name, packet


def matching_overload(op, error):
    """The first overload that answers with the error's words."""
    sample = error.sample_input
    for name, packet in packets(op):
        for overload in packet.overloads():
            try:
                getattr(packet, overload)(sample.input, *sample.args, **sample.kwargs)
            except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as found:
                if re.search(error.error_regex, str(found)):
                    return name, overload
    return None


def plain(value, kind):
    is_list = kind.startswith("List[") or kind.startswith("Optional[List[")
    if is_list and isinstance(value, (tuple, list)):
        return [plain(v, "") for v in value]
    if is_list and isinstance(value, (int, float)):
        return [value]
    return value


def arguments_of(schema, sample):
    given = [sample.input, *sample.args]
    named = dict(sample.kwargs)
    values = []
    for argument in schema.arguments:
        if given and not argument.kwarg_only:
            value = given.pop(0)
        else:
            value = named.pop(argument.name, argument.default_value)
        values.append(plain(value, str(argument.type)))
    return None if given or named else values


def is_small(value):
    if isinstance(value, torch.Tensor):
        return value.numel() <= LARGEST and value.device.type == "cpu" and value.layout == torch.strided
    return all(is_small(v) for v in value) if isinstance(value, list) else True


def add(c):
    torch.manual_seed(0)
    for op in op_db:
        if op.error_inputs_func is None:
            continue
        for error in op.error_inputs("cpu"):
            found = matching_overload(op, error)
            if found is None:
                continue
            name = "aten::" + found[0] + ("" if found[1] == "default" else "." + found[1])
            if name in LEFT_OUT:
                continue
            schema = getattr(getattr(torch.ops.aten, found[0]), found[1])._schema
            values = arguments_of(schema, error.sample_input)
            if values is None or not is_small(values):
                continue
            c.call(name, *values)
            if "error" not in c.rows[-1]:
                c.rows.pop()
