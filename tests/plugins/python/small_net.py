# SPDX-License-Identifier: Apache-2.0
"""A model that PyTorch records and that the engine runs, with weights that are the same everywhere."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu_(self.norm(self.conv(x)) + x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, stride=2)
        self.blocks = nn.Sequential(Block(4), Block(4))
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(16, 3)

    def forward(self, x):
        x = self.pool(self.blocks(self.first(x)))
        return self.fc(x.flatten(1))


def make():
    net = Net()
    with torch.no_grad():
        for number, parameter in enumerate(net.parameters()):
            steps = torch.arange(parameter.numel(), dtype=torch.float64)
            parameter.copy_(torch.sin(steps * 0.7 + number).reshape(parameter.shape) * 0.3)
    return net


model = make()
