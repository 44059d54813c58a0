# SPDX-License-Identifier: Apache-2.0
"""import loupe: held against numpy, against PyTorch where it is installed, and against what PyTorch gave before."""

import array
import ast
import copy
import gc
import importlib
import json
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy

import loupe
import loupe.nn as nn
import loupe.nn.functional as F

try:
    import torch
except ImportError:
    torch = None

MODELS = pathlib.Path(__file__).parent.parent / "models"
needs_torch = unittest.skipIf(torch is None, "this Python has no PyTorch")


class Values(unittest.TestCase):
    def test_numbers_texts_and_containers_come_back(self):
        x = loupe.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(x.tolist()[1][0], 3.0)
        self.assertEqual(x.sum().item(), 10.0)
        self.assertEqual(tuple(x.shape), (2, 2))
        self.assertEqual(x.shape, (2, 2))
        self.assertEqual(x.size(0), 2)
        self.assertEqual(x.dtype, loupe.float32)
        self.assertEqual(str(x.dtype), "torch.float32")
        self.assertEqual(repr(loupe.tensor([1.5])), "tensor([1.5000])")
        values, indices = x.max(dim=1)
        self.assertEqual(indices.tolist()[0], 1)
        self.assertEqual(x.max(dim=0).values.tolist()[1], 4.0)
        self.assertEqual(loupe.tensor(2**40).item(), 2**40)
        self.assertEqual(loupe.tensor([True, False]).dtype, loupe.bool)
        self.assertEqual(loupe.tensor(1 + 2j).item(), 1 + 2j)
        self.assertEqual(loupe.zeros(2, dtype=float).dtype, loupe.float64)
        self.assertEqual(f"{loupe.tensor(0.25):.3f}", "0.250")

    def test_operators_and_indices(self):
        x = loupe.arange(12).reshape(3, 4)
        self.assertEqual((x + 1)[2, 3].item(), 12)
        self.assertEqual((10 - x)[0, 1].item(), 9)
        self.assertEqual((2**x[0])[3].item(), 8)
        self.assertEqual((x.float() @ x.float().T).shape, (3, 3))
        self.assertEqual(x[:, ::2].shape, (3, 2))
        self.assertEqual(x[..., None].shape, (3, 4, 1))
        self.assertEqual(x[x > 5].tolist()[0], 6)
        x[0] = 7
        x += 1
        self.assertEqual(int(x[0, 0]), 8)
        self.assertEqual(len(x), 3)
        self.assertEqual([int(row.sum()) for row in x][0], 32)
        self.assertTrue(bool(x.any()))
        self.assertEqual(list(range(5))[loupe.tensor(3)], 3)
        with self.assertRaisesRegex(IndexError, "index 5 is out of bounds for dimension 0 with size 3"):
            x[5]
        with self.assertRaises(TypeError):
            x + object()

    def test_a_value_is_one_object(self):
        layer = nn.Linear(2, 2)
        self.assertIs(layer.weight, layer.weight)
        self.assertIn(layer.weight, {layer.weight: 1})
        self.assertIs(layer.weight.grad, None)
        first = next(layer.parameters())
        self.assertIs(first, layer.weight)

    def test_numpys_numbers_are_numbers(self):
        x = loupe.zeros(numpy.int64(2), numpy.int32(3))
        self.assertEqual(x.shape, (2, 3))
        self.assertEqual((x + numpy.float32(0.5))[0, 0].item(), 0.5)
        self.assertEqual(loupe.full((1,), numpy.float64(2.5)).item(), 2.5)

    def test_lists_of_the_engine_are_shared(self):
        adam = loupe.optim.Adam(nn.Linear(1, 1).parameters(), lr=0.1)
        for group in adam.param_groups:
            group["lr"] = 0.5
        self.assertEqual(adam.param_groups[0]["lr"], 0.5)
        self.assertIn("betas", adam.param_groups[0])

    def test_names_that_are_not_there(self):
        with self.assertRaisesRegex(AttributeError, "module 'loupe' has no attribute 'no_such_thing'"):
            loupe.no_such_thing
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            loupe.zeros(1).nothing
        with self.assertRaises(ImportError):
            importlib.import_module("loupe.not_there")
        self.assertIn("softmax", dir(loupe))
        self.assertIn("Linear", dir(nn))


