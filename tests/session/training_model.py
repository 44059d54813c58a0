# The model of test_training: normalisation and dropout, so that buffers and random numbers matter.
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 32, bias=False)  # one before a normalisation has no gradient but noise
        self.norm = nn.BatchNorm1d(32)
        self.drop = nn.Dropout(0.25)
        self.last = nn.Linear(32, 10)

    def forward(self, x):
        x = self.first(x.flatten(1))
        x = torch.relu(self.norm(x))
        return self.last(self.drop(x))


model = Net()
example_inputs = (torch.randn(4, 1, 8, 8),)
