# Containers keep None under a name: it counts, and is iterated over, as a module is.
import copy
import torch
from torch import nn

l = nn.ModuleList([nn.ReLU(), None, nn.Linear(1, 1)])
print(len(l), [x is None for x in l], l[1])
l.append(None)
print(len(l), l[-1], list(l._modules.items())[1])
print(l)
print([n for n, _ in l.named_children()], [n for n, _ in l.named_modules()], list(l.state_dict()))
print(len(l[1:]), [x is None for x in l[1:]])
l[0] = None
print(l[0], len(l))
l.insert(0, None)
l.extend([None])
print(len(l), [type(x).__name__ for x in l])
del l[0]
print(len(l), None in l)

e = nn.ModuleList([None] * 3)
print(len(e), e)
print([(a, b) for a, b in zip(range(3), e)], list(e.children()))
print(copy.deepcopy(e), len(copy.deepcopy(e)))
print(e.pop(1), len(e), len(e + [nn.ReLU()]))

d = nn.ModuleDict({'a': None, 'b': nn.ReLU()})
print(len(d), d['a'], list(d.keys()), list(d.items())[0], 'a' in d, list(d.values())[0])
print(d)
d.update({'c': None})
d['d'] = None
print(d.pop('c'), len(d), d['d'])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
        self.residuals = nn.ModuleList([])
        for _ in range(2):
            self.residuals.append(None)
        self.register_module('nothing', None)

    def forward(self, x):
        for block, residual in zip(self.blocks, self.residuals):
            x = block(x) if residual is None else residual(block(x))
        return x


torch.manual_seed(0)
net = Net()
print(net, list(net._modules), [n for n, _ in net.named_modules()])
net.train().double().apply(lambda m: None)
print(net(torch.ones(1, 2, dtype=torch.double)).shape, net(torch.ones(1, 2, dtype=torch.double)).grad_fn is not None)
try:
    nn.ModuleList([3])
except TypeError as error:
    print(error)
s = nn.Sequential(nn.ReLU(), None)
print(s, len(s), s[1])
try:
    s(torch.ones(1))
except TypeError as error:
    print(error)
p = nn.ParameterList([nn.Parameter(torch.ones(1))])
print(len(p), p[0].shape)
q = nn.ParameterList([None, nn.Parameter(torch.ones(2)), torch.zeros(1), 'text', None])
print(len(q), [type(x).__name__ for x in q], q[0], [n for n, _ in q.named_parameters()])
print(q)
q.append(None)
q[0] = torch.ones(3)
print(len(q), [type(x).__name__ for x in q], list(q.state_dict()))
print([type(b).__name__ for a, b in zip(range(9), nn.ParameterList([None if i else nn.Parameter(torch.ones(1)) for i in range(3)]))])
r = nn.ParameterDict({'a': None, 'b': torch.ones(1)})
r['c'] = None
print(len(r), [(n, type(x).__name__) for n, x in r.items()], list(r.keys()))
print(r.pop('a'), len(r), 'c' in r)
print(len(nn.ParameterList(q)), [type(x).__name__ for x in q[1:3]])
for make in (lambda: nn.MultiheadAttention(0, 8), lambda: nn.MultiheadAttention(9, 2)):
    try:
        make()
    except Exception as error:
        print(type(error).__name__, error)
