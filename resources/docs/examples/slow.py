# A block of a Transformer whose author wrote the activation and the normalisation out.
import math

import torch
from torch import nn


class Gelu(nn.Module):
    def forward(self, x):
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1 + torch.tanh(inner))


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = RmsNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.act = Gelu()
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


torch.manual_seed(0)
model = nn.Sequential(*[Block(64) for _ in range(4)])
example_inputs = (torch.randn(512, 64),)
