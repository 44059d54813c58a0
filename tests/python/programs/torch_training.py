# SPDX-License-Identifier: Apache-2.0
"""A training script as people write it: data, model, loop, hooks, saving state."""
import copy
import math
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args, **kwargs):
        return x + self.fn(x, *args, **kwargs)


class Positional(nn.Module):
    def __init__(self, dim, length=32):
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        table = torch.zeros(length, dim)
        table[:, 0::2] = torch.sin(position * frequency)
        table[:, 1::2] = torch.cos(position * frequency)
        self.register_buffer('table', table, persistent=False)

    def forward(self, x):
        return x + self.table[:x.size(1)]


class Classifier(nn.Module):
    names = ('a', 'b')

    def __init__(self, dim=8, classes=3, depth=2, activation=nn.GELU):
        super().__init__()
        self.embed = nn.Linear(4, dim)
        self.position = Positional(dim)
        self.blocks = nn.Sequential(OrderedDict(
            (f'block{i}', Residual(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), activation(), nn.Linear(2 * dim, dim))))
            for i in range(depth)))
        self.heads = nn.ModuleDict({name: nn.Linear(dim, classes) for name in self.names})
        self.temperature = nn.Parameter(torch.tensor(1.0))
        self.reset()

    def reset(self):
        for name, parameter in self.named_parameters():
            if name.endswith('weight') and parameter.dim() > 1:
                nn.init.constant_(parameter, 0.05)
            elif 'bias' in name:
                nn.init.zeros_(parameter)

    def forward(self, x, head='a'):
        if x.dim() != 3:
            raise ValueError(f'expected 3 dimensions, got {x.dim()}')
        x = self.blocks(self.position(self.embed(x)))
        return self.heads[head](x.mean(dim=1)) / self.temperature


def batches(data, labels, size):
    for start in range(0, len(data), size):
        yield data[start:start + size], labels[start:start + size]


torch.manual_seed(3)
data = torch.linspace(-1, 1, 6 * 5 * 4).reshape(6, 5, 4)
labels = torch.tensor([0, 1, 2, 0, 1, 2])
model = Classifier()
print(model)
print({name: tuple(p.shape) for name, p in model.named_parameters()})
print([name for name, _ in model.named_buffers()], 'position.table' in model.state_dict())
optimizer = torch.optim.Adam([{'params': model.heads.parameters(), 'lr': 0.05}, {'params': model.blocks.parameters()}], lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
norms = []
handle = model.blocks.register_forward_hook(lambda module, inputs, output: norms.append(round(output.norm().item(), 2)))
best, best_state = float('inf'), None
for epoch in range(4):
    model.train()
    total = 0.0
    for x, y in batches(data, labels, 4):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    scheduler.step()
    if total < best:
        best, best_state = total, copy.deepcopy(model.state_dict())
    print(f'epoch {epoch} loss {total / len(data):.4f} lr {[group["lr"] for group in optimizer.param_groups]}')
handle.remove()
print(len(norms), norms[:2])
model.load_state_dict(best_state)
with torch.no_grad():
    model.eval()
    print(model(data).argmax(dim=-1).tolist(), f'{model(data[:1], head="b").sum().item():.2f}')
try:
    model(data[0])
except ValueError as error:
    print(error)
try:
    model.load_state_dict({'nope': torch.zeros(1)})
except RuntimeError as error:
    print(str(error).split('\n')[0])
clone = copy.deepcopy(model)
with torch.no_grad():
    clone.temperature.add_(1)
print(clone.temperature.item(), model.temperature.item(), sum(p.numel() for p in model.parameters()))
frozen = [p.requires_grad_(False) for p in model.heads.parameters()]
print(len(frozen), sum(p.requires_grad for p in model.parameters()))
x = torch.ones(2, requires_grad=True)
y = (x * 3).pow(2)
y.retain_grad()
x.register_hook(lambda grad: grad * 10)
y.sum().backward()
print(x.grad, y.grad, torch.autograd.grad((x ** 3).sum(), x)[0])
