#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes schemas.txt: the name and overload of every aten schema of the PyTorch that runs it."""
import pathlib

import torch


def main():
    names = {s.name + ("." + s.overload_name if s.overload_name else "") for s in torch._C._jit_get_all_schemas()
             if s.name.startswith("aten::")}
    version = torch.__version__.split("+")[0]
    text = f"# Made by make_schema_list.py: the aten schemas of PyTorch {version}.\n" + "".join(f"{name}\n" for name in sorted(names))
    pathlib.Path(__file__).with_name("schemas.txt").write_text(text)


if __name__ == "__main__":
    main()
