# SPDX-License-Identifier: Apache-2.0
# Writes the programs of tests/fixtures/programs.zip, as they are and after pipelines, loads what was written with the
# PyTorch that runs this and holds its results, of every type, against those of the file that was read.
#
#     /usr/bin/python3 tests/cli/check_programs.py build/bin/tensorloupe-cli tests/fixtures/programs.zip source,none,inline,optimize
#
# "source" is no pipeline: then Tensorloupe scripts language_programs.py itself.
import copy
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import torch


SCRIPTS_ALL = """
import torch
import language_programs
for name, item, calls in language_programs.PROGRAMS:
    try:
        what = item() if isinstance(item, type) else item
        if isinstance(what, torch.nn.Module):
            what.eval()
        torch.jit.save(torch.jit.script(what), "source_" + name + ".pt")
    except Exception as error:
        print(name, error)
"""


# PyTorch's script of `for i, layer in enumerate(self.layers[:2])` calls the last of self.layers; its eager form does not.
KNOWN = {("Containers", "source")}


def write(cli, folder, stem, pipeline):
    """Where the written file is, and what is complained about."""
    if pipeline == "source":
        return f"{folder}/source_{stem}.pt", None
    written = f"{folder}/written.pt"
    done = subprocess.run([cli, "convert", f"{folder}/{stem}.pt", written, "--pipeline", pipeline], capture_output=True, text=True)
    return written, done.stderr if done.returncode != 0 else None


def same(a, b):
    if isinstance(a, torch.Tensor):
        torch.testing.assert_close(a, b, rtol=2e-5, atol=2e-6, equal_nan=True)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), f"{len(b)} elements, not {len(a)}"
        for x, y in zip(a, b):
            same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b), f"keys {list(b)}, not {list(a)}"
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, (int, float, str, complex, bool, type(None))):
        assert type(a) is type(b) and (a == b or a != a), f"{b!r}, not {a!r}"
    else:
        assert str(a) == str(b), f"{b}, not {a}"


def result_of(model, arguments):
    torch.manual_seed(0)
    try:
        return model(*copy.deepcopy(arguments)), None
    except Exception as error:
        lines = str(error).strip().splitlines()
        return None, lines[-1] if lines else ""


def main():
    cli, archive = sys.argv[1], zipfile.ZipFile(sys.argv[2])
    pipelines = sys.argv[3].split(",") if len(sys.argv) > 3 else ["none"]
    checked, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        if "source" in pipelines:
            for each in ("language_programs.py", "user_programs.py"):
                shutil.copy(pathlib.Path(sys.argv[2]).parent / each, folder)
            pathlib.Path(folder, "all.py").write_text(SCRIPTS_ALL)
            subprocess.run([os.path.abspath(cli), "run", "all.py", "--allow-write", "."], cwd=folder)
        for name in [n for n in archive.namelist() if n.endswith(".pt") and n.count(".") == 1]:
            (pathlib.Path(folder) / name).write_bytes(archive.read(name))
            stem = name[:-3]
            calls = []
            while f"{stem}.{len(calls)}.in.pt" in archive.namelist():
                calls.append(torch.load(io.BytesIO(archive.read(f"{stem}.{len(calls)}.in.pt"))))
            for pipeline in [each for each in pipelines if (stem, each) not in KNOWN]:
                written, complaint = write(cli, folder, stem, pipeline)
                for number, arguments in enumerate(calls or [None]):
                    checked += 1
                    try:
                        assert complaint is None, complaint
                        got = torch.jit.load(written)
                        if arguments is None:
                            continue
                        original = torch.jit.load(f"{folder}/{name}")
                        if pipeline == "none":  # __getstate__ and __setstate__ run once more
                            buffer = io.BytesIO()
                            torch.jit.save(original, buffer)
                            buffer.seek(0)
                            original = torch.jit.load(buffer)
                        got.load_state_dict(original.state_dict())
                        wanted, message = result_of(original, arguments)
                        result, last_line = result_of(got, arguments)
                        assert last_line == message, f"{last_line!r}, not {message!r}"
                        same(wanted, result)
                    except Exception as error:
                        failures.append(f"{stem}.{number} after {pipeline}: {' '.join(str(error).split())[:300]}")
    print("\n".join(failures))
    print(f"{checked} checked, {len(failures)} failed")
    return 1 if failures or checked == 0 else 0


sys.exit(main())
