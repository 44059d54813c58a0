# SPDX-License-Identifier: Apache-2.0
"""The Python package, where there is a PyTorch: test_package.py. Exits with 77 where there is none."""

import gc
import math
import os
import subprocess
import sys
import tempfile
import unittest

from recordings import BACKWARD, ERROR, FAILED, INPUTS, OUTPUTS, PACKAGE, PEER, PHASE, Recording, record

import torch
import torch.utils.checkpoint

import small_net
import tensorloupe
from tensorloupe._statistics import Statistics


class Statistic(unittest.TestCase):
    def rows(self, tensor, histogram=True):
        found = []
        statistics = Statistics(histogram)
        statistics.measure(tensor, found.append)
        statistics.take()
        return found[0] if found else None

    def test_numbers(self):
        x = torch.tensor([[0.0, -1.5, 2.0], [0.75, -0.0, 1024.0]])
        row = self.rows(x)
        self.assertEqual(row[:6], [6, 0, 0, 2, -1.5, 1024.0])
        self.assertAlmostEqual(row[6], x.mean().item(), places=3)
        self.assertAlmostEqual(row[7] / x.var(unbiased=False).item(), 1, places=5)
        self.assertEqual(row[8], 1024.0)
        self.assertAlmostEqual(row[10] / torch.linalg.vector_norm(x).item(), 1, places=6)
        bins = [0] * 64
        for value in (1.5, 2.0, 0.75, 1024.0):
            bins[math.frexp(value)[1] + 40] += 1
        self.assertEqual(row[11], bins)

    def test_exponents_of_many(self):
        """Large ones are counted in pairs."""
        x = torch.randn(70001) * torch.logspace(-14, 13, 70001)
        x[::9] = 0
        bins = [0] * 64
        for value, count in zip(*torch.unique(torch.frexp(x[x != 0])[1], return_counts=True)):
            bins[min(max(int(value) + 40, 0), 63)] += int(count)
        self.assertEqual(self.rows(x)[11], bins)
        self.assertEqual(self.rows(x.double())[11], bins)

    def test_not_finite(self):
        row = self.rows(torch.tensor([math.nan, math.inf, -math.inf, 3.0, 0.0]))
        self.assertEqual(row[:6], [5, 1, 2, 1, 0.0, 3.0])
        self.assertEqual(sum(row[11]), 1)
        self.assertEqual(self.rows(torch.tensor([math.nan]))[:4], [1, 1, 0, 0])

    def test_other_types_and_layouts(self):
        for x in (
            torch.arange(12).reshape(3, 4),
            torch.arange(12).reshape(3, 4).t() > 5,
            torch.arange(12.0).reshape(3, 4)[:, ::2],
            torch.arange(12.0, dtype=torch.float64),
            torch.arange(12.0).bfloat16(),
            torch.complex(torch.arange(4.0), torch.ones(4)),
            torch.empty(0, 3),
            torch.full((1,), 3.0e38).expand(7),
            torch.tensor([1e-42, 0.0]),
        ):
            row = self.rows(x)
            real = (x.abs() if x.is_complex() else x).double()
            self.assertEqual(row[0], x.numel())
            self.assertEqual(row[3], int((real == 0).sum()))
            self.assertEqual(sum(row[11]), int((real != 0).sum()))
            if x.numel():
                self.assertAlmostEqual(row[6] / max(1e-60, real.mean().item()), 1, places=5)
                self.assertTrue(math.isfinite(row[10]))

    def test_a_small_spread_around_a_large_mean(self):
        x = 1000 + torch.sin(torch.arange(1000.0)) * 1e-2
        self.assertAlmostEqual(self.rows(x)[7] / x.double().var(unbiased=False).item(), 1, places=3)

    def compare(self, x, norm):
        """With what Python's own floats make of the same elements."""
        values = x.double().flatten().tolist()
        mean = math.fsum(values) / len(values)
        row = self.rows(x)
        for found, expected in (
            (row[4], min(values)),
            (row[5], max(values)),
            (row[6], mean),
            (row[7], math.fsum((each - mean) * (each - mean) for each in values) / len(values)),
            (row[9], math.fsum(map(abs, values)) / len(values)),
            (row[10], norm),
        ):
            if expected == 0 or math.isinf(expected):
                self.assertEqual(found, expected)
            else:
                self.assertAlmostEqual(found / expected, 1, places=4)
        self.assertEqual(sum(row[11]), len(values) - row[3])

    def test_squares_out_of_range(self):
        """Gradients that vanish, and values whose squares are no float."""
        unit = torch.sin(torch.arange(1000.0, dtype=torch.float64)) + 0.25
        length = math.sqrt(sum(each * each for each in unit.tolist()))
        for dtype, scale in (
            (torch.float32, 1e-24),
            (torch.float32, 1e-30),
            (torch.bfloat16, 1e-30),
            (torch.float32, 1e30),
            (torch.float64, 1e-100),
            (torch.float64, 1e100),
        ):
            with self.subTest(dtype=dtype, scale=scale):
                x = (unit * scale).to(dtype)
                of = length if dtype != torch.bfloat16 else math.hypot(*[each / scale for each in x.double().tolist()])
                self.compare(x, of * scale)
        for scale in (1e-200, 1e200):  # of float64: the norm, whatever the variance becomes
            row = self.rows(unit * scale)
            self.assertAlmostEqual(row[10] / (length * scale), 1, places=9)
            self.assertAlmostEqual(row[9] / (unit.abs().mean().item() * scale), 1, places=9)
        row = self.rows(torch.full((1000,), 1.7e308, dtype=torch.float64))
        self.assertAlmostEqual(row[6] / 1.7e308, 1, places=12)
        self.assertEqual(self.rows(torch.full((5,), 5e-324, dtype=torch.float64))[9], 5e-324)

    def test_pieces_add_up(self):
        """Of more elements than a piece has, as they lie in memory or across it."""
        x = torch.sin(torch.arange(3.0 * (1 << 20)).double()).float() * 3 + 1
        x[:100] = 0
        x[500] = math.nan
        x[-7] = math.inf
        finite = x[torch.isfinite(x)].double()
        for shown in (x, x.view(1 << 10, -1).t(), x.view(-1, 3).t()[:, :]):
            row = self.rows(shown)
            self.assertEqual(row[:4], [3 << 20, 1, 1, 100])
            for found, expected in ((6, finite.mean()), (7, finite.var(unbiased=False)), (10, finite.norm())):
                self.assertAlmostEqual(row[found] / expected.item(), 1, places=5)
            self.assertEqual(sum(row[11]), finite.numel() - row[3])
        row = self.rows(torch.arange(3 << 20) % 3 == 0)
        self.assertEqual(row[3:6], [2 << 20, 0.0, 1.0])
        self.assertAlmostEqual(row[6], 1 / 3, places=6)
        self.assertAlmostEqual(row[7], 2 / 9, places=6)
        self.assertEqual(row[11][41], 1 << 20)

    def test_without_asking_the_device_it_is_the_same(self):
        from tensorloupe._device_moments import on_device

        for x in (
            torch.randn(50, 7),
            torch.tensor([math.nan, 1.0, -4.0, math.inf]),
            torch.randn(9).half(),
            torch.tensor([0.0, 0.0]),
            torch.randn(9) * 1e-30,
            torch.tensor([3e-45, 0.0]),
            torch.tensor([3e38, -3e38]),
            torch.randn(9).double() * 1e-200,
            torch.randn(9).double() * 1e200,
        ):
            late = Statistics(True)
            late._waiting[x.device] = []
            found = []
            late._waiting[x.device].append((on_device(x, True), x.numel(), found.append))
            late.take()
            expected = self.rows(x)
            self.assertEqual(found[0][:4], expected[:4])
            self.assertEqual(found[0][11], expected[11])
            for a, b in zip(found[0][4:11], expected[4:11]):
                self.assertTrue(a == b or math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6 * expected[8]), (x, a, b))


