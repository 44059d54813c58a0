# Reads 8 by 8 digits with many thin layers, and learns nothing.
import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, depth=8, activation="sigmoid"):
        super().__init__()
        kinds = {"sigmoid": nn.Sigmoid, "relu": nn.ReLU}
        layers = [nn.Flatten(), nn.Linear(64, 32), kinds[activation]()]
        for _ in range(depth - 2):
            layers += [nn.Linear(32, 32), kinds[activation]()]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(32, 10)

    def forward(self, x):  # [N, 1, 8, 8]
        return self.head(self.layers(x))


torch.manual_seed(0)
model = Deep()
example_inputs = (torch.rand(32, 1, 8, 8),)
