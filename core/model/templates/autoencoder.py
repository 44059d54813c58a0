import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Flatten(),
    nn.Linear(64, 32),
    nn.ReLU(),
    nn.Linear(32, 8),
    nn.ReLU(),
    nn.Linear(8, 32),
    nn.ReLU(),
    nn.Linear(32, 64),
    nn.Unflatten(1, (1, 8, 8)),
)

example_inputs = (torch.randn(1, 1, 8, 8),)
