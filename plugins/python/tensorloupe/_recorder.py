# SPDX-License-Identifier: Apache-2.0
"""Watches a PyTorch program: every operator that it dispatches, the modules around it, the gradients that follow.

The program does what it does without: all work of the recorder's own is done in own(), see _own_work.py.
"""

import fnmatch
import multiprocessing
import os
import threading
import time
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import _aside, _costs
from ._autograd_watch import AutogradWatch
from ._collectives import Collectives
from ._event import Event, Frame, Operator
from ._graph import Graph
from ._model import ModuleTree, source_of
from ._module_calls import ModuleCalls
from ._notes import Notes, line_of
from ._own_work import OwnWork, call as call_operator, has_room, is_own
from ._pieces import compact_copy
from ._places import BACKWARD, FORWARD, Places, caller, is_engine
from ._statistics import Statistics
from ._subclasses import Subclasses
from ._tensors import tensors_in, tensors_of_call
from ._values import ACTIVATION, BUFFER, GRADIENT, INPUT, OTHER, PARAMETER, Values

_detach = torch.ops.aten.detach.default


def _device(tensors):
    """That an operator runs on when it is another one than the CPU."""
    for tensor in tensors:
        if tensor.device.type not in ("cpu", "meta"):
            return tensor.device
    return None


def _marks(device):
    """Events of the device around an operator: the host's clock sees the launch alone."""
    if device is None or device.type != "cuda":
        return None
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    marks[0].record()
    return marks


def _strategy(values):
    if callable(values):
        return values
    if values in ("all", True):
        return lambda scope, op: True
    if values in ("none", None, False):
        return lambda scope, op: False
    patterns = [values] if isinstance(values, str) else list(values)
    return lambda scope, op: any(
        fnmatch.fnmatchcase(scope, each) or fnmatch.fnmatchcase(op, each) or fnmatch.fnmatchcase(op, f"aten::{each}")
        for each in patterns
    )


class _Here(threading.local):
    """Of one thread."""

    def __init__(self):
        self.stack = []  # frames of modules that are being called
        self.last_call = None  # the instruction of Python that the last event came from


class _Call:
    """An operator between its beginning and its end."""

    __slots__ = ("event", "number", "operator", "inputs", "device", "began", "waits")


_live = weakref.WeakSet()