class Memory(unittest.TestCase):
    DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]

    def test_numpy_and_back_share_memory(self):
        for name in self.DTYPES:
            with self.subTest(name):
                given = numpy.arange(6).reshape(2, 3).astype(name)
                x = loupe.from_numpy(given)
                self.assertEqual(str(x.dtype), "torch." + name)
                numpy.testing.assert_array_equal(x.numpy(), given)
                x[0, 0] = 1
                self.assertEqual(given[0, 0], 1)
                self.assertTrue(numpy.shares_memory(x.numpy(), given))
                if name != "bool":  # older numpy passes none on
                    numpy.testing.assert_array_equal(numpy.from_dlpack(x.t()), given.T)
                    numpy.testing.assert_array_equal(loupe.from_dlpack(given).numpy(), given)
                numpy.testing.assert_array_equal(numpy.asarray(x[:, 1:]), given[:, 1:])

    def test_an_array_outlives_its_tensor(self):
        seen = (loupe.ones(1000) * 3).numpy()
        view = memoryview(loupe.ones(4, 3))
        gc.collect()
        self.assertEqual(seen.sum(), 3000)
        self.assertEqual(view.shape, (4, 3))
        self.assertEqual(view[1, 2], 1.0)

    def test_memory_stays_when_the_tensor_gets_other(self):
        x = loupe.arange(4.0)
        seen = x.numpy()
        x.set_(loupe.zeros(1000))
        x.resize_(100000)
        self.assertEqual(seen.tolist(), [0, 1, 2, 3])

    def test_a_tensor_keeps_the_array(self):
        freed = []

        class Watched(numpy.ndarray):
            def __del__(self):
                freed.append(1)

        given = numpy.zeros(3).view(Watched)
        x = loupe.from_numpy(given)
        del given
        gc.collect()
        self.assertFalse(freed)
        y = x[1:]
        del x
        gc.collect()
        self.assertFalse(freed)
        self.assertEqual(y.tolist()[0], 0)
        del y
        gc.collect()
        self.assertTrue(freed)

    def test_what_cannot_be_shared_says_so(self):
        with self.assertRaisesRegex(RuntimeError, "requires grad. Use tensor.detach"):
            loupe.ones(2, requires_grad=True).numpy()
        with self.assertRaisesRegex(RuntimeError, "requires grad. Use tensor.detach"):
            numpy.asarray(loupe.ones(2, requires_grad=True))
        with self.assertRaisesRegex(TypeError, "BFloat16"):
            loupe.ones(2, dtype=loupe.bfloat16).numpy()
        with self.assertRaisesRegex(BufferError, "read only"):
            loupe.from_buffer(b"123")
        with self.assertRaisesRegex(ValueError, "negative strides"):
            loupe.from_numpy(numpy.arange(3)[::-1])
        with self.assertRaisesRegex(TypeError, "format"):
            loupe.from_numpy(numpy.array(["a"]))
        with self.assertRaises(TypeError):
            loupe.from_dlpack(3)
        self.assertEqual(loupe.tensor(numpy.arange(3)[::-1]).tolist()[0], 2)
        self.assertEqual(loupe.as_tensor(numpy.arange(3)[::-1]).tolist()[0], 2)

    def test_other_buffers(self):
        numbers = array.array("d", [1, 2, 3])
        x = loupe.from_buffer(numbers)
        x *= 2
        self.assertEqual(numbers.tolist(), [2, 4, 6])
        self.assertEqual(loupe.from_buffer(bytearray(b"ab")).tolist()[1], 98)
        self.assertEqual(loupe.from_numpy(numpy.zeros((0, 3))).shape, (0, 3))
        self.assertEqual(loupe.from_numpy(numpy.array(2.0)).item(), 2.0)

    def test_a_capsule_is_taken_once(self):
        capsule = loupe.arange(3).__dlpack__()
        self.assertEqual(loupe.from_dlpack(capsule).tolist()[2], 2)
        with self.assertRaises(TypeError):
            loupe.from_dlpack(capsule)
        unused = loupe.arange(3).__dlpack__(max_version=(1, 0))
        self.assertIn("dltensor_versioned", repr(unused))
        del unused
        self.assertEqual(loupe.ones(1).__dlpack_device__(), (1, 0))

    @needs_torch
    def test_torch_and_back(self):
        given = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
        x = loupe.from_dlpack(given)
        self.assertEqual(x.dtype, loupe.bfloat16)
        x[0, 0] = 9
        self.assertEqual(given[0, 0].item(), 9)
        back = torch.from_dlpack(x.t())
        self.assertEqual(back.tolist(), given.t().tolist())