class Record(unittest.TestCase):
    def test_a_step(self):
        net = small_net.make()
        x = torch.randn(2, 1, 11, 11)
        optimizer = torch.optim.Adam(net.parameters())

        def step():
            net(x).sum().backward()
            optimizer.step()

        run = record(step, net)
        self.assertEqual({event[PHASE] for event in run.events}, {0, 1, 2})
        # Every backward event but those of accumulation stands with a forward one.
        alone = [op for event, op in zip(run.events, run.ops) if event[PHASE] == 1 and not event[PEER]]
        self.assertLessEqual(len(alone), 2, alone)
        for number, event in enumerate(run.events, 1):
            if event[PEER]:
                self.assertLess(event[PEER], number)
                self.assertEqual(run.scopes[number - 1], run.scopes[event[PEER] - 1])
        self.assertEqual([start for start in run.starts if start % 64], [])
        between = [edge["type"] for edge in run.json["graph"]["edges"] if edge["from"] >= 0 and edge["to"] >= 0]
        self.assertTrue(between and all("requires_grad=1" in each for each in between), between)
        names = {value[1] for value in run.values}
        for name, _ in net.named_parameters():
            self.assertIn(name, names)
            self.assertIn(f"grad of {name}", names)

    def test_nothing_changes(self):
        """The same numbers with a recording as without, and nothing is held afterwards."""

        def losses(recorded):
            torch.manual_seed(3)
            net = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Dropout(0.3), torch.nn.ReLU(inplace=True))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
            out = []

            def work():
                for _ in range(3):
                    optimizer.zero_grad()
                    loss = net(torch.randn(4, 5)).pow(2).mean()
                    loss.backward()
                    optimizer.step()
                    out.append(loss.item())

            if recorded:
                record(work, net)
            else:
                work()
            return out

        self.assertEqual(losses(False), losses(True))
        self.assertFalse(torch.nn.modules.module._global_forward_pre_hooks)
        self.assertFalse(torch.nn.modules.module._global_forward_hooks)

    def test_writes_in_place_are_other_values(self):
        def work():
            x = torch.ones(3)
            y = x.view(3)
            x.add_(1)
            return (y * 2).sum()

        run = record(work)
        ones, view, add, multiply = (run.events[run.ops.index(f"aten::{op}")] for op in ("ones", "view", "add_", "mul"))
        self.assertEqual(run.value(ones[OUTPUTS][0])[7], run.value(add[OUTPUTS][0])[7])  # one storage
        self.assertNotEqual(ones[OUTPUTS], add[OUTPUTS])
        self.assertEqual(multiply[INPUTS], add[OUTPUTS])  # the view reads what was written
        self.assertEqual(run.value(view[OUTPUTS][0])[7], run.value(ones[OUTPUTS][0])[7])

    def test_memory_is_let_go(self):
        def work():
            x = torch.ones(1000)
            x = x + 1
            x = x + 1
            return x.sum()

        run = record(work)
        blocks = [block for block in run.json["allocations"] if block[2] == 4000]
        self.assertEqual(len(blocks), 3)
        freed = sorted(block[5] for block in blocks)
        self.assertTrue(0 < freed[0] < freed[1] <= len(run.events))
        self.assertEqual(run.json["peak"][0], 8000)

    def test_errors_are_recorded_and_go_on(self):
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(3, 4))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.loupe")
            with self.assertRaises(RuntimeError):
                with tensorloupe.record(net, path):
                    net(torch.ones(2, 3))
            run = Recording(path)
        self.assertTrue(run.events[-1][FAILED])
        self.assertIn("shapes cannot be multiplied", run.events[-1][ERROR])
        self.assertEqual(run.scopes[-1], "1")

    def test_what_is_kept(self):
        net = small_net.make()
        x = torch.randn(2, 1, 11, 11)
        all_of = record(lambda: net(x), net)
        self.assertTrue(all(value[11] for value in all_of.values))
        none = record(lambda: net(x), net, values="none")
        self.assertFalse(any(value[11] for value in none.values))
        some = record(lambda: net(x), net, values=["blocks.0*"])
        kept = {some.scopes[value[0] - 1] for value in some.values if value[11] and value[0]}
        self.assertTrue(kept and all(scope.startswith("blocks.0") for scope in kept), kept)
        small = record(lambda: net(x), net, budget=1000)
        self.assertLess(sum(value[6] for value in small.values if value[11]), 1001)
        plain = record(lambda: net(x), net, statistics=False)
        self.assertTrue(all(value[10] is None for value in plain.values))

    def test_models_are_found(self):
        """Without a model those that are called are named, each with its own paths."""
        a, b = small_net.make(), torch.nn.Linear(3, 2)
        run = record(lambda: b(a(torch.randn(2, 1, 11, 11))).sum().backward())
        self.assertIn("blocks.0.conv", run.scopes)
        self.assertIn("Linear", run.scopes)
        self.assertEqual({row[1] for row in run.json["gradients"]} - {""}, set(run.scopes) & {row[1] for row in run.json["gradients"]})

    def test_a_model_that_is_used_twice(self):
        net = torch.nn.Linear(4, 4)

        def work():
            x = net(net(torch.ones(2, 4)))
            x.sum().backward()
            net.zero_grad()
            net(torch.ones(2, 4)).sum().backward()

        run = record(work, net)
        self.assertEqual(run.ops.count("aten::addmm"), 3)
        self.assertEqual(len(run.json["frames"]), 3)

    def test_writes_that_autograd_clones_for(self):
        """The node of hardswish_ is made before that of the clone that it saves, which runs first."""
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Hardswish(inplace=True))
        run = record(lambda: net(torch.ones(2, 3)).sum().backward(), net)
        backward = run.events[run.ops.index("aten::hardswish_backward")]
        self.assertEqual(run.ops[backward[PEER] - 1], "aten::hardswish_")

    def test_one_records_once(self):
        with tempfile.TemporaryDirectory() as folder:
            with tensorloupe.record(None, os.path.join(folder, "run.loupe")) as recording:
                torch.ones(2)
            with self.assertRaisesRegex(RuntimeError, "make another"):
                recording.__enter__()

    def test_odd_programs(self):
        """Nothing of this is an error because it is recorded."""

        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                context.save_for_backward(x)
                return x * 2

            @staticmethod
            def backward(context, gradient):
                return gradient * 2

        def work():
            x = torch.ones(3, 3, requires_grad=True)
            Twice.apply(x).sum().backward()
            torch.autograd.grad((x**3).sum(), x, create_graph=True)[0].sum().backward()  # twice through
            with torch.no_grad():
                x.mul_(2)
            with torch.inference_mode():
                (x @ x).sum()
            x.detach().to_sparse().coalesce()
            torch.empty(0).sum()
            torch.ones(2, device="meta") + 1
            torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).dequantize()
            torch._foreach_add([torch.ones(2), torch.ones(3)], 1)
            torch.utils.checkpoint.checkpoint(lambda y: y.sin().cos(), x, use_reentrant=False).sum().backward()
            torch.nn.utils.clip_grad_norm_([x], 1.0)

        run = record(work)
        self.assertGreater(len(run.events), 30)
        self.assertFalse(any(event[FAILED] for event in run.events))

    def test_nothing_is_written_where_nothing_can_be(self):
        with self.assertRaises(OSError):
            with tensorloupe.record(None, "/nowhere/at/all.loupe"):
                pass
        self.assertEqual([each for each in gc.get_objects() if type(each).__name__ == "Archive"], [])


