# SPDX-License-Identifier: Apache-2.0
# Writes every fixture model, as it is and after pipelines, loads what was written with PyTorch and holds its results
# against the expected ones.
#
#     /usr/bin/python3 tests/cli/check_written.py build/bin/tensorloupe-cli tests/fixtures none,inline,optimize,train_fused,freeze,inference
#
# "none.ptl", "freeze.ff": the same as files for the lite interpreter, loaded by it.
import io
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
from torch.jit.mobile import _load_for_lite_interpreter

PIPELINES = sys.argv[3].split(",") if len(sys.argv) > 3 else ["none"]


# Of files for the lite interpreter: what PyTorch 1.13's own files of the same models do not do either.
LITE = {
    "hooked": "hooks are not called",
    "googlenet": "named tuples: FlatBuffers refuse them, archives end with bad_alloc",
    "googlenet_train": "the same",
    "lstm_packed": "a type in torch.nn cannot be parsed",
    "language": "fork has no instruction",
    "getstate.ptl": "a type in torch.nn cannot be parsed",
}


def flatten(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for key in sorted(value, key=str) for t in flatten(value[key])]
    if isinstance(value, (list, tuple)):
        return [t for each in value for t in flatten(each)]
    return []


def arguments_of(path):
    data = numpy.load(path)
    arguments = []
    for name in sorted((n for n in data if n.startswith("arg")), key=lambda n: [int(p) for p in n[3:].split(".")]):
        parts = name[3:].split(".")
        value = torch.from_numpy(data[name])
        if len(parts) == 1:
            arguments.append(value)
        elif parts[1] == "0":
            arguments.append([value])
        else:
            arguments[-1].append(value)
    return arguments


def main():
    cli, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
    checked, failures = 0, []
    for expected in sorted((fixtures / "models").glob("*.out.npz")):
        name = expected.name[:-len(".out.npz")]
        model, inputs = fixtures / "models" / f"{name}.pt", fixtures / "models" / f"{name}.in.npz"
        if not model.exists() or not inputs.exists():
            continue
        try:
            original = torch.jit.load(str(model))
            arguments = arguments_of(inputs)
            torch.manual_seed(0)
            with torch.no_grad():
                wanted = flatten(original(*arguments))
        except Exception:
            continue  # other kinds of arguments, operators of another library
        is_training = any(m.training for m in original.modules())
        for form in PIPELINES:
            pipeline, _, extension = form.partition(".")
            if extension and (name in LITE or f"{name}.{extension}" in LITE):
                continue
            if pipeline in ("freeze", "inference") and (is_training or not isinstance(original, torch.jit.ScriptModule)):
                continue
            with tempfile.TemporaryDirectory() as folder:
                written = f"{folder}/{name}.{extension or 'pt'}"
                done = subprocess.run([cli, "convert", str(model), written, "--pipeline", pipeline], capture_output=True, text=True)
                checked += 1
                try:
                    assert done.returncode == 0, done.stderr
                    torch.manual_seed(0)
                    with torch.no_grad():
                        loaded = _load_for_lite_interpreter(io.BytesIO(pathlib.Path(written).read_bytes())) if extension else torch.jit.load(written)
                        got = flatten(loaded(*arguments_of(inputs)))
                    assert len(got) == len(wanted), f"{len(got)} results, not {len(wanted)}"
                    for a, b in zip(got, wanted):
                        torch.testing.assert_close(a, b, rtol=2e-4, atol=2e-5, equal_nan=True)
                except Exception as error:
                    failures.append(f"{name} after {form}: {str(error).strip().splitlines()[0]}")
    for failure in failures:
        print(failure)
    print(f"{checked} checked, {len(failures)} failed")
    return 1 if failures or checked == 0 else 0


sys.exit(main())
