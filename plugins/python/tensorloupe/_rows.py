# SPDX-License-Identifier: Apache-2.0
"""A recorded program as the JSON of a .loupe file: core/record/recording_file.h says which fields stand in a row."""

import codecs
import json
import math
import os
import sys

import torch

from ._aside import is_plain
from ._model import shown_path, sources
from ._statistics import Statistics
from ._values import type_text

_NO_SETUP = [0.0] * 5


class _Texts:
    def __init__(self):
        self._numbers = {}

    def __call__(self, text):
        return self._numbers.setdefault(text, len(self._numbers))

    def all(self):
        return list(self._numbers)


def _escaped(error):
    """Halves of a surrogate pair, such as a file name's bytes that are no UTF-8, as text: no JSON has them."""
    found = error.object[error.start : error.end]
    return "".join(f"\\\\u{ord(each):04x}" for each in found), error.end


codecs.register_error("tensorloupe.escaped", _escaped)


def _number(value):
    """JSON has neither infinities nor NaN."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _statistics(row):
    return None if row is None else row[:4] + [_number(each) for each in row[4:11]] + [row[11]]


def _event(event, text, folder):
    duration = event.duration
    if event.marks is not None:
        duration = event.marks[0].elapsed_time(event.marks[1]) / 1e3
    return [
        event.phase,
        text(event.op),
        text(event.scope),
        text(shown_path(event.file, folder)),
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


def _measured(tensor, statistics):
    """A list that has the row of statistics in it after statistics.take(), or stays empty."""
    found = []
    if tensor is not None and is_plain(tensor) and tensor.layout == torch.strided:
        statistics.measure(tensor.detach(), found.append)
    return found


def _gradients(recorder):
    """A row a parameter: what its gradient is like when the recording ends."""
    statistics = Statistics(histogram=False)
    found = []
    for name, path, module, parameter in recorder.tree.named_parameters():
        with recorder.own(f"the gradient of {name}"):
            # .grad of another than a leaf is a warning.
            gradient = parameter.grad if parameter.is_leaf else None
            row = (name, path, module, parameter, gradient)
            found.append((row, _measured(parameter, statistics), _measured(gradient, statistics)))
    statistics.take()
    rows = []
    for row, of_parameter, of_gradient in found:
        with recorder.own(f"the gradient of {row[0]}"):
            rows.append(_gradient(recorder, *row, of_parameter, of_gradient))
    return rows


def _gradient(recorder, name, path, module, parameter, gradient, of_parameter, of_gradient):
    role = 2 if "Norm" in type(module).__name__ else 1 if name.rpartition(".")[2].startswith("bias") else 0
    norm = _number(of_parameter[0][10]) if of_parameter else 0.0
    row = [name, path, [int(size) for size in parameter.shape], gradient is not None]
    row += [0.0, 0.0, 0.0, norm, 0.0, 0, 0, 0, 0, role, not parameter.requires_grad]
    if of_gradient:
        count, nan, inf, zero, _, _, _, _, largest, mean, length, _ = of_gradient[0]
        row[4:7] = [_number(mean), _number(largest), _number(length)]
        row[8] = zero / max(1, count)
        row[9], row[10] = nan, inf
        value = recorder.values.find(gradient)
        if value is not None:
            row[11], row[12] = value.producer, value.number
    return row


def _totals(recorder):
    """(parameters, bytes of parameters, bytes of buffers), each tensor once."""
    unique = {id(tensor): (is_parameter, tensor) for _, _, is_parameter, tensor in recorder.tree.tensors()}
    size = {True: 0, False: 0}
    count = 0
    for is_parameter, tensor in unique.values():
        if is_plain(tensor):
            size[is_parameter] += tensor.numel() * tensor.element_size()
            count += tensor.numel() if is_parameter else 0
    return count, size[True], size[False]


def _modules(recorder):
    rows = recorder.tree.describe(recorder.values.storage_number)
    # Notes of the root are shown with the model.
    for number, line in enumerate(recorder.notes.lines(), 1):
        rows[0]["attributes"][f"note{number}"] = f"'{line}'"
    return rows


def _nothing_known():
    row = {"path": "", "class_name": "unknown", "qualified_name": "unknown", "parent": -1, "attributes": {}}
    return [dict(row, training=False, hooks=0, parameter_count=0, parameter_bytes=0, parameters=[], buffers=[])]


def _model(recorder, title):
    path = recorder.model_file
    count, of_parameters, of_buffers = _or(recorder, "sizes of the model", (0, 0, 0), lambda: _totals(recorder))
    program = os.path.basename(str(sys.argv[0])) if getattr(sys, "argv", None) and sys.argv[0] else "a program"
    files = {event.file for event in recorder.events if event.file}
    texts = _or(recorder, "sources", [], lambda: sources(files, recorder.folder))
    return {
        "path": shown_path(path, recorder.folder),
        "title": title or os.path.basename(path),
        "format": f"run of {program}, recorded by PyTorch {torch.__version__}",
        "file_bytes": os.path.getsize(path) if os.path.isfile(path) else 0,
        "modules": _or(recorder, "the modules", _nothing_known(), lambda: _modules(recorder)),
        "methods": [],
        "sources": texts,
        "parameter_count": count,
        "parameter_bytes": of_parameters,
        "buffer_bytes": of_buffers,
        "missing_operators": [],
        "cannot_run": f"this is a recording of what {program} did in PyTorch: run it there again",
    }


def _or(recorder, what, otherwise, make):
    """What make() returns, or `otherwise` where it fails, which is noted."""
    with recorder.own(what):
        return make()
    return otherwise


def recording_text(recorder, title):
    """The bytes of recording/recording.json."""
    if any(event.marks is not None for event in recorder.events):
        torch.cuda.synchronize()
    text = _Texts()
    recorder.finish_graph()
    values, autograd, folder = recorder.values, recorder.autograd, recorder.folder
    events = [_event(event, text, folder) for event in recorder.events]
    document = {
        "run": {
            "method": "forward",
            "inputs": [],
            "backward": autograd.start is not None,
            "pipeline": "none",
            "threads": torch.get_num_threads(),
            "seed": torch.initial_seed() % (1 << 63),
            "device": next((event.device for event in recorder.events if event.device), "cpu"),
        },
        "built_with": "",
        "graph": recorder.graph.describe(
            lambda value: type_text(values.values[value - 1]), lambda file: shown_path(file, folder)
        ),
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
        "savings": [[block, by, text(node)] for (block, by), node in autograd.savings.items()],
        "gradients": _or(recorder, "gradients of parameters", [], lambda: _gradients(recorder)),
        "peak": [values.peak, recorder.peak_event],
        "collectives": [dict(row, file=shown_path(row["file"], folder)) for row in recorder.collectives.rows],
    }
    rank = _or(recorder, "the rank", None, recorder.collectives.facts)
    if rank is not None:
        document["rank"] = rank
    # Behind all that may add a note.
    document["model"] = _model(recorder, title)
    if autograd.start is not None:
        event, file, line = autograd.start
        where = f" ({os.path.basename(file)}:{line})" if file else ""
        document["backward_start"] = {"event": event, "text": f"backward(){where}", "is_loss": True}
    document["strings"] = text.all()
    whole = json.dumps(document, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return whole.encode("utf-8", "tensorloupe.escaped")
