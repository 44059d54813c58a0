# SPDX-License-Identifier: Apache-2.0
"""A recorded program does what it does without: same results, same errors, same calls of its own hooks."""

import gc
import os
import random
import resource
import struct
import sys
import tempfile
import threading
import unittest

from recordings import ERROR, FAILED, OUTPUTS, Recording, check_opens, record

import torch
from torch import nn

import tensorloupe
from programs import PROGRAMS, Missing
from tensorloupe import _aside, _recorder


def _outcome(function):
    torch.manual_seed(1234)
    random.seed(1234)
    try:
        return repr(function())
    except Missing:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class Unchanged(unittest.TestCase):
    def test_programs(self):
        for name, function in PROGRAMS.items():
            with self.subTest(name):
                try:
                    plain = _outcome(function)
                except Missing:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "run.loupe")
                    with tensorloupe.record(None, path) as recording:
                        recorded = _outcome(function)
                    self.assertEqual(plain, recorded)
                    self.assertIsNone(recording.error)
                    Recording(path)
                    check_opens(path)

    def test_nothing_stays_behind(self):
        before = [
            sys.getrecursionlimit(),
            torch.nn.Module.__call__,
            torch.nn.Module._call_impl,
            dict(torch.Tensor.__dict__),
            dict(vars(torch._C._autograd)),
            torch._C._len_torch_dispatch_stack(),
        ]
        record(lambda: torch.ones(2) * 2)
        after = [
            sys.getrecursionlimit(),
            torch.nn.Module.__call__,
            torch.nn.Module._call_impl,
            dict(torch.Tensor.__dict__),
            dict(vars(torch._C._autograd)),
            torch._C._len_torch_dispatch_stack(),
        ]
        self.assertEqual(before, after)

    def test_a_graph_that_outlives_the_recording(self):
        """Its nodes have nothing of the recorder's left."""
        x = torch.ones(3, requires_grad=True)
        kept = []

        def work():
            y = (x * x).exp().sum()
            y.backward(retain_graph=True)
            kept.append(y)

        record(work)
        gc.collect()
        self.assertEqual([each for each in gc.get_objects() if type(each).__name__ == "Recorder"], [])
        kept[0].backward()


class Failures(unittest.TestCase):
    """The recorder's own."""

    def broken(self, name, value, work):
        kept = getattr(_recorder.Recorder, name)
        setattr(_recorder.Recorder, name, value)
        try:
            return record(work)
        finally:
            setattr(_recorder.Recorder, name, kept)

    def test_they_are_said_once_a_kind(self):
        def fails(*_, **__):
            raise ZeroDivisionError("by\nnothing")

        results = []

        def work():
            net = nn.Linear(3, 3)
            y = net(torch.ones(2, 3))
            y.sum().backward()
            results.append(net.weight.grad.sum().item())

        for name in ("_begin_call", "_finish", "_open_frame", "_known", "made", "_measure", "_place", "_fail"):
            with self.subTest(name):
                run = self.broken(name, fails, work)
                if name != "_fail":
                    self.assertEqual(len([each for each in run.notes if "ZeroDivisionError: by" in each]), len(run.notes))
                    self.assertLessEqual(len(run.notes), 3)
                    self.assertGreater(len(run.notes), 0)
                self.assertFalse(any("\n" in each for each in run.notes))
        self.assertEqual(set(results), {results[0]})

    def test_the_end_of_pythons_stack(self):
        """Wherever in the recorder's own work it is met, what comes later is recorded."""

        def work():
            for steps in range(12):

                def down(x, number):
                    return down(x, number + 1) if number % (steps + 1) else down(x.sin(), number + 1)

                with self.assertRaises(RecursionError):
                    down(torch.ones(2), 0)
            return nn.Identity()(torch.ones(2).cos())

        run = record(work)
        self.assertEqual(run.ops[-1], "aten::cos")
        self.assertEqual(run.json["frames"][-1][0], 0)
        beside = threading.Thread(target=lambda: record(lambda: torch.ones(2)))
        beside.start()
        beside.join(60)
        self.assertFalse(beside.is_alive())

    def test_an_interrupt_is_the_programs(self):
        """Of an operator that Ctrl+C ended the row can be written."""
        library = getattr(torch, "library", None)
        if library is None or not hasattr(library, "Library"):
            self.skipTest("no torch.library")
        own = library.Library("loupe_test", "DEF")
        own.define("stop(Tensor x) -> Tensor")

        def stop(x):
            raise KeyboardInterrupt

        own.impl("stop", stop, "CPU")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.loupe")
            with self.assertRaises(KeyboardInterrupt):
                with tensorloupe.record(None, path):
                    torch.ops.loupe_test.stop(torch.ones(2) * 2)
            run = Recording(path)
            check_opens(path)
        self.assertEqual(run.ops[-1], "loupe_test::stop")
        self.assertTrue(run.events[-1][FAILED])
        self.assertEqual(run.events[-1][ERROR], "KeyboardInterrupt")

    def test_the_programs_own_error_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.loupe")
            with self.assertRaisesRegex(ValueError, "its own"):
                with tensorloupe.record(None, path):
                    torch.ones(2)
                    os.rmdir(folder)
                    raise ValueError("its own")
            self.assertFalse(os.path.exists(path))
            os.mkdir(folder)