class Habits(unittest.TestCase):
    """What programs of numpy and torch do without a thought."""

    def test_lists_and_sizes_are_pythons(self):
        x = loupe.arange(6.0).reshape(2, 3)
        self.assertEqual(json.loads(json.dumps(x.tolist())), [[0, 1, 2], [3, 4, 5]])
        self.assertIs(type(x.t().tolist()[0]), list)
        self.assertEqual(loupe.tensor(2.5).tolist(), 2.5)
        self.assertEqual(loupe.ones(2, dtype=loupe.bfloat16).tolist(), [1.0, 1.0])
        self.assertIs(type(loupe.ones(1, 1, dtype=loupe.bfloat16).tolist()[0]), list)
        self.assertEqual(loupe.ones(2, requires_grad=True).tolist(), [1.0, 1.0])
        self.assertEqual(loupe.zeros(0, 3).tolist(), [])
        self.assertIsInstance(x.shape, tuple)
        self.assertEqual(repr(x.shape), "torch.Size([2, 3])")
        self.assertEqual(x.shape[:1] + (4,), (2, 4))
        self.assertIsInstance(x.size(), loupe.Size)
        self.assertEqual((x.size(-1), x.shape.numel()), (3, 6))
        self.assertEqual(loupe.zeros(x.shape).shape, x.shape)

    def test_arrays_are_indices_values_and_operands(self):
        x = loupe.arange(6.0).reshape(2, 3)
        self.assertEqual(x[:, numpy.array([0, 2])].tolist(), [[0, 2], [3, 5]])
        self.assertEqual(x[numpy.array([False, True])].tolist(), [[3, 4, 5]])
        self.assertEqual(x[numpy.int64(1)].tolist(), [3, 4, 5])
        x[0] = numpy.array([7.0, 8.0, 9.0])
        self.assertEqual(x[0].tolist(), [7, 8, 9])
        both = loupe.tensor([numpy.ones(2), numpy.zeros(2)])
        self.assertEqual((both.tolist(), both.dtype), ([[1, 1], [0, 0]], loupe.float64))
        ones = numpy.ones((2, 3), dtype="float32")
        for result in (x + ones, ones + x, ones * x - ones, numpy.sin(x), 2 / (x + 1)):
            self.assertIsInstance(result, loupe.Tensor)
        self.assertEqual((ones + x).tolist(), (x + 1).tolist())
        self.assertTrue((ones.astype("float64") * x).dtype, loupe.float64)
        self.assertTrue(bool((x == x.numpy()).all()))
        x += ones
        self.assertEqual(x[0, 0].item(), 8)
        with loupe.no_grad():
            w = loupe.ones(3, requires_grad=True)
        (w * numpy.array([1.0, 2.0, 3.0], dtype="float32")).sum().backward()
        self.assertEqual(w.grad.tolist(), [1, 2, 3])
        self.assertIn(x, {x: 1})

    def test_functions_of_numpy(self):
        x = loupe.arange(6.0).reshape(2, 3)
        self.assertEqual(float(numpy.mean(x)), 2.5)
        self.assertEqual(float(numpy.sum(x)), 15)
        self.assertEqual(numpy.sum(x, axis=0).tolist(), [3, 5, 7])
        self.assertEqual(numpy.stack([x, x]).shape, (2, 2, 3))
        self.assertTrue(numpy.allclose(x, x.numpy()))
        self.assertEqual(loupe.ones(2, requires_grad=True).numpy(force=True).tolist(), [1, 1])

    def test_copies_and_pickles(self):
        x = loupe.arange(6.0).reshape(2, 3).requires_grad_()
        back = pickle.loads(pickle.dumps(x))
        self.assertEqual((back.tolist(), back.requires_grad), (x.tolist(), True))
        again = copy.deepcopy({"x": x, "same": x})
        self.assertIs(again["x"], again["same"])
        self.assertNotEqual(again["x"].data_ptr(), x.data_ptr())
        self.assertEqual(copy.copy(x).data_ptr(), x.data_ptr())
        net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        other = copy.deepcopy(net)
        self.assertEqual(other[0].weight.tolist(), net[0].weight.tolist())
        self.assertNotEqual(other[0].weight.data_ptr(), net[0].weight.data_ptr())
        loaded = pickle.loads(pickle.dumps(net.state_dict()))
        self.assertEqual(loaded["0.bias"].tolist(), net[0].bias.tolist())

    def test_stubs_name_what_is_there(self):
        stub = ast.parse((pathlib.Path(loupe.__file__).parent / "__init__.pyi").read_text())
        for node in stub.body:
            if isinstance(node, ast.FunctionDef):
                self.assertTrue(hasattr(loupe, node.name), node.name)
            if not isinstance(node, ast.ClassDef):
                continue
            cls = getattr(loupe, node.name)
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    self.assertTrue(hasattr(cls, member.name) or hasattr(loupe.ones(1), member.name), member.name)
        self.assertTrue((pathlib.Path(loupe.__file__).parent / "py.typed").exists())


