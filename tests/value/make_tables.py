# SPDX-License-Identifier: Apache-2.0
"""Writes the expectations of the tests in this folder, as torch gives them: make_tables.py (no arguments)."""
import pathlib
import re

import torch

C = torch._C
here = pathlib.Path(__file__).parent


def shape(line):
    """What is special about a schema: the kinds of types, marks and defaults in it."""
    line = re.sub(r'"[^"]*"', '"s"', line[line.index("("):])
    line = re.sub(r"\b[a-z_0-9A-Z]+(=[^,)]*)?([,)])", r"\1\2", line)
    return frozenset(re.findall(r"[A-Za-z]+[?\[\]0-9]*(?:\([a-z!*> |-]*\))?[?\[\]0-9]*|=[^,) ]+|\.\.\.|\*", line))


# A greedy cover: each line adds something that no line before it had.
seen, sample = set(), []
for line in sorted((str(s) for s in C._jit_get_all_schemas()), key=len):
    new = shape(line) - seen
    if new:
        seen |= new
        sample.append(line)
with open(here / "schemas_sample.txt", "w") as out:
    out.write("\n".join(sorted(set(sample))) + "\n")

names = """Tensor|int|float|complex|bool|Scalar|str|NoneType|Device|Any|int[]|float[]|Tensor[]|Tensor?|int?|Scalar?|(int, float)
(int, Scalar)|(int, int?)|(int, NoneType)|Dict(str, int)|Dict(str, Tensor)|Future(int)|Future(Scalar)|Union(int, str)
Union(int, str, NoneType)|Union(int, float)|Float(2, 3)|Float(2, 3, requires_grad=0, device=cpu)|Double(*, *)|Float(*, *)
Float(2, *)|Float(2, 3)[]|Float(2, 3)?|AnyClassType|AnyEnumType|Generator|int?[]|Tensor?[]|Float(2, 3, strides=[3, 1])|int[][]
(Float(2, 3), int)|(Double(2, 3), int)|Union(Tensor, int[])|Double(2, 3)[]|Long()|Float(requires_grad=1, device=cpu)
Double(requires_grad=0)|Dict(str, Tensor)?|Dict(str, (int, Tensor)[])|(int, Tensor)[]|Tensor?[][]?|()|(int)"""
names = re.split(r"[|\n]", names)


def parse(name):
    return list(C.parse_ir(f"graph(%a : {name}):\n  return (%a)\n").inputs())[0].type()


def printed(name):
    return re.match(r"graph\(%a : (.*)\):", str(C.parse_ir(f"graph(%a : {name}):\n  return (%a)\n"))).group(1)


all_types = [parse(name) for name in names]
with open(here / "types.txt", "w") as out:
    for name, a in zip(names, all_types):
        print(name, printed(name), a.annotation_str, "".join(str(int(a.isSubtypeOf(b))) for b in all_types),
              "".join(str(int(a == b)) for b in all_types), sep="\t", file=out)

constants = ["float f=1", "float f=1e-5", "float f=0.1", "float f=1e10", "float f=1e18", "float f=1e19", "float f=-3", "float f=123456789.5",
             "float f=-0.", "complex c=1.5j", "complex c=-2j", "Scalar s=1", "Scalar s=1.5", "int[2] x=1", "int[1] x=1", "int[] x=[1, 2]",
             "int[] x=[]", "int[2]? x=1", "float[] x=[1.5, 2]", "bool[3] m=True", 'str s="a\'b\\\\c\\"d"', 'str s="\\n\\t"', "Tensor? t=None",
             "bool b=False", "int r=Mean", 'Device d="cpu"', "float[2] g=1"]
with open(here / "defaults.txt", "w") as out:
    for text in constants:
        line = f"aten::f({text}) -> ()"
        print(line, C.parse_schema(line), sep="\t", file=out)
