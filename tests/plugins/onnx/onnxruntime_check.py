#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What we write as ONNX, checked by onnx's checker and run by ONNX Runtime, against PyTorch. Run by hand:

    /path/to/venv/bin/python tests/plugins/onnx/onnxruntime_check.py [--cli build/bin/tensorloupe-cli] [--opset 20] GROUP...

GROUP: classifiers, recurrent, programs, scripts, exported FOLDER, ops FOLDER. The environment needs torch, torchvision,
onnx and onnxruntime. A line a model; status 1 when one differs.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np

FLOATS = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-3, "float64": 1e-5}


class Failure(Exception):
    pass


class Checker:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="onnx-check-")
        self.failed = []
        self.passed = 0

    def convert(self, source, inputs=None, extra=(), opset=None):
        out = os.path.join(self.folder, "out.onnx")
        for old in glob.glob(out + "*"):
            os.remove(old)
        command = [self.options.cli, "convert", source, out, "--opset", str(opset or self.options.opset), *extra]
        if inputs:
            command += ["--inputs", inputs]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise Failure("convert: " + done.stderr.strip().replace(self.folder, ""))
        return out

    def run(self, path, arrays):
        import onnx
        import onnxruntime

        onnx.checker.check_model(path, full_check=True)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 2
        settings.log_severity_level = 3
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        names = [each.name for each in session.get_inputs()]
        if len(names) > len(arrays):
            raise Failure(f"{len(names)} inputs, {len(arrays)} given")
        return session.run(None, dict(zip(names, arrays)))

    def run_as(self, path, arrays):
        """Inputs in the model's types: files of arrays have no bfloat16."""
        import onnx

        model = onnx.load(path)
        types = [each.type.tensor_type.elem_type for each in model.graph.input]
        wanted = [onnx.helper.tensor_dtype_to_np_dtype(each) for each in types]
        return self.run(path, [x.astype(t) for x, t in zip(arrays, wanted)])

    def compare(self, expected, got):
        if len(expected) != len(got):
            raise Failure(f"{len(got)} outputs, {len(expected)} expected")
        worst = 0.0
        for want, have in zip(expected, got):
            want, have = np.asarray(want), np.asarray(have)
            if want.shape != have.shape:
                raise Failure(f"shape {have.shape}, expected {want.shape}")
            if want.size == 0:
                continue
            tolerance = FLOATS.get(str(want.dtype), 0)
            a, b = want.astype(np.float64), have.astype(np.float64)
            finite = np.isfinite(a)
            if not np.array_equal(finite, np.isfinite(b)) or not np.array_equal(np.isnan(a), np.isnan(b)):
                raise Failure("other infinities or NaN")
            scale = max(1.0, np.abs(a[finite]).max(initial=0))
            error = np.abs(a - b)[finite].max(initial=0) / scale
            worst = max(worst, error)
            if error > tolerance:
                raise Failure(f"differs by {error:.2e} of {scale:.2e}")
        return worst

    def check(self, name, work):
        try:
            worst = work()
            self.passed += 1
            if self.options.verbose:
                print(f"ok    {name} {worst:.1e}", flush=True)
        except Exception as error:  # a line a model, whatever went wrong
            text = str(error).strip().splitlines()
            self.failed.append((name, text[0] if text else type(error).__name__))
            print(f"FAIL  {name}: {self.failed[-1][1][:300]}", flush=True)

    def check_torch(self, name, module, inputs, extra=(), other=None, opset=None):
        """module: scripted or traced. other: inputs of other sizes, for dynamic axes."""
        import torch

        def work():
            source = os.path.join(self.folder, "model.pt")
            module.save(source)
            np.savez(os.path.join(self.folder, "in.npz"), **{f"arg{i}": x.numpy() for i, x in enumerate(inputs)})
            out = self.convert(source, os.path.join(self.folder, "in.npz"), extra, opset)
            worst = 0.0
            for given in [inputs] + ([other] if other else []):
                with torch.no_grad():
                    expected = flat(module(*given))
                worst = max(worst, self.compare(expected, self.run(out, [x.numpy() for x in given])))
            return worst

        self.check(name, work)