class Told(unittest.TestCase):
    """What is looked at is right, and what is not is said."""

    def test_signs_of_views(self):
        x = torch.tensor([1 + 2j, 3 - 4j])

        def work():
            y = x.conj()
            z = torch._neg_view(torch.tensor([1.0, 2.0]))
            return y * 1, z.clone()

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.loupe")
            with tensorloupe.record(None, path):
                work()
            run = Recording(path)
            for op, expected in (("aten::_conj", (1.0, -2.0, 3.0, 4.0)), ("aten::_neg_view", (-1.0, -2.0))):
                value = run.value(run.event(op)[OUTPUTS][0])
                found = run.elements(path, value)
                self.assertEqual(struct.unpack(f"<{len(found) // 4}f", found), expected)
            self.assertEqual(value[10][4:6], [-2.0, -1.0])

    def test_threads_have_their_own_modules(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x

        net, other = Net(), Net()
        has_ended = threading.Event()

        def work():
            with torch.no_grad():
                while not has_ended.is_set():
                    other(torch.ones(2, 8))

        beside = threading.Thread(target=work)
        beside.start()
        try:
            run = record(lambda: [net(torch.ones(2, 8)) for _ in range(30)], net)
        finally:
            has_ended.set()
            beside.join()
        scopes = [scope for scope, op in zip(run.scopes, run.ops) if op == "aten::addmm"]
        self.assertEqual(scopes, [f"layers.{number % 4}" for number in range(120)])
        self.assertEqual(len(run.json["frames"]), 150)
        self.assertTrue(any("threads" in note for note in run.notes), run.notes)

    def test_what_is_stepped_aside_from(self):
        for name, said in (
            ("saved_hooks", "hooks for saved tensors"),
            ("nested_tensors", "nested tensors"),
            ("conditional", "inside of higher_order::cond"),
            ("fake_tensors", "fake"),
            ("traced", "torch.jit.trace"),
        ):
            with self.subTest(name):
                try:
                    PROGRAMS[name]()
                    run = record(PROGRAMS[name])
                except Missing:
                    continue
                if name == "fake_tensors" and not hasattr(torch._C, "_get_dispatch_mode"):
                    continue  # there it is a mode inside, whose operators are not seen
                self.assertTrue(any(said in note for note in run.notes), run.notes)
                self.assertTrue(all("\n" not in note for note in run.notes))

    def test_a_graph_that_is_captured(self):
        """As a device says it, which need not be there."""
        kept = _aside._is_capturing, torch.cuda.is_initialized
        _aside._is_capturing = torch.cuda.is_initialized = lambda: True
        try:
            run = record(lambda: nn.Linear(2, 2)(torch.ones(2)))
        finally:
            _aside._is_capturing, torch.cuda.is_initialized = kept
        self.assertEqual(run.events, [])
        self.assertTrue(all("CUDA graph is captured" in note for note in run.notes), run.notes)

    def test_names_that_are_no_text(self):
        net = nn.Module()
        net.add_module("a\udc80b", nn.Linear(2, 2))
        run = record(lambda: net._modules["a\udc80b"](torch.ones(2)), net)
        self.assertIn("a\\udc80b", run.scopes)

    def test_a_model_that_is_gone(self):
        def work():
            net = nn.Sequential(nn.Linear(3, 2))
            net(torch.ones(1, 3))

        run = record(work)
        self.assertEqual([row["path"] for row in run.json["model"]["modules"]], ["", "0"])

    def test_memory_of_views_that_overlap(self):
        """A view of 225 million elements over 30,000 takes the memory of these."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run = record(lambda: torch.arange(30000.0).unfold(0, 15000, 1))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 200 << 10)  # KiB
        self.assertTrue(any("too many times" in note for note in run.notes), run.notes)
        small = record(lambda: torch.arange(2000.0).unfold(0, 1000, 1))
        value = small.value(small.event("aten::unfold")[OUTPUTS][0])
        self.assertEqual(value[10][0], 1001 * 1000)
        self.assertTrue(value[11])

    def test_memory_of_large_tensors(self):
        """Temporary copies of a piece, not of all: bytes are counted as float64."""
        x = torch.ones(1 << 26, dtype=torch.uint8)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        record(lambda: x.view(-1, 2).t(), values="none")
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 100 << 10)


if __name__ == "__main__":
    unittest.main()