class Training(unittest.TestCase):
    def test_gradients(self):
        x = loupe.tensor([1.0, 2.0], requires_grad=True)
        (x**3).sum().backward()
        self.assertEqual(x.grad.tolist()[1], 12.0)
        with loupe.no_grad():
            self.assertFalse((x * 2).requires_grad)
        self.assertTrue((x * 2).requires_grad)
        with self.assertRaises(ZeroDivisionError):
            with loupe.no_grad():
                1 / 0
        self.assertTrue(loupe.is_grad_enabled())
        (slope,) = loupe.autograd.grad(F.softplus(x).sum(), [x])
        self.assertAlmostEqual(slope[0].item(), 1 / (1 + math.exp(-1)), places=6)

    def train(self, lib):
        lib.manual_seed(0)
        net = lib.nn.Sequential(lib.nn.Linear(3, 8), lib.nn.Tanh(), lib.nn.Linear(8, 1))
        adam = lib.optim.Adam(net.parameters(), lr=0.05)
        decay = lib.optim.lr_scheduler.StepLR(adam, step_size=5, gamma=0.5)
        data = lib.randn(16, 3)
        losses = []
        for _ in range(12):
            adam.zero_grad()
            loss = ((net(data) - data.sum(dim=1, keepdim=True)) ** 2).mean()
            loss.backward()
            adam.step()
            decay.step()
            losses.append(loss.item())
        return losses

    def test_a_loop_of_pytorch(self):
        losses = self.train(loupe)
        self.assertLess(losses[-1], losses[0])
        # Of PyTorch 2.15 for the same program.
        expected = [1.591395, 1.154734, 0.81975, 0.5582702, 0.3548805, 0.205766, 0.1507263, 0.1076829, 0.07696201, 0.05837061, 0.05069691, 0.05002416]
        numpy.testing.assert_allclose(losses, expected, rtol=2e-5)
        if torch is not None:
            numpy.testing.assert_allclose(losses, self.train(torch), rtol=2e-5)

    def test_functions_of_python_are_called(self):
        seen = []
        net = nn.Linear(2, 2)
        handle = net.register_forward_hook(lambda module, inputs, output: seen.append((module, len(inputs))))
        net(loupe.ones(1, 2))
        handle.remove()
        net(loupe.ones(1, 2))
        self.assertEqual(len(seen), 1)
        self.assertIs(seen[0][0], net)
        x = loupe.ones(2, requires_grad=True)
        x.register_hook(lambda grad: grad * 10)
        x.sum().backward()
        self.assertEqual(x.grad.tolist()[0], 10)

        def closure():
            sgd.zero_grad()
            loss = (net(loupe.ones(1, 2)) ** 2).sum()
            loss.backward()
            return loss

        sgd = loupe.optim.LBFGS(net.parameters(), max_iter=3)
        before = closure().item()
        sgd.step(closure)
        self.assertLess(closure().item(), before)

    def test_their_errors_come_through(self):
        class Own(KeyError):
            pass

        def fails(module, inputs):
            raise Own("mine")

        net = nn.Linear(2, 2)
        net.register_forward_pre_hook(fails)
        with self.assertRaises(Own) as raised:
            net(loupe.ones(1, 2))
        self.assertEqual(raised.exception.args, ("mine",))

    def test_modules(self):
        net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
        self.assertIsInstance(net, nn.Sequential)
        self.assertIsInstance(net, nn.Module)
        self.assertNotIsInstance(net, nn.Linear)
        self.assertNotIsInstance(3, nn.Linear)
        self.assertEqual([name for name, _ in net.named_parameters()], ["0.weight", "0.bias"])
        state = net.state_dict()
        self.assertEqual(list(state), ["0.weight", "0.bias"])
        net.load_state_dict({name: loupe.zeros_like(value) for name, value in state.items()})
        self.assertEqual(net(loupe.ones(1, 3, 5, 5)).abs().sum().item(), 0)
        net.note = "kept"
        self.assertEqual(net.note, "kept")
        with self.assertRaisesRegex(RuntimeError, "Missing key"):
            net.load_state_dict({})
        self.assertIn("(0): Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))", repr(net))


