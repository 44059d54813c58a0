# SPDX-License-Identifier: Apache-2.0
# Writes models as .pt2, loads what was written with torch.export.load of PyTorch 2.15, and holds its results against
# those of PyTorch for the file that was read.
#
#     python3 tests/cli/check_exported.py build/bin/tensorloupe-cli FILE...
#
# FILE: a TorchScript archive (.pt) with NAME.in.npz beside it; a program of torch.export (.pt2), which is written as it
# is and, after a pass, from its graph; a model source (.py) with NAME.in.npz and NAME.out.npz; a .zip of
# tests/conformance/modules.
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy
import torch

PASSES = "DeadCodeElimination"


def flatten(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for each in value.values() for t in flatten(each)]
    if isinstance(value, (list, tuple)):
        return [t for each in value for t in flatten(each)]
    if hasattr(value, "values") and hasattr(value, "keys"):
        return [t for each in value.values() for t in flatten(each)]
    return []


def arguments_of(data):
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


def convert(cli, model, out, *options):
    done = subprocess.run([cli, "convert", str(model), str(out), *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr.strip() or f"status {done.returncode}"


def compare(got, wanted):
    got, wanted = flatten(got), flatten(wanted)
    assert len(got) == len(wanted), f"{len(got)} results, not {len(wanted)}"
    for i, (a, b) in enumerate(zip(got, wanted)):
        assert a.dtype == b.dtype, f"out{i} is {a.dtype}, not {b.dtype}"
        scale = b.abs().max().item() if b.numel() and b.is_floating_point() else 0
        torch.testing.assert_close(a, b, rtol=2e-4, atol=max(2e-5, 1e-4 * scale), equal_nan=True)


def check_lines(program):
    nodes = [n for n in program.graph.nodes if n.op == "call_function"]
    without = [n.name for n in nodes if not n.meta.get("nn_module_stack") and "getitem" not in n.name]
    assert not without, f"nodes without a module: {without[:3]}"


def run(module, arguments):
    torch.manual_seed(0)
    with torch.no_grad():
        return module(*arguments)


def check_script(cli, path, folder):
    data = numpy.load(path.with_name(path.stem + ".in.npz"))
    original = torch.jit.load(str(path))
    wanted = run(original, arguments_of(data))
    out = folder / f"{path.stem}.pt2"
    convert(cli, path, out, "--inputs", str(path.with_name(path.stem + ".in.npz")))
    program = torch.export.load(out)
    check_lines(program)
    assert set(program.state_dict) == set(original.state_dict()), "other names in the state_dict"
    compare(run(program.module(), arguments_of(data)), wanted)


def check_program(cli, path, folder):
    original = torch.export.load(path)
    args, kwargs = original.example_inputs
    for options in ([], ["--pipeline", PASSES]):
        out = folder / f"{path.stem}.pt2"
        convert(cli, path, out, *options)
        program = torch.export.load(out)
        assert list(program.state_dict) == list(original.state_dict), "other names in the state_dict"
        torch.manual_seed(0)
        wanted = original.module()(*args, **kwargs)
        torch.manual_seed(0)
        got = program.module()(*args, **kwargs)
        compare(got, wanted)
        assert program.call_spec.in_spec == original.call_spec.in_spec and program.call_spec.out_spec == original.call_spec.out_spec, "other trees"


def check_source(cli, path, folder, *options):
    data = numpy.load(path.with_name(path.stem + ".in.npz"))
    expected = numpy.load(path.with_name(path.stem + ".out.npz"))
    out = folder / "written.pt2"
    convert(cli, path, out, "--inputs", str(path.with_name(path.stem + ".in.npz")), *options)
    program = torch.export.load(out)
    check_lines(program)
    wanted = [torch.from_numpy(expected[f"out{i}"]) for i in range(sum(n.startswith("out") for n in expected))]
    compare(run(program.module(), arguments_of(data)), wanted)


def check_modules(cli, path, folder):
    archive = zipfile.ZipFile(path)
    archive.extractall(folder)
    for case in json.loads(archive.read("index.json")):
        k, mode = case["k"], case["mode"]
        options = ["--mode", mode]
        if (folder / f"{k}.state.npz").exists():
            options += ["--weights", str(folder / f"{k}.state.npz")]
        yield f"{path.stem} {k}", lambda: check_source(cli, folder / f"{k}.py", folder, *options)


def checks_of(cli, path, folder):
    if path.suffix == ".zip":
        yield from check_modules(cli, path, folder)
    elif path.suffix == ".pt":
        yield path.stem, lambda: check_script(cli, path, folder)
    elif path.suffix == ".pt2":
        yield path.stem, lambda: check_program(cli, path, folder)
    else:
        yield path.stem, lambda: check_source(cli, path, folder)


def main():
    cli, checked, failed = sys.argv[1], 0, 0
    for each in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            for name, check in checks_of(cli, pathlib.Path(each), pathlib.Path(folder)):
                checked += 1
                try:
                    check()
                except Exception as error:
                    failed += 1
                    print(f"{name}: {' '.join(str(error).split())[:400]}", flush=True)
    print(f"{checked} checked, {failed} failed")
    return 1 if failed or checked == 0 else 0


sys.exit(main())
