# SPDX-License-Identifier: Apache-2.0
"""Models that test_onnx_writing.cpp writes as ONNX, reads again and runs."""
import torch
from torch import nn


class Network(nn.Module):
    """A small image classifier."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(8, 5)

    def forward(self, image):
        x = self.features(image)
        x = x.mean((2, 3))
        return self.head(x)


class Block(nn.Module):
    """A transformer's layer."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

    def forward(self, x):
        y = self.norm(x)
        y, _ = self.attention(y, y, y, need_weights=False)
        x = x + y
        return x + self.mlp(self.norm(x))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 6)
        self.lstm = nn.LSTM(6, 4, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 3)

    def forward(self, tokens):
        x, _ = self.lstm(self.embedding(tokens))
        y, h = self.gru(x)
        return y, h


class Writes(nn.Module):
    """In-place operators, on views too."""

    def forward(self, x):
        y = x.clone()
        y[:, 1] = 5
        y[0] += 1
        first = y[1:]
        first.mul_(2)
        return y, first.sum()


class Named(nn.Module):
    def forward(self, x):
        return {"double": x * 2, "largest": x.max(1)[1]}


class Loops(nn.Module):
    """Scripted: a branch, and a loop that appends."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(4, 4)

    def forward(self, x):
        state = x[0]
        states = []
        for i in range(x.size(0)):
            state = torch.tanh(self.cell(state) + x[i])
            states.append(state)
        if bool(state.sum() > 0):
            state = state * 2
        return torch.stack(states), state


class Experts(nn.Module):
    """Rows sorted by expert, each expert with a matrix of its own."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 4, 5))

    def forward(self, x):
        expert = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
        order = torch.argsort(expert, stable=True)
        counts = torch.histc(expert.float(), bins=3, min=0, max=2)
        ends = counts.cumsum(0).to(torch.int32)
        return torch._grouped_mm(x[order], self.w, offs=ends), counts


class Smaller(nn.Module):
    """Images with less detail than pixels."""

    def forward(self, image):
        return tuple(nn.functional.interpolate(image, (4, 3), mode=mode, antialias=True)
                     for mode in ("bilinear", "bicubic"))
