# Of test_explain: numbers that are none, each in its own way.
import torch
from torch import nn

inf = float("inf")


class Nan(nn.Module):
    def forward(self, x, w, a, b):
        y = torch.matmul(x, w)
        z = b * a
        return y, z, torch.log(a - 1), torch.softmax(b, 0)


model = Nan()
example_inputs = (
    torch.tensor([[1.0, 0.0, 2.0]]),
    torch.tensor([[1.0, -inf], [inf, 0.0], [1.0, inf]]),
    torch.tensor([1.0, 0.0, -2.0]),
    torch.tensor([1.0, inf, 2.0]),
)