class Models(unittest.TestCase):
    def test_a_file_is_opened_and_run(self):
        model = loupe.open(MODELS / "resnet.pt").eval()
        self.assertEqual(model.methods, ["forward"])
        self.assertIn("Tensor", model.schema())
        image = loupe.sin(loupe.arange(0, 3 * 32 * 32) * 0.01).view(1, 3, 32, 32)
        with loupe.no_grad():
            scores = loupe.softmax(model(image), dim=1)
        numpy.testing.assert_allclose(scores.sum().item(), 1, rtol=1e-6)
        name = model.schema().split("Tensor ")[-1].split(")")[0]
        numpy.testing.assert_array_equal(model(**{name: image}).detach().numpy(), model(image).detach().numpy())
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'nothing'"):
            model(image, nothing=1)
        self.assertEqual(len(model.parameters()), len(model.named_parameters()))
        self.assertTrue(all(isinstance(p, loupe.Tensor) for p in model.state_dict().values()))
        self.assertTrue(hasattr(model.module, "named_children"))
        self.assertIsInstance(model.example_inputs()[0], loupe.Tensor)
        model.to(loupe.float64)
        self.assertEqual(model(image.double()).dtype, loupe.float64)

    @needs_torch
    def test_it_gives_what_pytorch_gives(self):
        image = numpy.sin(numpy.arange(3 * 32 * 32) * 0.01).astype("float32").reshape(1, 3, 32, 32)
        ours = loupe.open(MODELS / "resnet.pt").eval()(loupe.from_numpy(image))
        theirs = torch.jit.load(str(MODELS / "resnet.pt")).eval()(torch.from_numpy(image))
        numpy.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-4, atol=1e-5)

    def test_recordings(self):
        model = loupe.open(MODELS / "resnet.pt").eval()
        image = loupe.ones(1, 3, 32, 32)
        run = model.record(image, backward=True)
        ops = [event.op for event in run]
        self.assertIn("ConvolutionBackward0", ops)
        first = run[0]
        self.assertEqual((first.id, first.phase), (1, "forward"))
        self.assertEqual(run[-1].phase, "backward")
        backward = next(event for event in run if event.op == "ConvolutionBackward0")
        self.assertIn("conv", run[backward.peer - 1].op)
        self.assertTrue(first.outputs[0].shape)
        self.assertIsNotNone(first.outputs[0].mean)
        with self.assertRaises(IndexError):
            run[len(run)]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "step.loupe"
            run.save(file)
            again = loupe.open_recording(file)
            self.assertEqual([event.op for event in again], ops)
            with self.assertRaises(ValueError):
                again.save(file)
        steps = model.record(image, work=lambda: model(image).sum().backward())
        self.assertEqual({event.phase for event in steps}, {"forward", "backward"})
        with self.assertRaises(ZeroDivisionError):
            model.record(image, work=lambda: 1 / 0)

    def test_saving(self):
        model = loupe.open(MODELS / "curve.pt")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "weights.safetensors"
            model.save(file)
            self.assertTrue(file.exists())
            saved = os.path.join(folder, "state.pth")
            loupe.save({"a": loupe.arange(3), "n": [1, "x"]}, saved)
            back = loupe.load(saved)
            self.assertEqual(back["a"].tolist()[2], 2)
            self.assertEqual(back["n"][1], "x")

    def test_errors_are_one_line(self):
        with self.assertRaises(loupe.Error) as raised:
            loupe.open("/no/such/file.pt")
        self.assertEqual(raised.exception.kind, "usage")
        self.assertNotIn("\n", str(raised.exception))
        with self.assertRaises(loupe.Error):
            loupe.open(__file__.replace("test_loupe.py", ""))
        with self.assertRaises(RuntimeError):
            loupe.open(MODELS / "resnet.pt")(loupe.ones(2))
        with self.assertRaisesRegex(RuntimeError, "shapes cannot be multiplied"):
            loupe.ones(2, 3) @ loupe.ones(2, 3)


