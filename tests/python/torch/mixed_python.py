import math
import torch
import torch.nn as nn
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from functools import partial
from typing import Dict, List, Optional, Tuple

@dataclass
class Config:
    width: int = 4
    depth: int = 2
    act: str = 'relu'
    sizes: List[int] = field(default_factory=lambda: [1, 2])

Output = namedtuple('Output', ['logits', 'hidden'])
ACTS = {'relu': nn.ReLU, 'tanh': nn.Tanh, 'gelu': partial(nn.GELU)}

class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        layers = OrderedDict()
        for i in range(cfg.depth):
            layers[f'fc{i}'] = nn.Linear(cfg.width, cfg.width)
            layers[f'act{i}'] = ACTS[cfg.act]()
        self.body = nn.Sequential(layers)
        self.head = nn.Linear(cfg.width, 2)

    @property
    def width(self):
        return self.cfg.width

    def forward(self, x: torch.Tensor) -> Output:
        h = self.body(x)
        return Output(self.head(h), h)

    @classmethod
    def small(cls):
        return cls(Config(width=2, depth=1, act='tanh'))

torch.manual_seed(0)
m = MLP(Config())
print(m.cfg, m.width)
o = m(torch.ones(1, 4))
print(o.logits, o.hidden.shape, o._fields)
print(MLP.small())
shapes: Dict[str, Tuple[int, ...]] = {n: tuple(p.shape) for n, p in m.named_parameters()}
print(shapes)
stats = sorted(((n, round(float(p.detach().abs().max()), 3)) for n, p in m.named_parameters()), key=lambda t: -t[1])
print(stats[:2])
print(list(map(lambda p: p.numel(), m.parameters())), any(p.grad is not None for p in m.parameters()), math.prod(m.head.weight.shape))
print("{:>8} {:<10}|".format('loss', 'value'), '%-5s|%5.2f' % ('a', torch.tensor(1.234)), f'{o.logits.sum().item():+.3f}')
*rest, last = m.children()
print(len(rest), last, *[type(c).__name__ for c in m.children()], sep=' / ')
