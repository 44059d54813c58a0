# SPDX-License-Identifier: Apache-2.0
"""tensorloupe.watch(): rows are right, the program does what it does without, and windows cannot hold it up."""

import copy
import gc
import importlib
import math
import os
import pickle
import random
import socket
import stat
import subprocess
import sys
import time
import unittest
import warnings

from watching import Training, Window, net, of_kind, rows_of, runtime_folder, train, watched

import torch
from torch import nn

import tensorloupe
from programs import PROGRAMS, Missing
from recordings import HERE, PACKAGE, Recording, check_opens
from tensorloupe import _watch, _watch_history, _watch_line, _watch_sample

_RELEASE = tuple(int(part) for part in torch.__version__.split(".")[:2])


def _sgd(model, **options):
    return torch.optim.SGD(model.parameters(), lr=0.05, **options)


class Rows(unittest.TestCase):
    def test_every_step(self):
        model = net()
        optimizer = _sgd(model)
        torch.manual_seed(0)
        with watched(model, optimizer, every=10) as (watcher, said):
            losses = train(model, optimizer, 35)
            watcher.close()
            rows = rows_of(watcher.path)
        self.assertEqual(said.getvalue(), "")
        self.assertEqual([rows[0]["kind"], rows[1]["kind"], rows[-1]["kind"]], ["hello", "model", "end"])
        steps = [each for row in of_kind(rows, "steps") for each in row["step"]]
        self.assertEqual(steps, list(range(1, 36)))
        found = [each for row in of_kind(rows, "steps") for each in row["loss"]]
        for a, b in zip(found, losses):
            self.assertAlmostEqual(a, b, delta=1e-6 * abs(b))
        self.assertEqual([row["step"] for row in of_kind(rows, "sample")], [1, 10, 20, 30])
        self.assertTrue(all(rate == 0.05 for row in of_kind(rows, "steps") for rate in row["rate"]))
        # A sample stands before the steps that it is one of.
        at = {row["step"]: number for number, row in enumerate(rows) if row["kind"] == "sample"}
        for number, row in enumerate(rows):
            if row["kind"] == "steps":
                self.assertTrue(all(at[step] < number for step in row["step"] if step in at))

    def test_norms(self):
        model = net()
        optimizer = _sgd(model)
        expected = {}

        def note(number):
            expected[number + 1] = [float(each.grad.norm()) for each in model.parameters()]

        with watched(model, optimizer, every=5) as (watcher, _):
            before = [each.detach().clone() for each in model.parameters()]
            train(model, optimizer, 1, note)
            moved = [float((each - was).norm()) for each, was in zip(model.parameters(), before)]
            train(model, optimizer, 9)
            watcher.close()
            rows = rows_of(watcher.path)
        names = rows[1]["parameters"]
        self.assertEqual(names, [name for name, _ in model.named_parameters()])
        first = of_kind(rows, "sample")[0]
        for name, wanted in (("gradient", expected[1]), ("update", moved), ("weight", [float(each.norm()) for each in before])):
            for a, b in zip(first[name], wanted):
                self.assertAlmostEqual(a, b, delta=1e-4 * abs(b) + 1e-7)
        whole = math.sqrt(sum(each * each for each in expected[1]))
        self.assertAlmostEqual(first["gradient_norm"], whole, delta=1e-4 * whole)

    def test_statistics_and_activations(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=4, activations="0") as (watcher, _):
            with torch.no_grad():
                model[2].weight[:3] = -10
                model[2].bias[:3] = -10
            train(model, optimizer, 4)
            watcher.close()
            rows = rows_of(watcher.path)
        tensors = of_kind(rows, "tensors")[-1]
        self.assertEqual({name for name, _ in tensors["activations"]}, {"0", "1", "3"})
        self.assertEqual(len(tensors["weights"]), 6)
        units = dict(tensors["units"])
        self.assertEqual(units["3"][:3], "111")
        values = of_kind(rows, "values")[-1]
        self.assertEqual(values["rows"]["values"][0][3], [8, 16])
        self.assertEqual(len(values["elements"]), 1)

    def test_a_loss_that_is_given_and_curves(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer) as (watcher, _):
            for number in range(3):
                watcher.loss(float(number))
                watcher.log(accuracy=0.5, val__loss=torch.tensor(2.0))
                train(model, optimizer, 1)
            watcher.close()
            rows = rows_of(watcher.path)
        self.assertEqual([each for row in of_kind(rows, "steps") for each in row["loss"]], [0.0, 1.0, 2.0])
        tags = {point[0] for row in of_kind(rows, "curves") for point in row["points"]}
        self.assertEqual(tags, {"accuracy", "val/loss"})

    def test_gradients_are_accumulated(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer) as (watcher, _):
            sums = []
            for _ in range(3):
                optimizer.zero_grad()
                whole = 0.0
                for _ in range(4):
                    loss = model(torch.randn(8, 6)).pow(2).mean() / 4
                    loss.backward()
                    whole += loss.item()
                optimizer.step()
                sums.append(whole)
            watcher.close()
            rows = rows_of(watcher.path)
        found = [each for row in of_kind(rows, "steps") for each in row["loss"]]
        for a, b in zip(found, sums):
            self.assertAlmostEqual(a, b, delta=1e-6)

    def test_scaled_losses(self):
        scaler_of = getattr(getattr(torch, "amp", None), "GradScaler", None)
        if scaler_of is None:
            self.skipTest("no GradScaler for the CPU")
        model = net()
        optimizer = _sgd(model)
        scaler = scaler_of("cpu", init_scale=1024.0)
        with watched(model, optimizer) as (watcher, _):
            x = torch.randn(8, 6)
            loss = model(x).pow(2).mean()
            plain = torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            watcher.close()
            rows = rows_of(watcher.path)
        self.assertAlmostEqual(of_kind(rows, "steps")[0]["loss"][0], loss.item(), delta=1e-6)
        whole = math.sqrt(sum(float(each.norm()) ** 2 for each in plain))
        self.assertAlmostEqual(of_kind(rows, "sample")[0]["gradient_norm"], whole, delta=1e-4 * whole)

    def test_lbfgs(self):
        model = net()
        optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
        x = torch.randn(16, 6)
        firsts = []

        def step():
            calls = []

            def closure():
                optimizer.zero_grad()
                loss = (model(x) - 1).pow(2).mean()
                loss.backward()
                calls.append(loss.item())
                return loss

            optimizer.step(closure)
            firsts.append(calls[0])

        with watched(model, optimizer, every=2) as (watcher, _):
            for _ in range(4):
                step()
            watcher.close()
            rows = rows_of(watcher.path)
        found = [each for row in of_kind(rows, "steps") for each in row["loss"]]
        self.assertEqual(len(found), 4)
        for a, b in zip(found, firsts):
            self.assertAlmostEqual(a, b, delta=1e-6)
        self.assertTrue(all(each is not None for row in of_kind(rows, "sample") for each in row["gradient"]))

    @unittest.skipIf(_RELEASE < (2, 0), "has to be given the optimizers")
    def test_several_optimizers(self):
        one, two = net(), net()
        optimizers = [_sgd(one), torch.optim.Adam(two.parameters())]
        with watched([one, two], every=2) as (watcher, _):
            for _ in range(4):
                for model, optimizer in zip((one, two), optimizers):
                    train(model, optimizer, 1)
            watcher.close()
            rows = rows_of(watcher.path)
        self.assertEqual([each for row in of_kind(rows, "steps") for each in row["step"]], [1, 2, 3, 4])
        last = of_kind(rows, "sample")[-1]
        self.assertEqual(len(last["gradient"]), 12)
        self.assertTrue(all(each is not None for each in last["update"]))

    def test_a_training_that_goes_on(self):
        model = net()
        first = torch.optim.Adam(model.parameters())
        train(model, first, 7)
        optimizer = torch.optim.Adam(model.parameters())
        optimizer.load_state_dict(first.state_dict())
        with watched(model, optimizer) as (watcher, _):
            train(model, optimizer, 2)
            watcher.close()
            rows = rows_of(watcher.path)
        self.assertEqual([each for row in of_kind(rows, "steps") for each in row["step"]], [8, 9])

    def test_by_hand(self):
        model = net()
        with watched(model, False, every=2) as (watcher, _):
            for _ in range(4):
                model.zero_grad()
                loss = model(torch.randn(4, 6)).sum()
                loss.backward()
                with torch.no_grad():
                    for each in model.parameters():
                        each -= 0.01 * each.grad
                watcher.step(loss)
            watcher.close()
            rows = rows_of(watcher.path)
        self.assertEqual([row["step"] for row in of_kind(rows, "sample")], [1, 2, 4])
        self.assertEqual(len([each for row in of_kind(rows, "steps") for each in row["loss"]]), 4)

    def test_numbers_that_are_none(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=1) as (watcher, _):
            with torch.no_grad():
                model[0].weight[0, 0] = float("nan")
            train(model, optimizer, 2)
            watcher.close()
            rows = rows_of(watcher.path)
            check_opens(watcher.path)
        self.assertEqual(of_kind(rows, "steps")[0]["loss"][0], "nan")
        self.assertEqual(of_kind(rows, "sample")[0]["gradient_norm"], "nan")

    def test_what_is_read(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=5, activations="*") as (watcher, _):
            train(model, optimizer, 20)
            watcher.close()
            check_opens(watcher.path)

    def test_files_stay_small(self):
        """Written anew from what is kept: every other step and sample of the older ones."""
        model = net()
        optimizer = _sgd(model)
        kept = _watch_history._LARGEST_FILE, _watch_history._MOST_BYTES
        _watch_history._LARGEST_FILE, _watch_history._MOST_BYTES = 300_000, 100_000
        try:
            with watched(model, optimizer, every=2) as (watcher, _):
                train(model, optimizer, 400)
                watcher.close()
                self.assertLess(os.path.getsize(watcher.path), 400_000)
                rows = rows_of(watcher.path)
                check_opens(watcher.path)
        finally:
            _watch_history._LARGEST_FILE, _watch_history._MOST_BYTES = kept
        self.assertEqual([row["kind"] for row in rows[:2]], ["hello", "model"])
        steps = [each for row in of_kind(rows, "steps") for each in row["step"]]
        self.assertEqual(steps, sorted(set(steps)))
        self.assertGreater(len(steps), 40)
        self.assertEqual(steps[-1], 400)

    def test_the_file_of_the_run_before(self):
        model = net()
        with runtime_folder() as folder:
            path = os.path.join(folder, "run.watch")
            for _ in range(2):
                tensorloupe.watch(model, _sgd(model), file=path).close()
            self.assertTrue(os.path.exists(os.path.join(folder, "run.before.watch")))


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
                model = net()
                try:
                    if name == "traced":  # the first one in a process has other names
                        _outcome(function)
                    plain = _outcome(function)
                except Missing:
                    continue
                with watched(model, _sgd(model), every=1, activations="*") as (watcher, said):
                    seen = _outcome(function)
                    self.assertIsNone(watcher.error, said.getvalue())
                self.assertEqual(plain, seen)

    def run_training(self, make, steps, is_watched, **options):
        torch.manual_seed(11)
        model = net()
        optimizer = make(model)
        model.train()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)
            found = []

            def work():
                for _ in range(steps):
                    found.extend(train(model, optimizer, 1))
                    schedule.step()

            if is_watched:
                with watched(model, optimizer, **options) as (watcher, _):
                    work()
                    self.assertIsNone(watcher.error)
            else:
                work()
        state = [each.tolist() for each in model.state_dict().values()]
        return found, state, torch.get_rng_state().tolist(), optimizer.param_groups[0]["lr"], [str(each.message) for each in said]

    def test_trainings(self):
        for name, make in (
            ("sgd", _sgd),
            ("momentum", lambda model: _sgd(model, momentum=0.9, nesterov=True)),
            ("adam", lambda model: torch.optim.Adam(model.parameters())),
            ("foreach", lambda model: torch.optim.Adam(model.parameters(), foreach=True)),
        ):
            with self.subTest(name):
                plain = self.run_training(make, 12, False)
                seen = self.run_training(make, 12, True, every=3, activations="*")
                self.assertEqual(plain, seen)

    def test_compiled_models(self):
        if not hasattr(torch, "compile") or not hasattr(getattr(torch, "compiler", None), "is_dynamo_compiling"):
            self.skipTest("no torch.compile that can be asked")
        importlib.import_module("torch._dynamo")

        found = []

        def backend(graph, _):
            found.append(len(list(graph.graph.nodes)))
            return graph.forward

        def run(is_watched):
            torch._dynamo.reset()
            found.clear()
            torch.manual_seed(5)
            model = net()
            compiled = torch.compile(model, backend=backend, fullgraph=True)
            optimizer = _sgd(model)
            if not is_watched:
                return train(compiled, optimizer, 6), list(found)
            with watched(compiled, optimizer, every=2, activations="*") as (watcher, _):
                losses = train(compiled, optimizer, 6)
                self.assertIsNone(watcher.error)
                watcher.close()
                self.assertEqual(len(of_kind(rows_of(watcher.path), "sample")), 4)
            return losses, list(found)

        self.assertEqual(run(False), run(True))

    def test_activations_of_a_step_that_runs_eagerly(self):
        """What watch.md says to do: a compiled graph is not opened for its activations."""
        if not hasattr(getattr(torch, "compiler", None), "set_stance"):
            self.skipTest("no stances")
        torch._dynamo.reset()
        model = net()
        compiled = torch.compile(model, backend="eager")
        optimizer = _sgd(model)
        with watched(compiled, optimizer, every=2, activations="*") as (watcher, _):
            train(compiled, optimizer, 3)
            with torch.compiler.set_stance("force_eager"):
                train(compiled, optimizer, 1)
            train(compiled, optimizer, 2)
            watcher.close()
            tensors = of_kind(rows_of(watcher.path), "tensors")
        found = {row["step"]: sorted(name for name, _ in row["activations"]) for row in tensors}
        self.assertEqual(found[2], [])
        self.assertIn("0", found[4])
        self.assertEqual(found[6], [])

    def test_compiled_steps(self):
        """An optimizer whose step is compiled is not seen, and is compiled as without."""
        if _RELEASE < (2, 6):
            self.skipTest("no torch.compile of optimizers")
        importlib.import_module("torch._dynamo")

        def run(is_watched):
            torch._dynamo.reset()
            counts = []

            def backend(graph, _):
                counts.append(len(list(graph.graph.nodes)))
                return graph.forward

            torch.manual_seed(5)
            model = net()
            optimizer = torch.optim.SGD(model.parameters(), lr=torch.tensor(0.01))
            step = torch.compile(lambda: optimizer.step(), backend=backend)

            def work():
                for _ in range(3):
                    optimizer.zero_grad()
                    model(torch.randn(4, 6)).sum().backward()
                    step()
                return [each.sum().item() for each in model.parameters()], counts

            if not is_watched:
                return work()
            with watched(model, optimizer) as (watcher, _):
                out = work()
                self.assertIsNone(watcher.error)
            return out

        self.assertEqual(run(False), run(True))

    def test_nothing_stays_behind(self):
        model = net()
        optimizer = _sgd(model)
        place = torch.optim.Optimizer.step

        def state():
            return [
                sys.getrecursionlimit(),
                torch.nn.Module.__call__,
                torch.nn.Module._call_impl,
                torch.autograd.backward,
                getattr(torch.autograd, "_engine_run_backward", None),
                place is torch.optim.Optimizer.step,
                sorted(optimizer.__dict__),
                [len(each._forward_hooks) for each in model.modules()],
                torch._C._len_torch_dispatch_stack(),
            ]

        before = state()
        with watched(model, optimizer, every=1) as (watcher, _):
            train(model, optimizer, 3)
        self.assertEqual(before, state())
        del watcher
        gc.collect()
        self.assertEqual([each for each in gc.get_objects() if type(each) is _watch_sample.Sample], [])

    def test_copies_of_optimizers(self):
        model = net()
        optimizer = _sgd(model, momentum=0.9)
        with watched(model, optimizer, every=1):
            train(model, optimizer, 2)
            other = pickle.loads(pickle.dumps(optimizer))
            self.assertEqual(repr(other), repr(optimizer))
            self.assertEqual(sorted(optimizer.state_dict()), ["param_groups", "state"])

    def test_models_end(self):
        model = net()
        optimizer = _sgd(model)
        import weakref

        gone = weakref.ref(model[0].weight)
        with watched(nn.Linear(2, 2), None if _RELEASE >= (2, 0) else optimizer, every=1):
            train(model, optimizer, 2)
            del model, optimizer
            gc.collect()
            if _RELEASE >= (2, 0):
                self.assertIsNone(gone())


