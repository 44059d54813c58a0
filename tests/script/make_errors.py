# SPDX-License-Identifier: Apache-2.0
# Compiles each case of errors.py.txt with PyTorch and writes errors.txt: "== name", the source, "--", and the message,
# with the places that it shows.
# usage: /usr/bin/python3 make_errors.py
import os
import re

import torch

here = os.path.dirname(os.path.abspath(__file__))
cases = re.split(r"^# (.*)\n", open(os.path.join(here, "errors.py.txt")).read(), flags=re.M)[1:]
with open(os.path.join(here, "errors.txt"), "w") as out:
    for name, source in zip(cases[0::2], cases[1::2]):
        source = source.strip() + "\n"
        try:
            torch.jit.CompilationUnit(source).f
            message = "compiles"
        except Exception as error:
            message = str(error).strip()
        out.write(f"== {name}\n{source}--\n{message}\n")