def flat(value):
    import torch

    if isinstance(value, torch.Tensor):
        return [value.detach().numpy()]
    if isinstance(value, dict):
        return [x for each in value.values() for x in flat(each)]
    if isinstance(value, (list, tuple)):
        return [x for each in value for x in flat(each)]
    return [np.asarray(value)] if isinstance(value, (bool, int, float)) else []


def classifiers(checker):
    import torch
    import torchvision

    for name in checker.options.models or torchvision.models.list_models(module=torchvision.models):
        torch.manual_seed(0)
        model = torchvision.models.get_model(name, weights=None).eval()
        size = 299 if name == "inception_v3" else 224
        if checker.options.small and sum(p.numel() for p in model.parameters()) > 30e6:
            continue
        x = torch.randn(1, 3, size, size)
        batch = torch.randn(3, 3, size, size)
        for form in ("script", "trace"):
            try:
                module = torch.jit.script(model) if form == "script" else torch.jit.trace(model, x, check_trace=False)
            except Exception as error:  # PyTorch's own limits
                print(f"skip  {name} {form}: {str(error).splitlines()[0][:100]}")
                continue
            checker.check_torch(f"{name} {form}", module, [x], ("--dynamic", "arg0:0=batch"), [batch])


def recurrent(checker):
    import torch

    class Calls(torch.nn.Module):
        """PyTorch 2.15 cannot call a scripted LSTM itself: its forward has overloads."""

        def __init__(self, layer):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            return self.layer(x)

    torch.manual_seed(0)
    for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
        for layers, bidirectional, batch_first in ((1, False, False), (2, True, True), (3, False, True)):
            layer = kind(5, 7, layers, bidirectional=bidirectional, batch_first=batch_first).eval()
            x = torch.randn(4, 3, 5)
            name = f"{kind.__name__} layers={layers} bidirectional={bidirectional} batch_first={batch_first}"
            checker.check_torch(name + " script", torch.jit.script(Calls(layer)), [x], ("--dynamic", "arg0:0=a,arg0:1=b"),
                                [torch.randn(6, 2, 5)])
            checker.check_torch(name + " trace", torch.jit.trace(layer, x), [x])


def scripts(checker):
    import torch
    from script_models import MODELS

    for name, (module, inputs, extra, other) in MODELS().items():
        checker.check_torch(name, torch.jit.script(module), inputs, extra, other)


def exported(checker, folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.pt2"))):
        stem = path[: -len(".pt2")]
        given = np.load(stem + ".in.npz")
        wanted = np.load(stem + ".out.npz")

        def work():
            out = checker.convert(path, stem + ".in.npz")
            arrays = [given[f"arg{i}"] for i in range(len([k for k in given if k.startswith("arg")]))]
            expected = [wanted[f"out{i}"] for i in range(len([k for k in wanted if k.startswith("out")]))]
            return checker.compare(expected, checker.run(out, arrays))

        checker.check(os.path.basename(stem), work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="+")
    parser.add_argument("--cli", default="build/bin/tensorloupe-cli")
    parser.add_argument("--opset", type=int, default=20)
    parser.add_argument("--small", action="store_true", help="classifiers of up to 30 million parameters")
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    checker = Checker(options)
    groups = list(options.groups)
    while groups:
        group = groups.pop(0)
        if group == "exported":
            exported(checker, groups.pop(0))
        elif group == "ops":
            from onnxruntime_ops import operators

            operators(checker, groups.pop(0))
        else:
            {"classifiers": classifiers, "recurrent": recurrent, "scripts": scripts}[group](checker)
    print(f"{checker.passed} passed, {len(checker.failed)} failed")
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
