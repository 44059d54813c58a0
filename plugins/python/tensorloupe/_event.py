# SPDX-License-Identifier: Apache-2.0
"""Rows of a recording while it is made: an event an operator, a frame a call of a module."""

from ._collectives import is_collective
from ._tensors import text_of


class Event:
    """As it is before anything is known: what fails on the way leaves a row that can be written."""

    __slots__ = (
        "phase",
        "op",
        "overload",
        "scope",
        "file",
        "line",
        "node",
        "depth",
        "frame",
        "peer",
        "start",
        "duration",
        "before",
        "after",
        "peak",
        "flops",
        "moved",
        "inputs",
        "outputs",
        "arguments",
        "has_nan",
        "has_inf",
        "failed",
        "error",
        "backward",
        "device",
        "launch",
        "marks",
        "is_hooked",
    )

    def __init__(self, operator):
        self.op, self.overload = operator.name, operator.overload
        self.phase = self.line = self.depth = self.frame = self.peer = self.backward = 0
        self.scope = self.file = self.error = self.device = ""
        self.node = -1
        self.start = self.duration = self.flops = self.moved = self.launch = 0.0
        self.before = self.after = self.peak = 0
        self.inputs, self.outputs, self.arguments = [], [], []
        self.has_nan = self.has_inf = self.failed = self.is_hooked = False
        self.marks = None


class Frame:
    __slots__ = ("number", "above", "parent", "scope", "class_name", "function", "first", "last", "group")


class Operator:
    """What there is to know of an operator before it is called."""

    def __init__(self, function):
        schema = getattr(function, "_schema", None)
        self.is_higher_order = schema is None
        self.is_collective = False
        if schema is None:  # torch.cond and its like
            name = getattr(function, "_name", None) or function.__name__
            self.name, self.overload = f"{getattr(function, 'namespace', 'higher_order')}::{name}", ""
            self.names, self.written = [], set()
            return
        self.name = schema.name
        self.overload = schema.overload_name
        self.is_collective = is_collective(self.name)
        self.names = [argument.name for argument in schema.arguments]
        written = [
            index
            for index, argument in enumerate(schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        self.written = {key for index in written for key in (index, self.names[index])}

    def arguments(self, arguments, keywords):
        """Those that are no tensors: "stride=[2, 2]"."""
        found = []
        for name, value in list(zip(self.names, arguments)) + list(keywords.items()):
            text = None if value is None else text_of(value)
            if text is not None:
                found.append(f"{name}={text}")
        return found
