# A function with more in it than it needs: what passes leave of it.
import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.linspace(0.5, 2, 8))

    def forward(self, x):
        half = 1 / 2
        one = x * self.scale + half
        other = x * self.scale + half
        return torch.dropout(one, 0.5, self.training) * other


model = Small().eval()
example_inputs = (torch.linspace(-1, 1, 16).reshape(2, 8),)
