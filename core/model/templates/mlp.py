import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Flatten(),
    nn.Linear(64, 128),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Linear(128, 10),
)

example_inputs = (torch.randn(1, 1, 8, 8),)
