import torch
from torch import nn
from typing import List
torch.manual_seed(1)
class Gate(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
    def forward(self, x):
        if x.sum() > 0:
            x = self.lin(x)
        else:
            x = -x
        return x
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.jit.script(Gate(3))
        self.out = nn.Linear(3, 2)
    def forward(self, x):
        return self.out(self.gate(x))
o = Outer()
t = torch.jit.trace(o, torch.ones(1, 3))
for v in (torch.ones(1, 3), -torch.ones(1, 3)):
    print(torch.equal(t(v), o(v)), t(v))
print(t.gate.code)
class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
    def forward(self, x):
        return torch.tanh(self.a(x)) + 1
class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.jit.trace(Body(), torch.ones(1, 3))
        self.n = 2
    def forward(self, x):
        for i in range(self.n):
            x = self.body(x)
        return x
h = torch.jit.script(Holder())
print(h(torch.ones(2, 3)).detach())
print(h.code)
print(h.body.code)
fn = torch.jit.trace(lambda a, b: a * b + 1, (torch.ones(2), torch.ones(2)))
@torch.jit.script
def use(x):
    return fn(x, x) - 1
print(use(torch.tensor([3., 4.])))


class FinalM(nn.Module):
    k: torch.jit.Final[int]
    names: torch.jit.Final[List[str]]
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.names = ['a', 'b']
        self.scale: torch.jit.Final[float] = 0.5
    def forward(self, x):
        out: List[str] = []
        for n in self.names:
            out.append(n)
        if self.k > 2:
            return x * self.scale, out
        else:
            return x + self.k, out
f = torch.jit.script(FinalM(3))
print(f(torch.ones(1)), f.k)
print(f.code)
