# Learns an embedding in which pairs of the same thing lie close together (a contrastive loss, written by hand).
import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self, eps=0.0):
        super().__init__()
        self.eps = eps
        self.first = nn.Linear(6, 32)
        self.second = nn.Linear(32, 8)

    def forward(self, pairs):  # [N, 2, 6]
        embedded = self.second(torch.relu(self.first(pairs)))
        one, other = embedded.unbind(1)
        return (one - other).pow(2).sum(-1).add(self.eps).sqrt()  # [N]: the distance in each pair


def loss(distance, same):  # same: 1 for a pair of the same thing, else 0
    near = same * distance.pow(2)
    far = (1 - same) * (1 - distance).clamp(min=0).pow(2)
    return (near + far).mean()


torch.manual_seed(0)
model = Embedder()
example_inputs = (torch.randn(4, 2, 6),)
