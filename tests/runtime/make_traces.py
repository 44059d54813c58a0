# SPDX-License-Identifier: Apache-2.0
# Writes traces.txt: what torch.jit.trace makes of modules composed of layers, as PyTorch 1.13.1 prints the inlined graph
# and the methods' names. test_tracer.cpp composes the same modules in C++.
#
#     /usr/bin/python3 tests/runtime/make_traces.py > tests/runtime/traces.txt
import os

import torch
import torch.nn as nn
import torch.nn.functional as F


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.fc2 = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv(x))), 2)
        x = torch.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1)
        return self.head(F.dropout(x, 0.5, False))


class Writes(nn.Module):
    def forward(self, x):
        y = x * 2
        y[0].fill_(1.5)
        y.relu_()
        return y - 1


class Parts(nn.Module):
    def forward(self, x):
        a, b = torch.chunk(x, 2, 1)
        return a, b, torch.stack([a, b])


class Escape(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = Parts()

    def forward(self, x):
        a, b, c = self.parts(x)
        return {"sum": a + b, "all": c}, [a, b]


class Takes(nn.Module):
    def forward(self, x, pair):
        return x + pair[0] * pair[1]


class Captures(nn.Module):
    def __init__(self):
        super().__init__()
        self.offset = torch.arange(3.0)

    def forward(self, x):
        return x + self.offset


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x):
        state = torch.zeros(1, 2, 2)
        y, (h, c) = self.lstm(x, (state, state))
        return y, h, c


def show(name, module, *inputs):
    traced = torch.jit.trace(module.eval(), inputs, strict=False, check_trace=False)
    for path, part in traced.named_modules():
        for method in [part._c._get_method(n) for n in part._c._method_names() if n.startswith("forward")]:
            print(f"== {name} {path or '.'} {method.name}")
            print(str(method.graph).strip().replace(__file__, os.path.basename(__file__)))  # no folder of the machine that wrote it


torch.manual_seed(0)
x = torch.randn(2, 3)
show("two", Two(), x)
show("conv", Conv(), torch.randn(2, 3, 8, 8))
show("writes", Writes(), x)
show("escape", Escape(), torch.randn(2, 4))
show("takes", Takes(), x, (x + 1, x + 2))
show("captures", Captures(), x)
show("recurrent", Recurrent(), torch.randn(2, 5, 3))
