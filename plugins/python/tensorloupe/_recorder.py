# SPDX-License-Identifier: Apache-2.0
"""Watches a PyTorch program: every operator that it dispatches, the modules around it, the gradients that follow."""

import fnmatch
import itertools
import os
import sys
import threading
import time

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import _costs
from ._archive import Archive
from ._autograd import make_nodes
from ._graph import Graph
from ._model import ModuleTree, shown_path, source_of
from ._rows import recording_text
from ._statistics import Statistics
from ._values import ACTIVATION, BUFFER, GRADIENT, INPUT, OTHER, PARAMETER, Values, type_text

FORWARD, BACKWARD, OPTIMIZER = range(3)

# As their functions say it: a path that leads there another way is not how Python calls it.
_TORCH = os.path.dirname(torch.Tensor.backward.__code__.co_filename) + os.sep
_OPTIMIZERS = os.path.join(_TORCH, "optim") + os.sep
_AUTOGRAD = os.path.join(_TORCH, "autograd", "__init__.py")
_ENGINES = (_AUTOGRAD, os.path.join(_TORCH, "autograd", "graph.py"))  # who calls the engine, by release
_DYNAMO = os.path.join(_TORCH, "_dynamo") + os.sep
_OWN = os.path.dirname((lambda: 0).__code__.co_filename) + os.sep
_LONGEST_ARGUMENT = 80  # characters
_MOST_FRAMES = 400  # of Python, looked through for the line of the user's



class Event:
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
    )


class _Frame:
    __slots__ = ("number", "parent", "scope", "class_name", "function", "first", "last", "module", "group")


class _Places:
    """Where in the user's source a call is made, and whether backward or an optimiser is under way."""

    def __init__(self):
        self._kinds = {}  # by code: 0 the user's, 1 PyTorch's, 2 an optimiser's, 3 autograd's

    def _kind(self, code):
        name = code.co_filename
        if name == _AUTOGRAD and code.co_name in ("backward", "grad"):
            kind = 3
        elif name.startswith(_OPTIMIZERS):
            kind = 2
        elif name.startswith((_TORCH, _OWN, "<frozen", "<eval_with_key")) or name.endswith("runpy.py"):
            kind = 1
        else:
            kind = 0
        self._kinds[code] = kind
        return kind

    def here(self):
        """(file, line, phase)"""
        frame = sys._getframe(2)
        phase = FORWARD
        kinds = self._kinds
        for _ in range(_MOST_FRAMES):
            if frame is None:
                break
            code = frame.f_code
            kind = kinds.get(code)
            if kind is None:
                kind = self._kind(code)
            if kind == 0:
                return code.co_filename, frame.f_lineno, phase
            if kind == 2 and phase == FORWARD:
                phase = OPTIMIZER
            elif kind == 3:
                phase = BACKWARD
            frame = frame.f_back
        return "", 0, phase


def _caller():
    """The frame of Python that an operator was called from; what PyTorch 2 puts around a mode is none."""
    frame = sys._getframe(3)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_DYNAMO):
        frame = frame.f_back
    return frame


def _tensors(arguments, keywords):
    """(name or position, tensor) of all tensors, also in lists."""
    for key, argument in itertools.chain(enumerate(arguments), keywords.items()):
        if isinstance(argument, torch.Tensor):
            yield key, argument
        elif isinstance(argument, (list, tuple)):
            for each in argument:
                if isinstance(each, torch.Tensor):
                    yield key, each


