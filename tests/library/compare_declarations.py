#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many functions and methods of LibTorch the headers of LibTorch's names declare: compare_declarations.py [BUILD] [--missing].

Needs torch, whose headers it reads, and a build with loupe_torch. Internal operators (with an underscore in front, of other
backends) are left out.
"""

import glob
import os
import re
import sys

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOREIGN = re.compile(r"^(_|mkldnn|miopen|cudnn|slow_conv|thnn|fbgemm|native_|q_|quantize|dequantize|fake_quant|sparse|to_sparse|ccol|crow|col_indices|row_indices|coalesce|sym_)|_copy(_out)?$|_backward|names?_|rename|refine_|align_")


def split(arguments):
    parts, depth, now = [], 0, ""
    for c in arguments:
        depth += (c in "<({") - (c in ">)}")
        if c == "," and depth == 0:
            parts.append(now.strip())
            now = ""
        else:
            now += c
    return parts + [now.strip()] if now.strip() else parts


def signature(name, arguments):
    """The name, and of each argument its type and whether it has a default."""
    out = []
    for argument in split(arguments):
        has_default = "=" in argument
        kind = re.sub(r"\s+\w+$", "", argument.split("=")[0].strip())
        out.append((kind.replace(" ", ""), has_default))
    return name, tuple(out)


def declared(text, pattern):
    found = set()
    for match in re.finditer(pattern, text, re.M):
        name, arguments = match[1], match[2]
        if "SymInt" in arguments or "Dimname" in arguments or FOREIGN.search(name) or name.endswith(("_outf", "_symint")):
            continue
        if "layout, " in arguments and "pin_memory" in arguments:
            continue  # the form without TensorOptions
        found.add(signature(name, arguments))
    return found


def report(what, theirs, ours, missing):
    equal = theirs & ours
    names, known = {name for name, _ in theirs}, {name for name, _ in ours}
    print(f"{what}: {len(equal)} of {len(theirs)} declarations are equal, {len(names & known)} of {len(names)} names are there")
    if missing:
        print("  no such name: " + " ".join(sorted(names - known)))
        for each in sorted(theirs - ours):
            if each[0] in known:
                print("  other declaration: " + each[0] + "(" + ", ".join(k + ("=" if d else "") for k, d in each[1]) + ")")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--missing"]
    written = os.path.join(arguments[0] if arguments else os.path.join(ROOT, "build"), "core/library/torch/written/loupe_torch")
    aten = os.path.join(os.path.dirname(torch.__file__), "include/ATen")
    functions = "".join(open(f).read() for f in glob.glob(aten + "/ops/*.h") if not f.endswith(("_ops.h", "_native.h", "_dispatch.h")))
    body = open(aten + "/core/TensorBody.h").read()
    own = open(os.path.join(ROOT, "core/library/torch/include/loupe_torch/tensor.h")).read()
    theirs = declared(functions, r"^inline .*?(\w+)\((.*)\) \{$")
    ours = declared(open(written + "/functions.inc").read(), r"^.*?(\w+)\((.*)\);$")
    report("functions of at::", theirs, ours, "--missing" in sys.argv)
    theirs = declared(body, r"^  \S.*?(\w+)\((.*)\) const;$")
    ours = declared(open(written + "/methods.inc").read(), r"^.*?(\w+)\((.*)\) const;$")
    ours |= {s for s in theirs if re.search(rf"\b{s[0]}\(", own)}
    report("methods of at::Tensor", theirs, ours, "--missing" in sys.argv)


if __name__ == "__main__":
    main()