class Failures(unittest.TestCase):
    """Of the watching's own."""

    def test_they_end_the_watching_alone(self):
        def fails(*_, **__):
            raise ZeroDivisionError("by\nnothing")

        for owner, name in (
            (_watch_sample.Sample, "before"),
            (_watch_sample.Sample, "after"),
            (_watch_sample.Sample, "add_call"),
            (_watch_sample.Sample, "rows"),
            (_watch.watch, "_count"),
            (_watch.watch, "_add_loss"),
        ):
            with self.subTest(name):
                kept = getattr(owner, name)
                torch.manual_seed(2)
                model = net()
                plain = train(model, _sgd(model), 6)
                torch.manual_seed(2)
                model = net()
                optimizer = _sgd(model)
                setattr(owner, name, fails)
                try:
                    with watched(model, optimizer, every=1, activations="*") as (watcher, said):
                        seen = train(model, optimizer, 6)
                        self.assertIsInstance(watcher.error, ZeroDivisionError)
                        self.assertEqual(said.getvalue().count("ZeroDivisionError: by"), 1)
                finally:
                    setattr(owner, name, kept)
                self.assertEqual(plain, seen)

    def test_a_disk_that_is_full(self):
        def fails(*_):
            raise OSError("no space left")

        kept = _watch_line.WatchFile.add
        model = net()
        optimizer = _sgd(model)
        try:
            with watched(model, optimizer, every=1) as (watcher, said):
                _watch_line.WatchFile.add = fails
                for _ in range(100):
                    train(model, optimizer, 1)
                    time.sleep(0.01)
                    if watcher.error is not None:
                        break
                self.assertIn("no space left", said.getvalue())
        finally:
            _watch_line.WatchFile.add = kept

    def test_a_file_that_cannot_be_written(self):
        model = net()
        with runtime_folder() as folder:
            with self.assertRaises(OSError):
                tensorloupe.watch(model, _sgd(model), file=os.path.join(folder, "none", "run.watch"))

    def test_a_folder_that_is_others(self):
        """A socket is put nowhere but where no one else comes."""
        model = net()
        with runtime_folder() as folder:
            os.mkdir(os.path.join(folder, "tensorloupe"), 0o755)
            os.chmod(os.path.join(folder, "tensorloupe"), 0o755)
            watcher = tensorloupe.watch(model, _sgd(model), file=None)
            self.assertFalse(watcher.address and watcher.address.startswith(folder + os.sep + "tensorloupe" + os.sep))
            watcher.close()


