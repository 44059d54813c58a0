# SPDX-License-Identifier: Apache-2.0
# Compiles each case of language.py.txt with PyTorch and writes language.txt: "== name", the source, "--", and the graph
# or "error: " and the first line of the message.
# usage: /usr/bin/python3 make_language.py
import os, re
import torch

here = os.path.dirname(os.path.abspath(__file__))
cases = re.split(r"^# (.*)\n", open(os.path.join(here, "language.py.txt")).read(), flags=re.M)[1:]
with open(os.path.join(here, "language.txt"), "w") as out:
    for name, source in zip(cases[0::2], cases[1::2]):
        source = source.strip() + "\n"
        out.write(f"== {name}\n{source}--\n")
        try:
            out.write(str(torch.jit.CompilationUnit(source).f.graph))
        except Exception as error:
            out.write("error: " + str(error).strip().split("\n")[0].replace(" (inferred)", "") + "\n")
