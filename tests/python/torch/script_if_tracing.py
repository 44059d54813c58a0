import torch
from torch import nn
from typing import List, Dict, Optional, Tuple, Final
torch.manual_seed(0)

@torch.jit.script_if_tracing
def loop(x, n: int):
    for i in range(n):
        if x.sum() > 0:
            x = x - 1
        else:
            x = x + 2
    return x

class A(nn.Module):
    def forward(self, x):
        return loop(x, 3) * 2
a = A()
x = torch.randn(2, 3)
print(a(x))
t = torch.jit.trace(a, x)
print(t(x), t(torch.ones(2, 3) * 9))
print(t.code)
s = torch.jit.script(a)
print(s(torch.ones(2)))

class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(3, 2)
        self.dec = nn.Linear(2, 3)
    def forward(self, x):
        return self.dec(self.encode(x))
    def encode(self, x):
        return torch.relu(self.enc(x))
    def decode(self, z, scale):
        return self.dec(z) * scale
m = Two()
tm = torch.jit.trace_module(m, {'forward': x, 'encode': x, 'decode': (torch.randn(2, 2), torch.tensor(2.))})
print(tm.encode(x), torch.allclose(tm(x), m(x)), tm.decode(torch.ones(1, 2), torch.tensor(3.)))
print(tm)
try:
    torch.jit.trace_module(m, (x,))
except AttributeError as e:
    print('AttributeError', e)
