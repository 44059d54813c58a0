# SPDX-License-Identifier: Apache-2.0
# Writes the module cases of tests/conformance/modules scripted, traced and after pipelines, then loads the files with
# whatever PyTorch runs this and holds the results against the cases' own.
#
#     python3 tests/cli/check_modules.py write build/bin/tensorloupe-cli tests/conformance/modules WRITTEN [FORM,...]
#     /usr/bin/python3 tests/cli/check_modules.py load tests/conformance/modules WRITTEN
#
# A form is script or trace, then a pipeline, then the extension: "script.none.pt", "script.inference.pt", "trace.none.ptl".
import collections
import concurrent.futures
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

FORMS = ["script.none.pt", "script.optimize.pt", "script.inference.pt", "trace.none.pt", "script.none.ptl", "script.none.ff"]
NEEDS_EVAL = {"freeze", "inference"}


def cases(folder):
    for path in sorted(pathlib.Path(folder).glob("*.zip")):
        archive = zipfile.ZipFile(path)
        for entry in json.loads(archive.read("index.json")):
            yield path.stem, entry, archive


def write(cli, folder, written, forms):
    written = pathlib.Path(written)
    written.mkdir(parents=True, exist_ok=True)
    jobs = []
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, entry, archive in cases(folder):
            k = entry["k"]
            for part in ("py", "state.npz", "in.npz"):
                (pathlib.Path(scratch) / f"{name}.{k}.{part}").write_bytes(archive.read(f"{k}.{part}"))
            for form in forms:
                how, pipeline, extension = form.split(".")
                mode = "eval" if pipeline in NEEDS_EVAL else entry["mode"]
                stem = f"{scratch}/{name}.{k}"
                out = written / f"{name}.{k}.{form}"
                out.unlink(missing_ok=True)
                command = [cli, "convert", f"{stem}.py", str(out), "--weights", f"{stem}.state.npz", "--mode", mode,
                           "--pipeline", pipeline]
                command += ["--script"] if how == "script" else ["--inputs", f"{stem}.in.npz"]
                jobs.append((out, pool.submit(subprocess.run, command, capture_output=True, text=True, timeout=120)))
        refused = [f"{out.name}: {job.result().stderr.strip()}" for out, job in jobs if job.result().returncode != 0]
    print("\n".join(refused))
    print(f"{len(jobs)} asked for, {len(refused)} not written")


def flatten(value):
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for key in sorted(value, key=str) for t in flatten(value[key])]
    if isinstance(value, (list, tuple)):
        return [t for each in value for t in flatten(each)]
    return []


def numbered(arrays, prefix):
    import torch

    found = []
    while f"{prefix}{len(found)}" in arrays:
        found.append(torch.from_numpy(arrays[f"{prefix}{len(found)}"]))
    return found


def run(model, arguments):
    import torch

    torch.manual_seed(0)
    with torch.no_grad():
        return flatten(model(*arguments))


def check(file, archive, entry):
    import numpy
    import torch

    k = entry["k"]
    arguments = numbered(numpy.load(io.BytesIO(archive.read(f"{k}.in.npz"))), "arg")
    wanted = numbered(numpy.load(io.BytesIO(archive.read(f"{k}.out.npz"))), "out")
    if file.suffix in (".ptl", ".ff"):
        from torch.jit.mobile import _load_for_lite_interpreter

        # From memory: PyTorch maps a FlatBuffer from a file read-only, and modules that write to their buffers end the process.
        got = run(_load_for_lite_interpreter(io.BytesIO(file.read_bytes())), arguments)
    else:
        got = run(torch.jit.load(str(file)), arguments)
    if file.name.split(".")[3] in NEEDS_EVAL and entry["mode"] != "eval":
        source = {"torch": torch}
        exec(archive.read(f"{k}.py"), source)
        state = numpy.load(io.BytesIO(archive.read(f"{k}.state.npz")))
        source["model"].load_state_dict({name: torch.from_numpy(state[name]) for name in state})
        wanted = run(source["model"].eval(), arguments)
    assert len(got) == len(wanted), f"{len(got)} results, not {len(wanted)}"
    for a, b in zip(got, wanted):
        assert a.dtype == b.dtype, f"{a.dtype}, not {b.dtype}"
        torch.testing.assert_close(a, b, rtol=2e-4, atol=2e-5, equal_nan=True)


def load(folder, written):
    counts, failures = collections.Counter(), []
    for name, entry, archive in cases(folder):
        for file in sorted(pathlib.Path(written).glob(f"{name}.{entry['k']}.*")):
            counts[file.name.split(".", 2)[2]] += 1
            try:
                check(file, archive, entry)
            except Exception as error:
                lines = [line for line in str(error).strip().splitlines() if line.strip()]
                failures.append(f"{file.name}: {type(error).__name__}: {' '.join(lines)[:300]}")
    print("\n".join(failures))
    for form, count in sorted(counts.items()):
        print(f"{form}: {count - sum(f.split(':')[0].endswith(form) for f in failures)} of {count} agree")
    return 1 if failures or not counts else 0


if sys.argv[1] == "write":
    write(*sys.argv[2:5], sys.argv[5].split(",") if len(sys.argv) > 5 else FORMS)
else:
    sys.exit(load(*sys.argv[2:4]))