class Windows(unittest.TestCase):
    def test_one_that_comes_later(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=5) as (watcher, _):
            train(model, optimizer, 25)
            self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(watcher.address)).st_mode), 0o700)
            window = Window(watcher.address)
            window.wait("sample", count=5)
            train(model, optimizer, 25)
            watcher.close()
            window.wait("end")
            self.assertEqual([row["kind"] for row in window.rows[:2]], ["hello", "model"])
            self.assertTrue(window.rows[0]["optimizer"].startswith("SGD(lr="))
            steps = [each for row in of_kind(window.rows, "steps") for each in row["step"]]
            self.assertEqual(steps, list(range(1, 51)))
            self.assertFalse(os.path.exists(watcher.address))

    def test_pause_and_continue(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=5) as (watcher, _):
            training = Training(model, optimizer)
            window = Window(watcher.address)
            window.wait("hello")
            window.order(do="pause")
            parked = window.wait("parked")
            steps = training.steps
            time.sleep(0.3)
            self.assertEqual(training.steps, steps)
            self.assertEqual(parked["step"], steps + 1)
            window.order(do="every", every=2)
            self.assertEqual(window.wait("every")["every"], 2)
            window.order(do="continue")
            window.wait("running")
            time.sleep(0.2)
            self.assertGreater(training.steps, steps)
            # A window that goes leaves nothing parked.
            window.order(do="pause")
            window.wait("parked", count=2)
            other = Window(watcher.address)
            other.wait("hello")
            other.close()
            steps = training.steps
            time.sleep(0.3)
            self.assertEqual(training.steps, steps)
            window.close()
            time.sleep(0.5)
            self.assertGreater(training.steps, steps)
            training.end()

    def test_a_step_is_recorded(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=50) as (watcher, _):
            training = Training(model, optimizer)
            window = Window(watcher.address)
            window.wait("hello")
            window.order(do="record")
            row = window.wait("recorded")
            training.end()
            run = Recording(row["path"])
            check_opens(row["path"])
            window.close()
        phases = {event[0] for event in run.events}
        self.assertEqual(phases, {0, 1, 2})
        self.assertEqual(sum(op == "aten::addmm" for op in run.ops), 3)
        self.assertEqual(run.notes, [])

    def test_the_window_ends_it(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=5) as (watcher, _):
            training = Training(model, optimizer)
            window = Window(watcher.address)
            window.wait("hello")
            window.order(do="stop")
            window.wait("end")
            steps = training.steps
            time.sleep(0.2)
            self.assertGreater(training.steps, steps)
            training.end()

    def test_one_that_does_not_read(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=1, activations="*") as (watcher, _):
            train(model, optimizer, 5)
            began = time.perf_counter()
            train(model, optimizer, 100)
            without = time.perf_counter() - began
            slow = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            slow.connect(watcher.address)
            began = time.perf_counter()
            train(model, optimizer, 200)
            self.assertLess(time.perf_counter() - began, 6 * without + 5)
            self.assertIsNone(watcher.error)
            slow.close()

    def test_orders_that_are_none(self):
        model = net()
        optimizer = _sgd(model)
        with watched(model, optimizer, every=5) as (watcher, _):
            for line in (b"\n", b"no\n", b"[1]\n", b'{"do":3}\n', b'{"do":"every","every":"x"}\n', b"{" * 70000, b"[" * 60000 + b"\n"):
                rude = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                rude.connect(watcher.address)
                try:
                    rude.sendall(line)
                except OSError:
                    pass
                train(model, optimizer, 3)
                rude.close()
            time.sleep(0.2)
            self.assertIsNone(watcher.error)
            window = Window(watcher.address)
            window.wait("sample")
            window.close()

    def test_killed_programs_leave_no_socket_that_blocks(self):
        with runtime_folder() as folder:
            code = (
                f"import sys, os; sys.path[:0] = [{PACKAGE!r}, {HERE!r}]\n"
                "import torch, tensorloupe\n"
                "m = torch.nn.Linear(2, 2)\n"
                "w = tensorloupe.watch(m, torch.optim.SGD(m.parameters(), lr=0.1), file=None)\n"
                "print(w.address, flush=True); os.kill(os.getpid(), 9)\n"
            )
            out = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, universal_newlines=True)
            address = out.stdout.strip()
            self.assertTrue(address.startswith(folder))
            with self.assertRaises(OSError):
                Window(address)

    def test_forked_workers(self):
        model = net()
        optimizer = _sgd(model)
        data = torch.utils.data.TensorDataset(torch.randn(32, 6))
        with watched(model, optimizer, every=2) as (watcher, said):
            for (x,) in torch.utils.data.DataLoader(data, 8, num_workers=2):
                optimizer.zero_grad()
                model(x).pow(2).mean().backward()
                optimizer.step()
            self.assertIsNone(watcher.error, said.getvalue())
            watcher.close()
            self.assertEqual(sum(len(row["step"]) for row in of_kind(rows_of(watcher.path), "steps")), 4)


