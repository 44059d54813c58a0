# SPDX-License-Identifier: Apache-2.0
# Runs the programs of tests/python/scripted/programs.txt, saves all that they script with torch.jit.save, in Tensorloupe
# and in the PyTorch that runs this, loads both with PyTorch and holds the inlined graphs against each other. What cannot be
# loaded fails; graphs that differ are told (a loop's counter, branches that were decided, interfaces that were resolved).
#
#     /usr/bin/python3 tests/cli/check_scripted.py build/bin/tensorloupe-cli tests/python/scripted
import collections
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

import torch

SAVES = """
saved_ = [0]
def scripted_(what, *rest, **named):
    result = torch.jit.script(what, *rest, **named)
    try:
        torch.jit.save(result, "FOLDER/%d.pt" % saved_[0])
    except Exception as error:
        print("not saved:", str(error).split("\\n")[0])
    saved_[0] += 1
    return result
"""


def blocks(text):
    for block in text.split("#### ")[1:]:
        name, _, body = block.partition("\n")
        yield name, body


def run_here(path):
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception:
            pass
        os._exit(0)
    os.waitpid(child, 0)


def is_whole(path):
    try:
        torch.jit.load(str(path))
        return True
    except RuntimeError:
        return False


def shape_of(graph):
    """How many nodes there are of each kind with each type; constants apart, which are pooled, and what a loop carries."""
    found = collections.Counter()
    for line in str(graph).splitlines():
        node = re.match(r"\s*(?:(%.*) = )?\^?([\w]+::\w+)", line)
        if node and node.group(2) not in ("prim::Constant", "prim::unchecked_cast"):
            types = "" if node.group(2) == "prim::Loop" else re.sub(r"__torch__\.[\w.]+", "CLASS", node.group(1) or "")
            found[re.sub(r"%[\w.]+", "%", types) + node.group(2)] += 1
    return found


def graphs_of(path):
    model = torch.jit.load(str(path))
    names = model._c._method_names() if hasattr(model, "_c") else []
    out = {}
    for name in sorted(names):
        graph = getattr(model._c, "_get_method")(name).graph.copy()
        torch._C._jit_pass_inline(graph)
        torch._C._jit_pass_dce(graph)
        torch._C._jit_pass_constant_pooling(graph)
        out[name] = shape_of(graph)
    return out


def main():
    cli, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    prelude = (folder / "prelude.py.txt").read_text()
    files, failures, differences = 0, [], []
    for name, body in blocks((folder / "programs.txt").read_text()):
        with tempfile.TemporaryDirectory() as scratch:
            ours, theirs = pathlib.Path(scratch) / "ours", pathlib.Path(scratch) / "theirs"
            body = body.replace("@torch.jit.script\n", "@scripted_\n").replace("torch.jit.script(", "scripted_(")
            for place in (ours, theirs):
                place.mkdir()
                program = prelude + SAVES.replace("FOLDER", str(place)) + body
                (place / "program.py").write_text(program)
            os.chdir(ours)
            done = subprocess.run([cli, "run", str(ours / "program.py")], capture_output=True, text=True)
            os.chdir(theirs)
            run_here(theirs / "program.py")
            os.chdir("/")
            # What PyTorch cannot save it leaves as a part of a file.
            wanted = {p.name for p in theirs.glob("[0-9]*.pt") if is_whole(p)}
            got = {p.name for p in ours.glob("[0-9]*.pt")}
            if wanted != got:
                failures.append(f"{name}: {sorted(got)} written, not {sorted(wanted)}: {done.stdout}{done.stderr}")
            for file in sorted(wanted & got):
                files += 1
                try:
                    a, b = graphs_of(theirs / file), graphs_of(ours / file)
                    assert list(a) == list(b), f"methods {list(b)}, not {list(a)}"
                    for method in a:
                        if a[method] != b[method]:
                            differences.append(f"{name} {file} {method}: {dict(b[method] - a[method])}, not {dict(a[method] - b[method])}")
                except Exception as error:
                    failures.append(f"{name} {file}: {' '.join(str(error).split())[:400]}")
    print("\n".join(failures))
    print("\n".join(f"differs: {line[:300]}" for line in differences))
    print(f"{files} files, {len(failures)} failed, {len(differences)} graphs differ")
    return 1 if failures or files == 0 else 0


sys.exit(main())
