# What scripts do around a model: options, progress, mixed precision, attributes of tensors, modules that print themselves.
import argparse
import inspect

import torch
from torch import nn
from torch.cuda.amp import GradScaler, autocast

parser = argparse.ArgumentParser(description='habits')
parser.add_argument('--lr', type=float, default='0.1', metavar='LR')
parser.add_argument('--batch-size', '-b', type=int, default=4)
parser.add_argument('--no-cuda', action='store_true')
parser.add_argument('names', nargs='*')
args = parser.parse_args()
print(args, vars(args)['batch_size'], 'lr' in args)


class View(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.shape = shape

    def __repr__(self):
        return f'View{self.shape}'

    def forward(self, x):
        torch._assert(x.dim() == 2, 'two dimensions')
        return x.view(*self.shape)


class Lines(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = View(2, 2)

    def __repr__(self):
        return 'Lines\nof text'


net = nn.Sequential(nn.Linear(4, 4), View(-1, 2, 2), Lines(), nn.ModuleDict({'view': View(1)}))
print(net)
try:
    View(4)(torch.zeros(4))
except AssertionError as e:
    print('AssertionError', e)

for name, p in net.named_parameters():
    p.no_decay = name.endswith('bias')
    p.tag = [name]
print([p.no_decay for p in net.parameters()], net[0].weight.tag, hasattr(net[0].weight, 'missing'))
t = torch.ones(2)
t.scale = 3
print(t * t.scale, getattr(t, 'other', None))
try:
    t.missing
except AttributeError as e:
    print(e)

scaler = GradScaler(enabled=False)
optimizer = torch.optim.SGD(net[0].parameters(), lr=args.lr)
with autocast(enabled=False):
    loss = net[0](torch.ones(1, 4)).sum()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
scaler.step(optimizer)
scaler.update()
print(scaler.get_scale(), scaler.is_enabled(), 'fused' in inspect.signature(torch.optim.SGD).parameters, inspect.isclass(View))
