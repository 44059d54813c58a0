# SPDX-License-Identifier: Apache-2.0
# Writes classes.txt: the graphs of the functions of classes.py, as PyTorch compiles them.
# usage: /usr/bin/python3 make_classes.py
import inspect, os, sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import torch
import classes

with open(os.path.join(here, "classes.txt"), "w") as out:
    for name, function in inspect.getmembers(classes, inspect.isfunction):
        if function.__module__ != "classes":
            continue
        print("==", name, file=out)
        out.write(str(torch.jit.script(function).graph))
