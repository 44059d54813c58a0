# SPDX-License-Identifier: Apache-2.0
"""tensorloupe.watch(): a training in progress, for a window on this machine or over ssh."""

import atexit
import collections
import fnmatch
import hashlib
import itertools
import os
import resource
import sys
import threading
import time
import weakref

import torch

from . import _aside, _target
from ._model import ModuleTree, shown_path, source_of, sources
from ._module_calls import ModuleCalls
from ._notes import line_of
from ._own_work import OwnWork, has_room, is_own
from ._record import _MORE_CALLS, record
from ._watch_device import Bundle
from ._watch_line import Line
from ._watch_rows import hello, numbers, optimizer_text, program_name, rounded
from ._watch_sample import Parameters, Sample
from ._watch_steps import BackwardRoots, OptimizerSteps, ScaledLosses

_FLUSH_EVERY = 0.5  # seconds, of numbers that are there for each step
_MOST_STEPS = 1000  # between two of them
_MOST_PENDING = 8  # samples on their way from a device
_RECTIFIERS = ("ReLU", "ReLU6", "Threshold")
_RECORDING_BUDGET = 64 << 20

_count = itertools.count(1)
_live = weakref.WeakSet()


def _forked():
    for each in _live:
        each.lock = threading.RLock()
        each._is_over = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


@atexit.register
def _close_all():
    for each in list(_live):
        each.close()


def _plain_model(model):
    """Without what torch.compile and DistributedDataParallel put around it."""
    parallel = (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)
    while True:
        if "_orig_mod" in model._modules:
            model = model._modules["_orig_mod"]
        elif isinstance(model, parallel):
            model = model.module
        else:
            return model


def _ranks():
    """(rank, ranks, rank on this machine) as torch.distributed or torchrun say."""
    distributed = torch.distributed
    rank, given = _target.rank(), os.environ.get("WORLD_SIZE", "1")
    ranks = int(given) if given.isdigit() and "LOCAL_RANK" in os.environ else 1
    if distributed.is_available() and distributed.is_initialized():
        ranks = distributed.get_world_size()
    local = os.environ.get("LOCAL_RANK", "")
    return rank, max(ranks, rank + 1), int(local) if local.isdigit() else rank


def _run_name(ranks):
    """The same in all ranks of a run, and in no other one of this machine."""
    if ranks == 1:
        return f"{os.getpid()}"
    parts = [os.environ.get(name, "") for name in ("TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_ID")]
    if not parts[2]:
        parts.append(str(os.getppid()))  # that has started them all
    return "run-" + hashlib.sha1(":".join(parts).encode()).hexdigest()[:12]


class _Nothing:
    def forget_last(self):
        pass


class _Step:
    """What there is of every one."""

    __slots__ = ("step", "loss", "rate", "seconds", "wait")


