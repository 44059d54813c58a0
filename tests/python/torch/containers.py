import torch
import torch.nn as nn
from collections import OrderedDict

s = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
print(len(s), s[0], s[-1], s[1:], [type(m).__name__ for m in s])
s.append(nn.Sigmoid())
print(s)
d = nn.Sequential(OrderedDict([('a', nn.Linear(1, 2)), ('b', nn.Tanh())]))
print(d, d.a)
l = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
l.append(nn.ReLU())
l.extend([nn.Tanh(), nn.GELU()])
l.insert(0, nn.Identity())
print(len(l), l, l[1:3])
l[0] = nn.Flatten()
del l[1]
print(l)
for i, m in enumerate(l):
    print(i, m)
md = nn.ModuleDict({'conv': nn.Conv1d(1, 1, 1), 'act': nn.ReLU()})
md['pool'] = nn.MaxPool1d(2)
print(md, list(md.keys()), 'act' in md, len(md))
for k, v in md.items():
    print(k, v)
md.update({'act': nn.ELU()})
print(md.pop('conv'), md)
pl = nn.ParameterList([nn.Parameter(torch.ones(i + 1)) for i in range(2)])
print(len(pl), pl[1], [tuple(p.shape) for p in pl], [n for n, _ in pl.named_parameters()])
print(pl)
pd = nn.ParameterDict({'w': nn.Parameter(torch.zeros(2))})
pd['b'] = nn.Parameter(torch.ones(1))
print(list(pd.keys()), pd['b'], 'w' in pd, len(pd))
try:
    l[10]
except IndexError as e:
    print(e)
try:
    md['nope']
except KeyError as e:
    print('KeyError', e)
gl = nn.ModuleList(nn.Linear(1, i + 1, bias=False) for i in range(2))
gl.extend(nn.ReLU() for _ in range(2))
gl += [nn.Tanh()]
print(gl)
print(nn.ParameterList(nn.Parameter(torch.zeros(i)) for i in range(1, 3)))
print(nn.ModuleList({'a': nn.ReLU(), 'b': nn.Tanh()}.values()))