def _results(result):
    """All tensors of a result: of lists, tuples and dictionaries too."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (list, tuple)):
        return [tensor for each in result for tensor in _results(each)]
    if isinstance(result, dict):
        return [tensor for each in result.values() for tensor in _results(each)]
    return []


def _device(inputs):
    """That an operator runs on when it is another one than the CPU."""
    for _, _, tensor in inputs:
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


def _text(value):
    if isinstance(value, torch.Tensor):
        return None
    if isinstance(value, (list, tuple)) and any(isinstance(each, torch.Tensor) for each in value):
        return None
    text = repr(value)
    return text if len(text) <= _LONGEST_ARGUMENT else text[: _LONGEST_ARGUMENT - 3] + "..."


class _Operator:
    """What there is to know of an operator before it is called."""

    def __init__(self, function):
        schema = function._schema
        self.name = schema.name
        self.overload = schema.overload_name
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
            text = None if value is None else _text(value)
            if text is not None:
                found.append(f"{name}={text}")
        return found


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


class Recorder(TorchDispatchMode):
    """Used by tensorloupe.record(), which says what its arguments are."""

    def __init__(self, model=None, values="all", budget=512 << 20, statistics=True, histogram=True):
        super().__init__()
        self.tree = ModuleTree()
        self._model = model
        self._learns_models = model is None
        self._wants = _strategy(values)
        self._left = int(budget)
        self._statistics = Statistics(histogram) if statistics else None
        self.values = Values()
        self._places = _Places()
        self.graph = Graph()
        self._operators = {}
        self.events = []
        self.frames = []
        self._stack = []
        self._arrays = []
        self._nodes = make_nodes(self._meet_node, self._claim)
        self._unclaimed = []  # backward events whose node is not known yet
        self._last_call = None  # the instruction of Python that the last event came from
        self.backward_start = None
        self.peak_event = 0
        self._began = 0.0
        self._lost = 0.0  # seconds that watching took
        self._lock = threading.RLock()
        self._off = 0
        self._handles = []
        self.result = []
        self._left_out = 0
        self.savings = {}  # (block, event): the node that keeps it
        self.model_file = ""

    # Where it begins and ends.

    def __enter__(self):
        self._off += 1
        if self._model is not None:
            self._add_model(self._model)
        module = torch.nn.modules.module
        self._handles.append(module.register_module_forward_pre_hook(self._enter_module))
        try:
            self._handles.append(module.register_module_forward_hook(self._leave_module, always_call=True))
        except TypeError:  # before PyTorch 2.1
            self._handles.append(module.register_module_forward_hook(self._leave_module))
        self._off -= 1
        super().__enter__()
        self._began = time.perf_counter()
        return self

    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        self._off += 1
        for handle in self._handles:
            handle.remove()
        self._handles = []
        while self._stack:
            self._close_frame()
        self.values.settle(len(self.events))
        self.values.stop_watching()
        if self._statistics is not None:
            self._statistics.take()
        self._off -= 1

    def _add_model(self, model):
        self.tree.add(model)
        self.model_file = self.model_file or source_of(model)
        for name, path, is_parameter, tensor in self.tree.tensors():
            self.values.allocate(tensor, 0, PARAMETER if is_parameter else BUFFER, path, name)

    # Modules.

    def _enter_module(self, module, arguments):
        if self._off:
            return
        begin = time.perf_counter()
        path = self.tree.path(module)
        if path is None and self._learns_models and not self._stack:
            self._add_model(module)
            path = self.tree.path(module)
        if path is None:
            path = self._stack[-1].scope if self._stack else ""
        frame = _Frame()
        frame.number = len(self.frames) + 1
        frame.parent = self._stack[-1].number if self._stack else 0
        frame.scope, frame.class_name, frame.function = path, type(module).__name__, "forward"
        frame.first, frame.last, frame.module = len(self.events) + 1, 0, module
        # In the graph a box is made when an operator stands in it; the root is the whole picture.
        frame.group = -1 if not self._stack else None
        self.frames.append(frame)
        self._stack.append(frame)
        if len(self._stack) == 1:
            self._off += 1
            for number, tensor in enumerate(_results(arguments)):
                self._known(tensor, f"arg{number}", INPUT)
            self.values.forget_last()
            self._off -= 1
        self._lost += time.perf_counter() - begin

    def _leave_module(self, module, arguments, result):
        if self._off:
            return
        begin = time.perf_counter()
        if any(frame.module is module for frame in self._stack):
            while self._stack[-1].module is not module:  # that an error left, before PyTorch 2.1
                self._close_frame()
            is_root = len(self._stack) == 1
            self._close_frame()
            if is_root:
                self.result = [self.values.find(tensor) for tensor in _results(result)]
                self.values.forget_last()
        self._lost += time.perf_counter() - begin

    def _close_frame(self):
        frame = self._stack.pop()
        frame.last = max(len(self.events), frame.first - 1)
        frame.module = None

    def _group(self, frame):
        if frame.group is None:
            above = self._stack[self._stack.index(frame) - 1]
            frame.group = self.graph.open_group(self._group(above), frame.class_name, frame.scope)
        return frame.group

    # Values.

    def _known(self, tensor, name="", category=OTHER):
        """The value of what is read; what nothing here has made is noted now."""
        value = self.values.find(tensor)
        if value is not None:
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

    def _measure(self, value, tensor, event, scope, op):
        if self._statistics is not None:

            def tell(row):
                value.statistics = row
                if event is not None and (row[1] or row[2]):
                    event.has_nan = event.has_nan or row[1] > 0
                    event.has_inf = event.has_inf or row[2] > 0

            numbers = self.values.numbers(tensor)
            if numbers is None:
                self._statistics.measure(tensor, tell)
            else:
                numbers.then(tell)
                if not numbers.is_asked:
                    numbers.is_asked = True
                    self._statistics.measure(tensor, numbers.take)
        if value.dtype.startswith("q") or tensor.layout != torch.strided or tensor.device.type == "meta":
            return
        if self._wants(scope, op):
            if value.bytes <= self._left:
                self._left -= value.bytes
                self._arrays.append(tensor.detach().to("cpu", copy=True))
                value.array = len(self._arrays)
            else:
                self._left_out += 1

    # Operators.

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if self._off or function.namespace == "profiler":
            return function(*arguments, **keywords)
        with self._lock:
            if function is torch.ops.aten.detach.default and self._is_bookkeeping():
                return function(*arguments, **keywords)
            return self._watch(function, arguments, keywords)

    def _is_bookkeeping(self):
        """Autograd detaches what it saves and unpacks: in the call of another operator, not in one of its own."""
        frame = _caller()
        if frame.f_code.co_filename in _ENGINES:
            return True
        last = self._last_call
        return last is not None and last[:3] == (id(frame), frame.f_code, frame.f_lasti) and not last[3]

    def _watch(self, function, arguments, keywords):
        entered = time.perf_counter()
        operator = self._operators.get(function)
        if operator is None:
            operator = self._operators[function] = _Operator(function)
        caller = _caller()
        is_detach = function is torch.ops.aten.detach.default
        self._last_call = (id(caller), caller.f_code, caller.f_lasti, is_detach)
        self._nodes.settle()
        event = Event()
        self.values.settle(len(self.events))
        self._place(event, operator)
        number = len(self.events) + 1
        self._off += 1
        self.values.forget_last()
        inputs = [(key, self._known(tensor), tensor) for key, tensor in _tensors(arguments, keywords)]
        self._off -= 1
        event.inputs = [value.number for _, value, _ in inputs]
        event.arguments = operator.arguments(arguments, keywords)
        event.before = self.values.alive
        event.failed, event.error, event.has_nan, event.has_inf = False, "", False, False
        event.flops, event.moved, event.outputs = 0.0, 0.0, []
        event.device, event.launch = "", 0.0
        device = _device(inputs)
        event.marks = _marks(device)
        self.events.append(event)
        self.values.forget_last()
        start = time.perf_counter()
        self._lost += start - entered
        event.start = start - self._began - self._lost
        try:
            result = function(*arguments, **keywords)
        except Exception as error:
            event.duration = time.perf_counter() - start
            event.failed, event.error = True, str(error).partition("\n")[0]
            event.after = event.peak = self.values.alive
            raise
        end = time.perf_counter()
        event.duration = end - start
        self._off += 1
        try:
            if event.marks is not None:
                event.marks[1].record()
            self._note_results(event, number, operator, (function, arguments, keywords), inputs, result, device)
        finally:
            self.values.forget_last()
            self._off -= 1
            self._lost += time.perf_counter() - end
        return result

    def _place(self, event, operator):
        event.op, event.overload = operator.name, operator.overload
        event.file, event.line, event.phase = self._places.here()
        node = self._nodes.running()
        if node is not None:
            event.phase = BACKWARD
        frame = self._stack[-1] if self._stack else None
        event.scope = frame.scope if frame else ""
        event.frame = frame.number if frame else 0
        event.depth = len(self._stack)
        event.node, event.peer, event.backward = -1, 0, 0
        number = len(self.events) + 1
        if event.phase == FORWARD:
            self._nodes.before_forward(number)
        elif event.phase == BACKWARD and frame is None:
            if self.backward_start is None:
                self.backward_start = (number, event.file, event.line)
            if node is not None:
                self._follow(event, number, self._nodes.meet(node), getattr(node, "variable", None))
            else:
                self._unclaimed.append(number)

    def _claim(self, peer, name, variable):
        unclaimed, self._unclaimed = self._unclaimed, []
        for number in unclaimed:
            self._follow(self.events[number - 1], number, peer, variable)

    def _follow(self, event, number, peer, variable):
        """A backward event stands where its forward event does, one of AccumulateGrad where its parameter does."""
        if peer == 0:
            owner = self.tree.tensor_name(variable) if variable is not None else None
            if owner is not None:
                event.scope = owner[0]
            return
        first = self.events[peer - 1]
        event.peer, event.scope = peer, first.scope
        event.file, event.line, event.depth = first.file, first.line, first.depth
        if first.backward == 0:
            first.backward = number

    def _meet_node(self, node, event):
        self._note_saved(node, event)
        # When it has run, what it made is known as gradients of what the forward event read.
        node.register_hook(self._gradient_hook(node.next_functions))

    def _gradient_hook(self, behind):
        targets = []
        for node, port in behind:
            variable = getattr(node, "variable", None) if node is not None else None
            if variable is not None:
                targets.append(variable)
            elif node is not None:
                targets.append((node, port))
            else:
                targets.append(None)

        def hook(gradients, _):
            self._off += 1
            try:
                for target, gradient in zip(targets, gradients):
                    if gradient is not None and target is not None:
                        self._name_gradient(target, gradient)
            finally:
                self.values.forget_last()
                self._off -= 1

        return hook

    def _name_gradient(self, target, gradient):
        value = self.values.find(gradient)
        if value is None or value.gradient_of:
            return
        if isinstance(target, tuple):
            node, port = target
            event = self._nodes.event_of(node)
            outputs = self.events[event - 1].outputs if event else []
            of = self.values.values[outputs[port] - 1] if port < len(outputs) else None
        else:
            of = self.values.find(target)
        if of is None:
            return
        value.gradient_of = of.number
        value.name = f"grad of {of.name or self._label(of)}"
        where = self.values.allocation_of(gradient)
        if where is not None and self.values.allocations[where].category in (ACTIVATION, OTHER):
            block = self.values.allocations[where]
            block.category = GRADIENT
            block.owner = block.owner or value.name

    def _label(self, value):
        return f"{self.events[value.producer - 1].op} #{value.producer}" if value.producer else f"%{value.number}"

    def _note_saved(self, node, by):
        """The blocks that a node keeps for its backward are those of its _saved_... that are tensors."""
        for name in dir(type(node)):
            if not name.startswith("_saved_"):
                continue
            try:
                saved = getattr(node, name)
            except RuntimeError:  # it has been let go of
                continue
            for tensor in _results(saved):
                where = self.values.allocation_of(tensor)
                if where is not None:
                    self.savings.setdefault((where, by), node.name())

    def _note_results(self, event, number, operator, call, inputs, result, device):
        event.flops = _costs.flops(*call, result)
        made = _results(result)
        written = [tensor for key, _, tensor in inputs if key in operator.written]
        for tensor in written:
            self.values.written(tensor)
        category = ACTIVATION if event.phase == FORWARD else GRADIENT if event.phase == BACKWARD else OTHER
        results = made + [tensor for tensor in written if not any(tensor is each for each in made)]
        moved = sum(value.bytes for _, value, _ in inputs)
        for tensor in results:
            known = self.values.find(tensor)
            if known is not None:
                event.outputs.append(known.number)  # handed through, or a view that shows what another one does
                continue
            owner = self.tree.tensor_name(tensor)
            value = self.values.add(tensor, number, owner[1] if owner else "")
            self.values.allocate(tensor, number, category, event.scope, value.name)
            event.outputs.append(value.number)
            moved += value.bytes
            self._measure(value, tensor, event, event.scope, operator.name)
        event.moved = float(moved)
        event.after = self.values.alive
        event.peak = max(event.before, event.after)
        if event.peak >= self.values.peak:
            self.values.peak, self.peak_event = event.peak, number
        if device is not None:
            event.device, event.launch = str(device), event.duration
        if event.phase == FORWARD:
            self._nodes.after_forward(number, operator.name, results)
            event.node = self.graph.operator(
                self._group(self._stack[-1]) if self._stack else -1,
                operator.name,
                event.scope,
                (shown_path(event.file), event.line),
                event.arguments,
                [(value.number, value.name, value.is_input, type_text(tensor)) for _, value, tensor in inputs],
                [(value, type_text(tensor)) for value, tensor in zip(event.outputs, results)],
            )

    # The file.

    def finish_graph(self):
        """Says which values are the model's results."""
        for number, value in enumerate(self.result):
            if value is not None:
                self.graph.output(value.number, f"out{number}")
        self.result = []

    def write(self, path, title=""):
        self._off += 1
        try:
            archive = Archive(path)
            try:
                archive.add("recording/version", b"1\n")
                for number, array in enumerate(self._arrays, 1):
                    archive.add_array(f"recording/values/{number}.npy", array)
                archive.add("recording/recording.json", recording_text(self, title))
                archive.finish()
            except BaseException:
                archive.abandon()
                raise
        finally:
            self._off -= 1