class Example(unittest.TestCase):
    def test_it_prints_what_pytorch_prints(self):
        here = pathlib.Path(__file__).parent
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, here / "example.py", MODELS / "resnet.pt"], capture_output=True, text=True, cwd=folder
            )
        self.assertEqual((ended.stdout, ended.stderr), ((here / "example.expected").read_text(), ""))


class Threads(unittest.TestCase):
    def test_threads_take_turns(self):
        net = nn.Linear(1, 1)
        net.register_forward_hook(lambda *_: seen.append(loupe.ones(1).sum().item()))
        seen = []
        failures = []

        def work():
            try:
                for _ in range(50):
                    x = loupe.randn(8, 1)
                    (net(x) * 2).sum().backward()
                    x.numpy().sum()
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(seen, [1.0] * 200)

    def test_python_goes_on_while_the_engine_works(self):
        turns = []
        done = threading.Event()

        def count():
            while not done.is_set():
                turns.append(1)
                done.wait(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        x = loupe.ones(700, 700)
        for _ in range(10):
            x @ x
        before = len(turns)
        loupe.ones(2000, 2000) @ loupe.ones(2000, 2000)
        done.set()
        thread.join()
        self.assertGreater(len(turns), before)

    def test_the_process_ends_with_everything_alive(self):
        program = (
            "import loupe, numpy\n"
            "keep = [loupe.nn.Linear(2, 2), loupe.from_numpy(numpy.ones(3)), loupe.ones(2).numpy()]\n"
            "keep[0].register_forward_hook(lambda *a: keep)\n"
            "keep.append(loupe.optim.SGD(keep[0].parameters(), lr=0.1))\n"
            "print('said', flush=True)\n"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "said\n", ""))


if __name__ == "__main__":
    unittest.main()
