# What exported.onnx was exported from, as its author says.
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, approximate):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.act = nn.GELU(approximate)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self, width=16, depth=3, classes=5, approximate="none"):
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.blocks = nn.Sequential(*[Block(width, approximate) for _ in range(depth)])
        self.head = nn.Linear(width, classes)
        for block in self.blocks:  # as if it had been trained
            nn.init.uniform_(block.norm.weight, 0.5, 1.5)
            nn.init.uniform_(block.norm.bias, -0.5, 0.5)

    def forward(self, x):  # [N, 8]
        return self.head(self.blocks(self.embed(x)))


def trained(approximate="none"):
    torch.manual_seed(0)
    return Net(approximate=approximate).eval()


model = trained()
example_inputs = (torch.randn(4, 8),)
