import torch
from torch import nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.ModuleDict({'a': nn.Linear(2, 2), 'b': nn.Linear(2, 2)}) for _ in range(2)])
        self.w = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])
        self.k = nn.Parameter(torch.ones(1))
    def forward(self, x):
        for i, l in enumerate(self.layers):
            x = l['a'](x) * self.w[i] + self.k
            x = l['b'](x) * self.k
        return x
t = torch.jit.trace(M(), torch.ones(1, 2))
print('\n'.join(line for line in t.code.split('\n') if 'self' in line or 'getattr' in line))