def _forked():
    for recorder in _live:
        # Another thread may have held it, which is not in this process.
        recorder.lock = threading.RLock()
        recorder.is_forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Recorder(TorchDispatchMode):
    """Used by tensorloupe.record(), which says what its arguments are."""

    supports_higher_order_operators = True

    @classmethod
    def ignore_compile_internals(cls):
        """torch.compile compiles as it does without (PyTorch 2.9 and later); its tracing is stepped aside from."""
        return True

    def __init__(self, model=None, values="all", budget=512 << 20, statistics=True, histogram=True):
        super().__init__()
        self.lock = threading.RLock()
        self.notes = Notes()
        self.tree = ModuleTree()
        self._model = model
        self._learns_models = model is None
        self._wants = _strategy(values)
        self._left = int(budget)
        self._statistics = Statistics(histogram) if statistics else None
        self.values = Values()
        self._places = Places()
        self.graph = Graph()
        self._operators = {}
        self.events = []
        self.frames = []
        self._here = _Here()
        self.arrays = []
        self.autograd = AutogradWatch(self)
        self.collectives = Collectives(self)
        self._calls = ModuleCalls(self._enter_module, self._leave_module)
        self._subclasses = Subclasses(self)
        self.peak_event = 0
        self.has_ended = False
        self.is_forked = False
        self._lacked_room = False  # since the last operator
        self._process = multiprocessing.current_process()
        self._began = 0.0
        self._lost = 0.0  # seconds that watching took
        self.result = []
        self.model_file = ""
        self.folder = ""  # that the program runs in

    def own(self, what):
        return OwnWork(self, what)

    # Where it begins and ends.

    def __enter__(self):
        with self.own("the beginning"):
            self.folder = os.getcwd()
        with self.own("the model"):
            if self._model is not None:
                self._add_model(self._model)
        self._model = None
        with self.own("hooks for saved tensors"):
            self.autograd.hooks.begin()
        with self.own("calls of modules"):
            self._calls.begin()
        with self.own("subclasses"):
            self._subclasses.begin()
        _live.add(self)
        super().__enter__()
        self._began = time.perf_counter()
        with self.own("the rank"):
            self.collectives.begin()
        return self

    def now(self):
        """Seconds since it began, without those that watching took."""
        return time.perf_counter() - self._began - self._lost

    def __exit__(self, kind, error, trace):
        self.has_ended = True
        with self.own("the mode"):
            super().__exit__(kind, error, trace)
        _live.discard(self)
        with self.own("calls of modules"):
            self._calls.end()
        with self.own("subclasses"):
            self._subclasses.end()
        with self.own("hooks of autograd"):
            self.autograd.end()
        with self.own("collectives"):
            self.collectives.end()
        with self.own("the end"):
            while self._here.stack:
                self._close_frame()
            self.values.settle(len(self.events))
            self.values.stop_watching()
        with self.own("numbers of tensors on a device"):
            if self._statistics is not None:
                self._statistics.take()

    def _add_model(self, model):
        self.tree.add(model, self.values.storage_number)
        self.model_file = self.model_file or source_of(model)
        for name, path, is_parameter, tensor in self.tree.tensors():
            if _aside.is_plain(tensor):
                self.values.allocate(tensor, 0, PARAMETER if is_parameter else BUFFER, path, name)

    # Modules.

    def _enter_module(self, module, arguments):
        if self.has_ended or is_own() or not has_room():
            return None
        begin = time.perf_counter()
        frame = None
        with self.own("a call of a module"):
            if not _aside.is_mode_active(self):
                self.notes.left_out("calls of modules in threads or operators that are not watched", len(self.events))
            else:
                aside = _aside.why()
                if aside is None:
                    frame = self._open_frame(module, arguments)
                else:
                    self.notes.left_out(f"calls of modules while {aside}", len(self.events))
        self._lost += time.perf_counter() - begin
        return frame

    def _open_frame(self, module, arguments):
        stack = self._here.stack
        path = self.tree.path(module)
        if path is None and self._learns_models and not stack:
            self._add_model(module)
            path = self.tree.path(module)
        frame = Frame()
        frame.above = stack[-1] if stack else None
        frame.parent = frame.above.number if stack else 0
        frame.scope = path if path is not None else frame.above.scope if stack else ""
        frame.class_name, frame.function = type(module).__name__, "forward"
        frame.first, frame.last = len(self.events) + 1, 0
        # In the graph a box is made when an operator stands in it; the root is the whole picture.
        frame.group = None if stack else -1
        frame.number = len(self.frames) + 1
        self.frames.append(frame)
        stack.append(frame)
        if frame.above is None:
            for number, tensor in enumerate(tensors_in(arguments)):
                self._known(tensor, f"arg{number}", INPUT)
        return frame

    def _leave_module(self, frame, result):
        begin = time.perf_counter()
        with self.own("the end of a call of a module"):
            stack = self._here.stack
            if frame in stack:
                while stack[-1] is not frame:
                    self._close_frame()
                self._close_frame()
                if not stack and not self.has_ended:
                    found = [self.values.find(each) for each in tensors_in(result) if _aside.is_plain(each)]
                    self.result = [value for value in found if value is not None]
        self._lost += time.perf_counter() - begin

    def _close_frame(self):
        frame = self._here.stack.pop()
        frame.last = max(len(self.events), frame.first - 1)

    def _group(self, frame):
        if frame.group is None:
            frame.group = self.graph.open_group(self._group(frame.above), frame.class_name, frame.scope)
        return frame.group

    # Values.

    def _known(self, tensor, name="", category=OTHER):
        """The value of what is read; what nothing here has made is noted now. None for what cannot be looked at."""
        try:
            if not _aside.is_plain(tensor):
                self.notes.left_out(_odd(tensor), len(self.events) + 1)
                return None
            value = self.values.find(tensor)
            if value is not None:
                # Autograd says so of a result behind the operator that made it.
                value.requires_grad = value.requires_grad or tensor.requires_grad
                return value
            owner = self.tree.tensor_name(tensor)
            if owner is not None:
                name = owner[1]
            value = self.values.add(tensor, 0, name)
            value.is_input = owner is None
            self.values.allocate(tensor, 0, category, owner[0] if owner else "", name)
            if name:
                self._measure(value, tensor, None, owner[0] if owner else "", "")
            return value
        except Exception as error:
            self.notes.failed("a tensor that an operator reads", error, len(self.events) + 1)
            return None

    def _measure(self, value, tensor, event, scope, op):
        try:
            if self._statistics is not None:
                self._measure_numbers(value, tensor, event)
            if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type == "meta":
                return
            if self._wants(scope, op) and value.bytes <= self._left:
                self.arrays.append(compact_copy(tensor.detach()))
                self._left -= value.bytes
                value.array = len(self.arrays)
        except Exception as error:
            self.notes.failed("numbers or elements of a tensor", error, len(self.events))

    def _measure_numbers(self, value, tensor, event):
        def tell(row):
            value.statistics = row
            if event is not None and (row[1] or row[2]):
                event.has_nan = event.has_nan or row[1] > 0
                event.has_inf = event.has_inf or row[2] > 0

        numbers = self.values.numbers(tensor)
        lacking = ""
        if numbers is None:
            lacking = self._statistics.measure(tensor, tell)
        else:
            numbers.then(tell)
            if not numbers.is_asked:
                numbers.is_asked = True
                lacking = self._statistics.measure(tensor, numbers.take)
        if lacking:
            self.notes.left_out(lacking, len(self.events))

    # Operators.

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if self.is_forked:
            # A worker of a DataLoader, for one, never comes to the end of the recording.
            self.is_forked = False
            self.has_ended = multiprocessing.current_process() is not self._process
        if self.has_ended or is_own() or getattr(function, "namespace", "") == "profiler":
            return call_operator(function, arguments, keywords)
        if not has_room():
            self._lacked_room = True
            return call_operator(function, arguments, keywords)
        call, is_for_subclass = None, False
        entered = time.perf_counter()
        with self.own("an operator before it runs"):
            aside = _aside.why()
            if self._lacked_room:
                self._lacked_room = False
                self.notes.left_out("operators at the end of Python's stack", len(self.events) + 1)
            if aside is not None:
                self.notes.left_out(f"operators while {aside}", len(self.events) + 1)
            elif not all(map(_aside.has_plain_class, types)):
                # What the class makes of it are operators that are seen.
                is_for_subclass = True
            else:
                call = self._begin_call(function, arguments, keywords)
        if is_for_subclass:
            return NotImplemented
        start = time.perf_counter()
        self._lost += start - entered
        if call is None:
            return call_operator(function, arguments, keywords)
        event = call.event
        event.start = start - self._began - self._lost
        try:
            result = call_operator(function, arguments, keywords)
        except BaseException as error:
            event.duration = time.perf_counter() - start
            with self.own("an operator that failed"):
                self._fail(call, error)
            raise
        end = time.perf_counter()
        event.duration = end - start
        with self.own("an operator after it ran"):
            self._finish(call, (function, arguments, keywords), result)
        self._lost += time.perf_counter() - end
        return result

    def _begin_call(self, function, arguments, keywords):
        """None: it is autograd's own."""
        where = caller()
        is_detach = function is _detach
        here = self._here
        if is_detach:
            # Autograd detaches what it saves and unpacks: in the call of another operator, not in one of its own.
            last = here.last_call
            same = last is not None and last[:3] == (id(where), where.f_code, where.f_lasti)
            if is_engine(where) or (same and not last[3]):
                return None
        operator = self._operators.get(function)
        if operator is None:
            operator = self._operators[function] = Operator(function)
        here.last_call = (id(where), where.f_code, where.f_lasti, is_detach)
        nodes = self.autograd.nodes
        nodes.settle()
        call = _Call()
        call.event = event = Event(operator)
        call.operator = operator
        self.values.settle(len(self.events))
        tensors = list(tensors_of_call(arguments, keywords))
        if self.collectives.pending:
            self.collectives.settle(tensors)
        call.waits = self.collectives.waits(call, arguments)
        call.inputs = [
            (key, value, tensor)
            for key, tensor in tensors
            for value in (self._known(tensor),)
            if value is not None
        ]
        if operator.is_collective:
            # What a rank gives is held against what the others give; buckets are filled by no operator.
            for _, value, tensor in call.inputs:
                if value.statistics is None:
                    self._measure(value, tensor, None, "", operator.name)
        self._place(event, where)
        event.inputs = [value.number for _, value, _ in call.inputs]
        event.arguments = operator.arguments(arguments, keywords)
        event.before = event.after = event.peak = self.values.alive
        call.device = _device(tensor for _, _, tensor in call.inputs)
        event.marks = _marks(call.device)
        self.events.append(event)
        call.number = len(self.events)
        return call

    def _place(self, event, where):
        event.file, event.line, event.phase = self._places.of(where)
        if self.autograd.nodes.running() is not None:
            event.phase = BACKWARD
        stack = self._here.stack
        if stack:
            event.scope, event.frame, event.depth = stack[-1].scope, stack[-1].number, len(stack)
        number = len(self.events) + 1
        if event.phase == FORWARD:
            self.autograd.nodes.before_forward(number)
            event.is_hooked = self.autograd.hooks.are_in_force()
        elif event.phase == BACKWARD and not stack:
            self.autograd.place(event, number)

    def _fail(self, call, error):
        event = call.event
        event.failed, event.error = True, line_of(error)
        event.after = event.peak = self.values.alive
        event.marks = None

    def _finish(self, call, asked, result):
        event, operator, number = call.event, call.operator, call.number
        if event.marks is not None:
            event.marks[1].record()
        event.flops = _costs.flops(*asked, result)
        if operator.is_higher_order:
            self.notes.left_out(f"operators inside of {operator.name}", number)
        written = [tensor for key, _, tensor in call.inputs if key in operator.written]
        for tensor in written:
            self.values.written(tensor)
        results = tensors_in(result)
        if written:
            made = {id(tensor) for tensor in results}
            results += [tensor for tensor in written if id(tensor) not in made]
        event.moved = float(sum(value.bytes for _, value, _ in call.inputs))
        if operator.is_collective:
            self.collectives.launched(call, *asked[1:], result)
            if operator.name.startswith("c10d::"):
                results = []
        if call.waits is not None:
            self.collectives.waited(call.waits, call)
        for tensor in results:
            value = self.made(event, number, operator, tensor)
            if value is not None:
                event.outputs.append(value.number)
        event.after = self.values.alive
        event.peak = max(event.before, event.after)
        if event.peak >= self.values.peak:
            self.values.peak, self.peak_event = event.peak, number
        if call.device is not None:
            event.device, event.launch = str(call.device), event.duration
        if event.phase == FORWARD:
            self.autograd.nodes.after_forward(number, operator.name, results)
            stack = self._here.stack
            event.node = self.graph.operator(
                self._group(stack[-1]) if stack else -1,
                operator.name,
                event.scope,
                (event.file, event.line),
                event.arguments,
                [value for _, value, _ in call.inputs],
                event.outputs,
            )

    def made(self, event, number, operator, tensor):
        """The value of a result; None for what cannot be looked at."""
        try:
            if not _aside.is_plain(tensor):
                self.notes.left_out(_odd(tensor), number)
                return None
            known = self.values.find(tensor)
            if known is not None:
                return known  # handed through, or a view that shows what another one does
            owner = self.tree.tensor_name(tensor)
            value = self.values.add(tensor, number, owner[1] if owner else "")
            category = ACTIVATION if event.phase == FORWARD else GRADIENT if event.phase == BACKWARD else OTHER
            self.values.allocate(tensor, number, category, event.scope, value.name)
            event.moved += value.bytes
            self._measure(value, tensor, event, event.scope, operator.name)
            return value
        except Exception as error:
            self.notes.failed("a result of an operator", error, number)
            return None

    def finish_graph(self):
        """Says which values are the model's results."""
        for number, value in enumerate(self.result):
            self.graph.output(value.number, f"out{number}")
        self.result = []


def _odd(tensor):
    if not _aside.has_plain_class(type(tensor)):
        return f"tensors of the class {type(tensor).__name__}, which has a dispatch of its own"
    return "nested tensors"