class Script(unittest.TestCase):
    def test_a_script_is_run_as_python_runs_it(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "train.py")
            with open(script, "w") as file:
                file.write(
                    "import sys, torch\n"
                    "import beside\n"
                    "assert __name__ == '__main__' and sys.argv[1:] == ['--steps', '2']\n"
                    "net = torch.nn.Linear(beside.SIZE, 2)\n"
                    "net(torch.ones(1, beside.SIZE)).sum().backward()\n"
                    "sys.exit(3)\n"
                )
            with open(os.path.join(folder, "beside.py"), "w") as file:
                file.write("SIZE = 5\n")
            environment = dict(os.environ, PYTHONPATH=PACKAGE)
            command = [sys.executable, "-m", "tensorloupe", "-o", "out.loupe", "train.py", "--steps", "2"]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            run = Recording(os.path.join(folder, "out.loupe"))
            self.assertIn("aten::addmm", run.ops)
            self.assertEqual([source["name"] for source in run.json["model"]["sources"]], ["train.py"])


class Show(unittest.TestCase):
    def test_the_model_and_its_inputs_are_handed_over(self):
        with tempfile.TemporaryDirectory() as folder:
            told = os.path.join(folder, "told")
            program = os.path.join(folder, "window")
            with open(program, "w") as file:
                file.write(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}\n')
            os.chmod(program, 0o755)
            os.environ["TENSORLOUPE"] = program
            try:
                tensorloupe.show(small_net.make().eval(), torch.randn(2, 1, 11, 11), wait=True)
            finally:
                del os.environ["TENSORLOUPE"]
            with open(told) as file:
                model, option, inputs = file.read().split()
            self.assertTrue(os.path.exists(model) and model.endswith((".pt2", ".pt")))
            self.assertEqual(option, "--inputs")
            self.assertEqual(torch.load(inputs)[0].shape, (2, 1, 11, 11))
            cli = os.environ.get("LOUPE_CLI")
            if cli:
                subprocess.run([cli, "run", model, "--inputs", inputs], check=True, stdout=subprocess.DEVNULL)

    def test_a_program_that_is_not_there_is_said(self):
        path = os.environ.pop("PATH")
        try:
            with self.assertRaisesRegex(RuntimeError, "install Tensorloupe"):
                tensorloupe.show(torch.nn.Linear(2, 2), torch.ones(1, 2))
        finally:
            os.environ["PATH"] = path


if __name__ == "__main__":
    unittest.main()
