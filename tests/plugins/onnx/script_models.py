# SPDX-License-Identifier: Apache-2.0
"""Models with branches, loops, lists and writes, for onnxruntime_check.py."""
from typing import Dict, List, Tuple

import torch
from torch import Tensor, nn


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.sum() > 0):
            y = self.a(x)
        else:
            y = self.b(x) * 2
        return y + 1


class SizeBranch(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.size(0) > 4:
            return x * 2
        return x - 1


class Accumulate(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        total = torch.zeros_like(x[0])
        for i in range(x.size(0)):
            total = total * 0.5 + x[i]
        return total


class Halve(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, int]:
        steps = 0
        while bool(x.abs().max() > 0.1):
            x = x / 2
            steps += 1
        return x, steps


class OwnCell(nn.Module):
    """A recurrent cell over a list of steps: a sequence in ONNX."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 5)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.zeros(x.size(1), 5)
        c = torch.zeros(x.size(1), 5)
        outputs: List[Tensor] = []
        for step in range(x.size(0)):
            h, c = self.cell(x[step], (h, c))
            outputs.append(h)
        return torch.stack(outputs)


class Layers(nn.Module):
    """A loop over modules is written out."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        outputs: List[Tensor] = []
        for layer in self.layers:
            x = torch.relu(layer(x))
            outputs.append(x)
        return torch.cat(outputs, 1)


class Writes(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        y[:, 1] = 5
        y[0] += 1
        first = y[1:]
        first.mul_(2)
        y.relu_()
        return y + first.sum()


class Named(nn.Module):
    def forward(self, x: Tensor, pair: Tuple[Tensor, Tensor]) -> Dict[str, Tensor]:
        return {"sum": x + pair[0], "product": x * pair[1]}


class Masked(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x[x > 0]
        return y.sort()[0] * 2


class Nested(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        for i in range(x.size(0)):
            if i % 2 == 0:
                x = x + i
            else:
                x = x * 2
        return x


def MODELS():
    torch.manual_seed(0)
    x = torch.randn(3, 4)
    rows = ("--dynamic", "x:0=rows")
    return {
        "branch": (Branch(), [x.abs()], (), [-x.abs()]),
        "branch on a size": (SizeBranch(), [x], rows, [torch.randn(6, 4)]),
        "loop": (Accumulate(), [x], rows, [torch.randn(7, 4)]),
        "loop with a condition": (Halve(), [x], (), [x * 50]),
        "loop over steps": (OwnCell(), [torch.randn(4, 2, 3)], ("--dynamic", "x:0=steps"), [torch.randn(6, 2, 3)]),
        "loop over layers": (Layers(), [x], rows, [torch.randn(5, 4)]),
        "writes": (Writes(), [x], (), None),
        "writes, other sizes": (Writes(), [x], rows, [torch.randn(5, 4)]),
        "sizes by a mask": (Masked(), [x], (), [torch.randn(3, 4)]),
        "branch in a loop": (Nested(), [x], rows, [torch.randn(5, 4)]),
    }