class Ranks(unittest.TestCase):
    def test_all_in_one_stream(self):
        if not torch.distributed.is_available() or not hasattr(torch.distributed, "ProcessGroupGloo"):
            self.skipTest("no torch.distributed")
        with runtime_folder() as folder:
            path = os.path.join(folder, "run.watch")
            probe = socket.socket()
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
            probe.close()
            ranks = []
            for rank in range(2):
                environment = dict(
                    os.environ,
                    RANK=str(rank),
                    LOCAL_RANK=str(rank),
                    WORLD_SIZE="2",
                    MASTER_ADDR="127.0.0.1",
                    MASTER_PORT=str(port),
                    PYTHONPATH=os.pathsep.join((PACKAGE, HERE)),
                    OMP_NUM_THREADS="1",
                )
                ranks.append(subprocess.Popen([sys.executable, os.path.join(HERE, "ranks_program.py"), path], env=environment))
            sockets = os.path.join(folder, "tensorloupe")
            until = time.monotonic() + 60
            while time.monotonic() < until and not (os.path.isdir(sockets) and os.listdir(sockets)):
                time.sleep(0.05)
            window = Window(os.path.join(sockets, os.listdir(sockets)[0]))
            # Orders go to the ranks that are there: rank 1 looks for the first one every half second.
            until = time.monotonic() + 60
            while time.monotonic() < until and not any(row.get("rank") == 1 for row in list(window.rows)):
                time.sleep(0.01)
            window.order(do="pause")
            window.wait("parked", 60)
            later = Window(window.address)
            later.wait("sample", 60)
            window.order(do="record")
            window.order(do="continue")
            for each in ranks:
                self.assertEqual(each.wait(120), 0)
            window.wait("running")
            window.close()
            # One that comes later hears of every rank's model, rank 0's first.
            models = [row.get("rank", 0) for row in of_kind(later.rows, "model")]
            self.assertEqual(models[:2], [0, 1])
            later.close()
            rows = rows_of(path)
            check_opens(path)
            # Found beside each other: run.step12.loupe, run.step12.rank1.loupe.
            recorded = {row.get("rank", 0): row for row in of_kind(rows, "recorded")}
            base = os.path.join(os.path.realpath(folder), f"run.step{recorded[0]['step']}")
            self.assertEqual([recorded[rank]["path"] for rank in range(2)], [base + ".loupe", base + ".rank1.loupe"])
            for row in recorded.values():
                check_opens(row["path"])
        self.assertEqual(rows[0]["ranks"], 2)
        for rank in range(2):
            steps = [each for row in of_kind(rows, "steps") if row.get("rank", 0) == rank for each in row["step"]]
            self.assertEqual(steps, list(range(1, 61)), f"rank {rank}")
        # Gradients are the same in all, losses are not.
        last = {row.get("rank", 0): row for row in of_kind(rows, "sample")}
        self.assertEqual(last[0]["gradient"], last[1]["gradient"])
        losses = {row.get("rank", 0): row["loss"] for row in of_kind(rows, "steps")}
        self.assertNotEqual(losses[0], losses[1])


if __name__ == "__main__":
    unittest.main()
