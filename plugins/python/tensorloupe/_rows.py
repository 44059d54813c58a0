# SPDX-License-Identifier: Apache-2.0
"""A recorded program as the JSON of a .loupe file: core/record/recording_file.h says which fields stand in a row."""

import json
import math
import os
import sys

import torch

from ._model import shown_path, sources

_NO_SETUP = [0.0] * 5


class _Texts:
    def __init__(self):
        self._numbers = {}

    def __call__(self, text):
        return self._numbers.setdefault(text, len(self._numbers))

    def all(self):
        return list(self._numbers)


def _number(value):
    """JSON has neither infinities nor NaN."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _statistics(row):
    return None if row is None else row[:4] + [_number(each) for each in row[4:11]] + [row[11]]


def _event(event, text):
    duration = event.duration
    if event.marks is not None:
        duration = event.marks[0].elapsed_time(event.marks[1]) / 1e3
    return [
        event.phase,
        text(event.op),
        text(event.scope),
        text(shown_path(event.file)),
        event.line,
        event.node,
        event.depth,
        event.frame,
        event.peer,
        event.start,
        duration,
        event.before,
        event.after,
        event.peak,
        event.flops,
        event.moved,
        text(event.device or "cpu"),
        [],
        event.inputs,
        event.outputs,
        event.arguments,
        event.has_nan,
        event.has_inf,
        event.failed,
        event.error,
        event.backward,
        text(event.overload),
    ] + _later_fields(event, text)


def _later_fields(event, text):
    # What kind of NaN it is the reader works out where the row ends before it says so.
    if event.has_nan or event.has_inf:
        return []
    device = [text(event.device), event.launch, False, 0, 0.0] if event.device else None
    return [0, _NO_SETUP, False, [], device]


def _value(value, text):
    return [
        value.producer,
        value.name,
        text(value.dtype),
        value.shape,
        value.strides,
        value.offset,
        value.bytes,
        value.storage,
        value.requires_grad,
        value.gradient_of,
        _statistics(value.statistics),
        value.array,
        value.left_out,
    ]


def _gradients(recorder):
    """A row a parameter: what its gradient is like when the recording ends."""
    rows = []
    for name, path, module, parameter in recorder.tree.named_parameters():
        gradient = parameter.grad
        norm = _number(torch.linalg.vector_norm(parameter.detach().float())) if parameter.device.type != "meta" else 0.0
        role = 2 if "Norm" in type(module).__name__ else 1 if name.rpartition(".")[2].startswith("bias") else 0
        row = [name, path, list(parameter.shape), gradient is not None, 0.0, 0.0, 0.0, norm, 0.0, 0, 0, 0, 0, role]
        row.append(not parameter.requires_grad)
        if gradient is not None and gradient.layout == torch.strided:
            dense = gradient.detach().float()
            finite = dense[torch.isfinite(dense)].double()
            if finite.numel():
                size = finite.abs()
                row[4:7] = [_number(size.mean()), _number(size.max()), _number(torch.linalg.vector_norm(finite))]
            count = max(1, dense.numel())
            row[8] = float((dense == 0).sum()) / count
            row[9], row[10] = int(torch.isnan(dense).sum()), int(torch.isinf(dense).sum())
            value = recorder.values.find(gradient)
            if value is not None:
                row[11], row[12] = value.producer, value.number
        rows.append(row)
    return rows


def _model(recorder, title):
    tensors = list(recorder.tree.tensors())
    unique = {id(tensor): (is_parameter, tensor) for _, _, is_parameter, tensor in tensors}
    size = {True: 0, False: 0}
    count = 0
    for is_parameter, tensor in unique.values():
        size[is_parameter] += tensor.numel() * tensor.element_size()
        count += tensor.numel() if is_parameter else 0
    path = recorder.model_file
    program = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "a program"
    return {
        "path": shown_path(path),
        "title": title or os.path.basename(path),
        "format": f"run of {program}, recorded by PyTorch {torch.__version__}",
        "file_bytes": os.path.getsize(path) if os.path.exists(path) else 0,
        "modules": recorder.tree.describe(recorder.values.storage_number),
        "methods": [],
        "sources": sources({event.file for event in recorder.events if event.file}),
        "parameter_count": count,
        "parameter_bytes": size[True],
        "buffer_bytes": size[False],
        "missing_operators": [],
        "cannot_run": f"this is a recording of what {program} did in PyTorch: run it there again",
    }


def recording_text(recorder, title):
    """The bytes of recording/recording.json."""
    if any(event.marks is not None for event in recorder.events):
        torch.cuda.synchronize()
    text = _Texts()
    recorder.finish_graph()
    values = recorder.values
    events = [_event(event, text) for event in recorder.events]
    document = {
        "run": {
            "method": "forward",
            "inputs": [],
            "backward": recorder.backward_start is not None,
            "pipeline": "none",
            "threads": torch.get_num_threads(),
            "seed": torch.initial_seed() % (1 << 63),
            "device": next((event.device for event in recorder.events if event.device), "cpu"),
        },
        "model": _model(recorder, title),
        "built_with": "",
        "graph": recorder.graph.describe(),
        "events": events,
        "values": [_value(value, text) for value in values.values],
        "frames": [
            [frame.parent, text(frame.scope), text(frame.class_name), text(frame.function), frame.first, frame.last]
            for frame in recorder.frames
        ],
        "allocations": [
            [
                block.storage,
                block.address,
                block.bytes,
                block.category,
                block.allocated,
                max(0, block.freed),
                block.saved_by,
                text(block.scope),
                block.owner,
                text(block.device),
            ]
            for block in values.allocations
        ],
        "savings": [[block, by, text(node)] for (block, by), node in recorder.savings.items()],
        "gradients": _gradients(recorder),
        "peak": [values.peak, recorder.peak_event],
    }
    if recorder.backward_start is not None:
        event, file, line = recorder.backward_start
        where = f" ({os.path.basename(file)}:{line})" if file else ""
        document["backward_start"] = {"event": event, "text": f"backward(){where}", "is_loss": True}
    document["strings"] = text.all()
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
