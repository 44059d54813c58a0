import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
block = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
x = torch.randn(1, 2, requires_grad=True)
y = checkpoint(block, x)
y.sum().backward()
print(x.grad, block[0].weight.grad)
with torch.autograd.detect_anomaly():
    a = torch.tensor(0., requires_grad=True)
    b = torch.sqrt(a * 0)
    try:
        b.backward()
    except RuntimeError as e:
        print(e)