class watch:
    """Shows a training while it runs: `tensorloupe --attach`, or File > Attach to a training.

        watcher = tensorloupe.watch(model, optimizer)

    A step is a call of optimizer.step(). Of each there is its loss (what backward() started from; the sum, where that
    was several times), the learning rate, its time and the time it waited for data; of every `every`-th norms of
    parameters, gradients and updates, their statistics and histograms, memory, and what modules gave.

    model: whose parameters and modules are watched; one, or a list of several.
    optimizer: one or a list, the first counts the steps; None: each that steps parameters of the model, the first of
        them counts (PyTorch 2.0 and later); False: none, step() is called by hand.
    activations: patterns of module paths ("layer1.*") whose results are measured, and whose elements are sent.
    budget: bytes of these elements a sample.
    histogram: False leaves histograms of magnitudes out.
    file: rows go there too, to be opened later; what was there is kept as run.before.watch. None: no file.

    The program does what it does without. An error of the watching is said once on stderr and ends the watching; it is
    `error` then. Raises OSError where the file cannot be written.
    """

    def __init__(
        self,
        model,
        optimizer=None,
        every=100,
        *,
        activations=(),
        budget=4 << 20,
        histogram=True,
        file="run.watch",
    ):
        self.lock = threading.RLock()
        self.values, self.events, self.notes = _Nothing(), (), self
        self.error = None
        self._is_over = False
        self._every = max(1, int(every))
        self._patterns = [activations] if isinstance(activations, str) else list(activations)
        self._budget, self._histogram = int(budget), bool(histogram)
        self._models = [_plain_model(each) for each in (model if isinstance(model, (list, tuple)) else [model])]
        self._optimizers = optimizer
        if isinstance(optimizer, torch.optim.Optimizer):
            self._optimizers = [optimizer]
        self._step = 0
        self._main = None
        self._sample = None
        self._chosen = {}
        self._pending = collections.deque()
        self._losses = {}  # since the last step, by what has to be added
        self._scaled = None
        self._given_loss = None
        self._steps = []
        self._reports = []
        self._flushed = self._stepped = time.perf_counter()
        self._waits, self._waited = False, 0.0
        self._orders = collections.deque()
        self._pause_at = None
        self._goes = threading.Event()
        self._records_next, self._recording = False, None
        self._is_parked = False
        self._optimizer_text = ""
        rank, ranks, local = _ranks()
        self._more = {"rank": rank} if rank else {}
        path = None if file is None else _target.resolved(file)
        # Recordings of a step are named alike in all ranks: theirs add the rank.
        self._base = path or os.path.abspath(os.path.splitext(program_name())[0])
        if ranks > 1 and local:
            path = None
        elif path is not None and rank:
            path = _target.with_part(path, f"rank{rank}")
        self._begin(rank, ranks, local, path)

    # Where it begins and ends.

    def own(self, what):
        return OwnWork(self, what)

    def _begin(self, rank, ranks, local, path):
        number = next(_count)
        run = _run_name(ranks)
        name = run if number == 1 else f"{run}-{number}"
        self._hello = hello(self._every, rank, ranks, run)
        self._line = Line(self._hello, name, ranks > 1 and local > 0, path, self._take_order, self._state)
        self.path, self.address = path, self._line.address
        if self._line.error is not None:
            self._say(f"no window can attach: {self._line.error}")
        with self.own("the model"):
            self._describe()
        given = None if self._optimizers is None else self._optimizers or []
        self._hooks = OptimizerSteps(given, self._before_step, self._after_step)
        self._roots = BackwardRoots(self._note_roots)
        self._scales = ScaledLosses(self._note_scaled)
        self._calls = ModuleCalls(self._enter_module, self._leave_module)
        if given or given is None:
            self._hooks.begin()
        with self.own("backward"):
            self._roots.begin()
            self._scales.begin()
            self._calls.begin()
        self._limit = sys.getrecursionlimit()
        sys.setrecursionlimit(self._limit + _MORE_CALLS)
        _live.add(self)
        self._start_sample()

    def _describe(self):
        tree = ModuleTree()
        for each in self._models:
            tree.add(each, lambda tensor: 0)
        self._parameters = Parameters(tree, self._optimizers or ())
        self._choose(tree)
        program = os.path.abspath(sys.argv[0]) if getattr(sys, "argv", None) and os.path.isfile(sys.argv[0]) else ""
        file = source_of(self._models[0])
        if file.startswith(os.path.dirname(torch.__file__) + os.sep):  # nn.Sequential, for one
            file = program
        folder = os.getcwd()
        modules = tree.describe(lambda tensor: 0)
        own = {id(each): each for root in self._models for each in root.parameters() if _aside.is_plain(each)}
        self._line.put(
            {
                "kind": "model",
                **self._more,
                "parameters": self._parameters.names,
                "model": {
                    "path": shown_path(file, folder),
                    "title": type(self._models[0]).__name__,
                    "format": f"trained by {program_name()} in PyTorch {torch.__version__}",
                    "file_bytes": 0,
                    "modules": modules,
                    "methods": [],
                    "sources": sources([each for each in {file, program} if each], folder),
                    "parameter_count": sum(each.numel() for each in own.values()),
                    "parameter_bytes": sum(each.numel() * each.element_size() for each in own.values()),
                    "buffer_bytes": 0,
                    "missing_operators": [],
                },
            }
        )

    def _choose(self, tree):
        """Modules whose results are measured: (a reference, path, are its elements sent, dimension of units)."""
        for root in self._models:
            before = None
            for module in root.modules():
                path = tree.path(module)
                kind = type(module).__name__
                wanted = any(fnmatch.fnmatchcase(path or "", pattern) for pattern in self._patterns)
                units = (1 if before is not None and ("Conv" in before or "BatchNorm" in before) else -1) if kind in _RECTIFIERS else 0
                if path is not None and (wanted or units):
                    self._chosen[id(module)] = weakref.ref(module), path, wanted, units
                before = kind

    def close(self):
        """Ends the watching; what was seen is written. The program may end without it."""
        if self._is_over and self._line is None:
            return
        self._end_recording()
        over, self._is_over = self._is_over, True
        self._hooks.end()
        self._stop_hearing()
        line, self._line = self._line, None
        if line is None:
            return
        if not over and self.error is None:
            try:
                with self.own("the end"):
                    self._flush(line)
                    self._settle(line, wait=True)
            except Exception:
                pass
            line.put({"kind": "end", **self._more, "step": self._step})
        line.end()
        _live.discard(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
        return False

    def _stop_hearing(self):
        self._roots.end()
        self._scales.end()
        self._calls.end()
        if sys.getrecursionlimit() == self._limit + _MORE_CALLS:
            sys.setrecursionlimit(self._limit)

    # As notes of its own work: an error ends it, not the training.

    def failed(self, what, error, event=0):
        if self.error is not None:
            return
        self.error = error
        text = f"{what}: {type(error).__name__}: {line_of(error)}"
        self._say(f"no longer watching, the training goes on: {text}")
        self._is_over = True
        self._sample = None
        line = self._line
        if line is not None:
            line.put({"kind": "note", **self._more, "text": text})
            line.put({"kind": "end", **self._more, "step": self._step})

    @staticmethod
    def _say(text):
        try:
            sys.stderr.write(f"tensorloupe.watch: {text}\n")
        except Exception:  # there is none, or the program has closed it
            pass

    def _state(self):
        known = {"step": self._step, "every": self._every, "parked": self._is_parked, "time": time.time()}
        return {**known, "optimizer": self._optimizer_text} if self._optimizer_text else known

    # The loss.

    def _note_scaled(self, loss, result):
        if not self._is_over and not is_own():
            with self.own("a scaled loss"):
                self._scaled = weakref.ref(result), loss.detach()

    def _note_roots(self, roots):
        if self._is_over or is_own():
            return
        with self.own("the loss"):
            if _aside.why() is not None:
                return
            for root in roots:
                if isinstance(root, torch.Tensor) and root.numel() == 1 and _aside.is_plain(root):
                    self._add_loss(root)

    def _add_loss(self, root):
        scaled, self._scaled = self._scaled, None
        loss = scaled[1] if scaled is not None and scaled[0]() is root else root.detach()
        if loss.is_complex():
            return
        # Inside a step, of LBFGS for one, the first of several is that of the step.
        if self._is_inside and self._losses:
            return
        loss = loss.item() if loss.device.type == "cpu" else loss.clone().reshape(())
        key = None if isinstance(loss, float) or isinstance(loss, int) else loss.device
        before = self._losses.get(key)
        self._losses[key] = loss if before is None else before + loss

    _is_inside = False

    # Steps.

    def _before_step(self, optimizer):
        if self._is_over or is_own():
            return
        self._is_inside = True
        with self.own("before a step"), torch.no_grad():
            if self._main is None or self._main() is None:
                if self._parameters.of(optimizer):
                    self._main = weakref.ref(optimizer)
                    self._name_optimizer(optimizer)
                    if self._step == 0:
                        self._step = self._steps_done(optimizer)
            if self._sample is not None and _aside.why() is None:
                self._sample.before(optimizer)

    def _name_optimizer(self, optimizer):
        if not self._optimizer_text:
            self._optimizer_text = optimizer_text(optimizer)
            self._line.put({"kind": "optimizer", **self._more, "text": self._optimizer_text})

    @staticmethod
    def _steps_done(optimizer):
        """Of a training that goes on from a checkpoint, as its optimizer counts them."""
        for state in itertools.islice(optimizer.state.values(), 1):
            step = state.get("step", 0) if isinstance(state, dict) else 0
            return int(step)
        return 0

    def _after_step(self, optimizer):
        self._is_inside = False
        if self._is_over or is_own():
            return
        is_main = False
        with self.own("after a step"), torch.no_grad():
            if self._sample is not None:
                self._sample.after(optimizer)
            is_main = self._main is not None and self._main() is optimizer
            if is_main:
                self._count(optimizer)
            elif self._losses:
                self._report_loss(optimizer)
        if is_main and not self._is_over:
            self._turn()

    def step(self, loss=None):
        """By hand, where no optimizer of PyTorch steps: the step is over, its gradients are still there."""
        if self._is_over or is_own():
            return
        with self.own("a step"), torch.no_grad():
            if loss is not None:
                self._given_loss = loss.detach().clone() if isinstance(loss, torch.Tensor) else float(loss)
            if self._sample is not None:
                self._sample.before(_ByHand(self._models))
            self._count(None)
        if not self._is_over:
            self._turn()

    def loss(self, value):
        """What to show as the loss of the step under way, in place of what backward() started from."""
        with self.own("the loss"):
            self._given_loss = value.detach().clone() if isinstance(value, torch.Tensor) else float(value)

    def log(self, **values):
        """Curves of the program's own: watcher.log(accuracy=0.9)."""
        if self._is_over:
            return
        with self.own("what is logged"), torch.no_grad():
            for name, value in values.items():
                value = value.detach().clone() if isinstance(value, torch.Tensor) else float(value)
                self._reports.append((name.replace("__", "/"), self._step, value))

    def _report_loss(self, optimizer):
        (value, *_), self._losses = self._losses.values(), {}
        self._reports.append((f"loss of {type(optimizer).__name__} 2", self._step, value))

    def _count(self, optimizer):
        now = time.perf_counter()
        self._step += 1
        done = _Step()
        done.step = self._step
        loss, self._given_loss = self._given_loss, None
        if loss is None:
            loss = next(iter(self._losses.values()), None)
        self._losses = {}
        done.loss = loss
        rate = optimizer.param_groups[0].get("lr") if optimizer is not None and optimizer.param_groups else None
        done.rate = float(rate) if isinstance(rate, (int, float)) or (isinstance(rate, torch.Tensor) and rate.device.type == "cpu") else None
        done.seconds, done.wait = now - self._stepped, self._waited
        self._steps.append(done)
        sample, self._sample = self._sample, None
        line = self._line
        # A sample stands before the steps that it is one of.
        if sample is not None:
            self._send_sample(sample, line)
        if sample is not None or now - self._flushed > _FLUSH_EVERY or len(self._steps) >= _MOST_STEPS:
            self._flush(line)
        self._settle(line)
        self._start_sample()
        self._waits, self._waited = True, 0.0
        self._stepped = time.perf_counter()

    def _start_sample(self):
        upcoming = self._step + 1
        if (upcoming % self._every == 0 or self._sample_next) and len(self._pending) < _MOST_PENDING:
            self._sample_next = False
            self._sample = Sample(self._parameters, self._budget, self._histogram)

    _sample_next = True  # the first one too

    def _flush(self, line):
        steps, self._steps = self._steps, []
        reports, self._reports = self._reports, []
        self._flushed = time.perf_counter()
        if not steps and not reports:
            return
        bundle = Bundle()
        tensors = [(each, each.loss) for each in steps if isinstance(each.loss, torch.Tensor)]
        logged = [list(each) for each in reports]
        of_reports = [each for each in logged if isinstance(each[2], torch.Tensor)]

        def then(values):
            for (each, _), value in zip(tensors, values):
                each.loss = value
            for each, value in zip(of_reports, values[len(tensors) :]):
                each[2] = value

        found = [loss.reshape(()) for _, loss in tensors] + [each[2].reshape(()) for each in of_reports]
        if found:
            bundle.numbers(found, then)
        more = self._more

        def rows():
            made = []
            if steps:
                made.append(
                    lambda: {
                        "kind": "steps",
                        **more,
                        "step": [each.step for each in steps],
                        "loss": rounded([each.loss for each in steps], 9),
                        "rate": numbers(each.rate for each in steps),
                        "seconds": rounded([each.seconds for each in steps]),
                        "wait": rounded([each.wait for each in steps]),
                    }
                )
            if logged:
                made.append(
                    lambda: {"kind": "curves", **more, "points": [[tag, step, *numbers([value])] for tag, step, value in logged]}
                )
            return made

        self._pending.append((bundle, rows))

    def _send_sample(self, sample, line):
        sample.finish()
        step, more = self._step, self._more
        self._pending.append((sample.bundle, lambda: sample.rows(step, more)))
        memory = {"kind": "memory", **more, "step": step, "bytes": _memory()}
        self._pending.append((Bundle(), lambda: [memory]))

    def _settle(self, line, wait=False):
        if not line.is_alive():  # the disk is full, for one
            raise RuntimeError(line.error or "the thread that writes rows has ended")
        while self._pending and (wait or self._pending[0][0].is_there()):
            bundle, rows = self._pending.popleft()
            bundle.settle()
            for row in rows():
                line.put(row)

    # Between two steps: what a window orders.

    def _take_order(self, order):
        """The line's thread."""
        what = order.get("do")
        if what in ("continue", "gone"):
            if what == "continue" or self._is_parked or self._pause_at is not None:
                self._pause_at = None
                self._goes.set()
            return
        self._orders.append(order)

    def _turn(self):
        if self._recording is not None:
            self._end_recording()
        if self._orders:
            with self.own("an order"):
                self._obey()
        if self._pause_at is not None and self._step >= self._pause_at and not self._is_over:
            self._park()
        if self._records_next and not self._is_over:
            self._begin_recording()

    def _obey(self):
        while self._orders:
            order = self._orders.popleft()
            what = order.get("do")
            if what == "pause":
                at = order.get("at", 0)
                self._goes.clear()
                self._pause_at = at if isinstance(at, int) else 0
            elif what == "every" and isinstance(order.get("every"), int):
                self._every = min(max(1, order["every"]), 1 << 30)
                self._line.put({"kind": "every", **self._more, "every": self._every})
            elif what == "record":
                self._records_next = True
            elif what == "sample":
                self._sample_next = True
                if self._sample is None:
                    self._start_sample()
            elif what == "stop":
                self._flush(self._line)
                self._settle(self._line, wait=True)
                self._line.put({"kind": "end", **self._more, "step": self._step, "why": "the window ended the watching"})
                self._is_over = True
                self._sample = None
                self._stop_hearing()

    def _park(self):
        """Behind the step, before the program goes on; what a window wants meanwhile is done."""
        with self.own("a pause"):
            self._flush(self._line)
            self._settle(self._line, wait=True)
        self._is_parked = True
        self._line.put({"kind": "parked", **self._more, "step": self._step})
        try:
            # In pieces, so that Ctrl+C is heard.
            while not self._goes.wait(0.1) and self._line.is_alive() and not self._is_over:
                if self._orders:
                    with self.own("an order"):
                        self._obey_parked()
        finally:
            self._pause_at = None
            self._is_parked = False
            self._goes.clear()
            self._line.put({"kind": "running", **self._more, "step": self._step})
            self._stepped = time.perf_counter()

    def _obey_parked(self):
        self._orders = collections.deque(each for each in self._orders if each.get("do") != "pause")
        self._obey()

    # A step recorded whole.

    def _begin_recording(self):
        self._records_next = False
        path = f"{os.path.splitext(self._base)[0]}.step{self._step + 1}.loupe"
        try:
            recording = record(self._models[0] if len(self._models) == 1 else None, path, budget=_RECORDING_BUDGET)
            recording.__enter__()
            self._recording = recording, self._step + 1
        except Exception as error:
            self._line.put({"kind": "note", **self._more, "text": f"the step is not recorded: {line_of(error)}"})

    def _end_recording(self):
        if self._recording is None:
            return
        recording, step = self._recording
        if not recording.is_innermost():
            return  # a mode of the program's stands around it: behind the next step
        self._recording = None
        recording.__exit__(None, None, None)
        if recording.error is not None:
            row = {"kind": "note", "text": f"the step is not recorded: {line_of(recording.error)}"}
        else:
            row = {"kind": "recorded", "step": step, "path": recording.path}
        self._line.put({**row, **self._more})

    # Modules.

    def _enter_module(self, module, arguments):
        if self._waits:
            self._waits = False
            self._waited = time.perf_counter() - self._stepped
        sample = self._sample
        if sample is None or self._is_over or is_own():
            return None
        found = self._chosen.get(id(module))
        if found is None or found[0]() is not module or sample.has_seen(found[1]) or not torch.is_grad_enabled():
            return None
        if not has_room():
            return None
        entered = sample, found, type(module).__name__, sample.enter()
        return entered

    def _leave_module(self, entered, result):
        sample, (_, path, is_chosen, units), class_name, call = entered
        began, seconds = sample.leave(call)
        if sample is not self._sample or self._is_over or result is None:
            return
        with self.own("what a module gave"), torch.no_grad():
            if _aside.why() is not None:
                return
            dimension = units
            if units < 0:
                shape = getattr(result, "dim", None)
                dimension = 2 if shape is not None and result.dim() == 3 else 1
            sample.add_call(path, class_name, began, seconds, result, is_chosen, dimension)


class _ByHand:
    """Parameters of models as an optimizer has them."""

    def __init__(self, models):
        self.param_groups = [{"params": [each for model in models for each in model.parameters()]}]


def _memory():
    found = {}
    try:
        with open("/proc/self/statm") as file:
            found["process"] = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        found["process, at most"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        for number in range(torch.cuda.device_count()):
            held = torch.cuda.memory_allocated(number)
            if held:
                found[f"cuda:{number}"] = held
                found[f"cuda:{number}, at most"] = torch.cuda.max_memory_allocated(number)
    return found
