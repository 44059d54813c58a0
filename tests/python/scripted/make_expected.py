# SPDX-License-Identifier: Apache-2.0
"""Writes expected.txt: what PyTorch 1.13 prints for the programs of programs.txt. Nodes of graphs are reduced to their
kinds, as test_scripted_programs does."""
import os
import pathlib
import re
import runpy
import sys
import tempfile
import traceback
import warnings

import torch  # once for all

HERE = pathlib.Path(__file__).parent
NODE = re.compile(r"^(\s*)(?:%.* = |= )?\^?((?:prim|aten)::\w+).*$")
SKIPPED = re.compile(r"^(graph\(|\s+%|\s+block\d|\s+-> \(|\s+return \()")


def reduced(text):
    lines = []
    for line in text.split("\n"):
        node = NODE.match(line)
        if node:
            lines.append(node.group(1) + node.group(2))
        elif not SKIPPED.match(line):
            lines.append(line)
    return "\n".join(lines)


def printed(path):
    """In a process of its own: PyTorch finds classes that it compiled before by their names."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.dup2(write, 1)
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception as error:
            traceback.print_exc()
            print("ended with", type(error).__name__)
        sys.stdout.flush()
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.wait()
    return text


def main():
    warnings.simplefilter("ignore")
    prelude = (HERE / "prelude.py.txt").read_text()
    out = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in (HERE / "programs.txt").read_text().split("#### ")[1:]:
            name, source = block.split("\n", 1)
            path = pathlib.Path("program.py")
            path.write_text(prelude + source)
            out.append(f"#### {name}\n" + reduced(printed(path)).rstrip("\n") + "\n")
    (HERE / "expected.txt").write_text("".join(out))


main()
