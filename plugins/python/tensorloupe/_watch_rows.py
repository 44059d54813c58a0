# SPDX-License-Identifier: Apache-2.0
"""Rows of a watched training as lines of JSON; resources/docs/watch.md says what stands in them."""

import base64
import ctypes
import json
import math
import os
import socket
import sys

import torch

from ._aside import is_plain
from ._event import Event
from ._rows import _event, _number, _statistics, _Texts, _value

FORMAT = 1


def line_of_row(row):
    text = json.dumps(row, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "tensorloupe.escaped") + b"\n"


def numbers(values):
    """None where there is none."""
    return [None if value is None else _number(value) for value in values]


def rounded(values, digits=6):
    """Norms and losses need no seventeen digits."""
    return [None if value is None else float(f"{value:.{digits}g}") if math.isfinite(value) else _number(value) for value in values]


def program_name():
    given = str(sys.argv[0]) if getattr(sys, "argv", None) else ""
    return os.path.basename(given) or "python"


def hello(every, rank, ranks, run):
    return {
        "kind": "hello",
        "format": FORMAT,
        "program": program_name(),
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "torch": torch.__version__,
        "run": run,
        "rank": rank,
        "ranks": ranks,
        "every": every,
    }


def optimizer_text(optimizer):
    """As one calls it: "AdamW(lr=0.001, weight_decay=0.01)"."""
    group = optimizer.param_groups[0] if optimizer.param_groups else {}
    shown = []
    for name in ("lr", "momentum", "betas", "weight_decay"):
        value = group.get(name)
        if type(value) in (int, float) and (value or name == "lr"):
            shown.append(f"{name}={value!r}")
        elif type(value) in (tuple, list) and all(type(each) in (int, float) for each in value):
            shown.append(f"{name}={tuple(value)!r}")
    return f"{type(optimizer).__name__}({', '.join(shown)})"


def statistics_rows(found):
    """[[name, row of a .loupe's statistics], ...] of (name, [row])."""
    return [[name, _statistics(rows[0])] for name, rows in found if rows]


class ModuleEvent:
    """A call of a module as an event of a recording."""

    is_higher_order = False
    overload = ""

    def __init__(self, name):
        self.name = name


def module_event(class_name, scope, start, seconds):
    event = Event(ModuleEvent(class_name))
    event.scope, event.start, event.duration = scope, start, seconds
    return event


def recording_rows(events, values, gradients, folder):
    """As recording/recording.json of a .loupe file has them, without the model."""
    text = _Texts()
    rows = {
        "run": {
            "method": "forward",
            "inputs": [],
            "backward": True,
            "pipeline": "none",
            "threads": 0,
            "seed": 0,
            "device": "cpu",
        },
        "graph": None,
        "events": [_event(event, text, folder) for event in events],
        "values": [_value(value, text) for value in values],
        "frames": [],
        "allocations": [],
        "savings": [],
        "gradients": gradients,
        "peak": [0, 0],
    }
    rows["strings"] = text.all()
    return rows


def gradient_row(name, path, module, parameter, gradient, weight_norm):
    """A row of the gradients of a recording; gradient: the row of its statistics, or None."""
    role = 2 if "Norm" in type(module).__name__ else 1 if name.rpartition(".")[2].startswith("bias") else 0
    row = [name, path, [int(size) for size in parameter.shape], gradient is not None]
    row += [0.0, 0.0, 0.0, _number(weight_norm or 0.0), 0.0, 0, 0, 0, 0, role, not parameter.requires_grad]
    if gradient is not None:
        count, nan, inf, zero, _, _, _, _, largest, mean, length, _ = gradient
        row[4:7] = [_number(mean), _number(largest), _number(length)]
        row[8] = zero / max(1, count)
        row[9], row[10] = nan, inf
    return row


_SENT = {
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
}


def is_sent(tensor):
    """Can its elements be?"""
    return is_plain(tensor) and tensor.layout == torch.strided and tensor.dtype in _SENT


def elements_text(tensor):
    """base64 of its elements, in order, as they lie in memory; of a contiguous tensor on the CPU."""
    size = tensor.numel() * tensor.element_size()
    return base64.b64encode((ctypes.c_char * size).from_address(tensor.data_ptr())).decode() if size else ""
