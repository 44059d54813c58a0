"""torch.save of whole modules and other objects of a program's own classes, and torch.load, copy.deepcopy, pickle."""
import copy
import enum
import functools
import io
import pickle
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Mode(enum.Enum):
    TRAIN = 'train'
    TEST = 'test'


class Point(NamedTuple):
    x: int
    y: float = 2.0


Pair = namedtuple('Pair', 'a b')


@dataclass
class Config:
    width: int = 4
    layers: list = field(default_factory=lambda: [1, 2])
    mode: Mode = Mode.TRAIN


def double(x):
    return x * 2


class Block(nn.Module):
    def __init__(self, width, activation=F.relu):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)
        self.activation = activation

    def forward(self, x):
        return x + self.activation(self.norm(self.linear(x)))


class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(10, config.width, padding_idx=0)
        self.blocks = nn.ModuleList([Block(config.width), Block(config.width, torch.tanh), Block(config.width, double)])
        self.head = nn.Sequential(OrderedDict(drop=nn.Dropout(0.1), out=nn.Linear(config.width, 3)))
        self.head.out.weight = nn.Parameter(self.head.out.weight * 0.5)
        self.rnn = nn.LSTM(3, 2, num_layers=2, batch_first=True)
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.register_buffer('mean', torch.arange(3.))
        self.register_buffer('cache', torch.ones(2), persistent=False)
        self.register_buffer('nothing', None)
        self.register_parameter('no_bias', None)
        self.sizes = (1, 2, 3)
        self.names = {'a': 1, 'b': [1, 2]}
        self.tied = self.embed.weight

    def forward(self, x):
        h = self.embed(x).mean(1)
        for block in self.blocks:
            h = block(h)
        return self.rnn((self.head(h) * self.scale - self.mean).unsqueeze(1))[0].squeeze(1)


def through_file(value, **options):
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    buffer.seek(0)
    return torch.load(buffer)


net = Net(Config())
net.blocks[1].requires_grad_(False)
net.eval()
x = torch.randint(0, 10, (4, 5))
before = net(x)
for options in ({}, {'_use_new_zipfile_serialization': False}):
    again = through_file(net, **options)
    print(type(again) is Net, torch.equal(before, again(x)), again.training)
print(again)
print([(n, tuple(p.shape), p.requires_grad) for n, p in again.named_parameters()])
print([n for n, _ in again.named_buffers()], list(again.state_dict())[:3], 'cache' in again.state_dict())
print(again.tied is again.embed.weight, again.config, again.sizes, again.names, again.no_bias, again.nothing)
print(again.blocks[1].activation is torch.tanh, again.blocks[2].activation is double, again.blocks[0].activation is F.relu)
again.train()
loss = again(x).sum()
loss.backward()
print(again.scale.grad is not None, net.scale.grad)
print(sorted(vars(net))[:8], [k for k in net.__dict__ if not k.startswith('_')])
print(list(net._parameters.items())[1:], list(net._modules), list(net._buffers), net._non_persistent_buffers_set)

# A training's objects together keep what they share.
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
net.train()
for _ in range(3):
    optimizer.zero_grad()
    net(x).pow(2).sum().backward()
    optimizer.step()
    scheduler.step()
model, opt, sched = through_file([net, optimizer, scheduler])
print(opt.param_groups[0]['params'][0] is model.embed.weight or opt.param_groups[0]['params'][0] is model.scale)
print(sched.optimizer is opt, sched.last_epoch, sched.get_last_lr(), opt.param_groups[0]['lr'], type(opt).__name__)
for m, o, s in ((net, optimizer, scheduler), (model, opt, sched)):
    torch.manual_seed(5)
    for _ in range(3):
        o.zero_grad()
        value = m(x).pow(2).sum()
        value.backward()
        o.step()
        s.step()
    print('%.6f' % value.item(), s.get_last_lr())

for make in (lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [2, 4]), lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 10),
             lambda o: torch.optim.lr_scheduler.LambdaLR(o, double), lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.9),
             lambda o: torch.optim.lr_scheduler.LinearLR(o), lambda o: torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=1),
             lambda o: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3)):
    o = torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, momentum=0.9)
    s = make(o)
    rates = []
    for step in range(6):
        if step == 3:
            s = through_file(s)
            o = s.optimizer
        o.param_groups[0]['params'][0].grad = torch.ones(2)
        o.step()
        s.step(*((1.0,) if 'Plateau' in type(s).__name__ else ()))
        rates.append(round(o.param_groups[0]['lr'], 6))
    print(type(s).__name__, rates, o.param_groups[0]['params'][0].detach())


# Objects that are no modules.
class Vocabulary:
    def __init__(self, words):
        self.words = words
        self.index = {w: i for i, w in enumerate(words)}
        self.parent = self

    def __len__(self):
        return len(self.words)


class Stateful:
    def __init__(self, n):
        self.n = n
        self.cache = object()

    def __getstate__(self):
        state = self.__dict__.copy()
        del state['cache']
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.cache = 'made again'


class Reduced:
    def __init__(self, a, b):
        self.pair = (a, b)

    def __reduce__(self):
        return (Reduced, self.pair)


class Meters(dict):
    def add(self, name):
        self[name] = self.get(name, 0) + 1


class History(list):
    pass


class Celsius(float):
    unit = 'C'


class Slotted:
    __slots__ = ('a', 'b')

    def __init__(self):
        self.a = 1


history = History([1, 2])
history.best = 3
meters = Meters()
meters.add('loss')
things = {
    'vocabulary': Vocabulary(['a', 'b']), 'state': Stateful(3), 'reduced': Reduced(1, [2]), 'meters': meters, 'history': history,
    'celsius': Celsius(3.5), 'point': Point(1), 'pair': Pair(1, 'b'), 'mode': Mode.TEST, 'config': Config(8), 'path': Path('/a/b.pt'),
    'counter': Counter('aab'), 'default': defaultdict(list, {'k': [1]}), 'deque': deque([1, 2], maxlen=3), 'partial': functools.partial(double, 3),
    'range': range(1, 9, 2), 'slice': slice(1, None), 'set': {1}, 'frozen': frozenset([2]), 'bytes': b'\x00\xff', 'complex': 1 + 2j,
    'class': Net, 'function': double, 'builtin': len, 'dtype': torch.float16, 'device': torch.device('cpu'), 'size': torch.Size([1, 2]),
    'ellipsis': ..., 'error': ValueError('no', 3), 'slotted': Slotted(), 'ordered': OrderedDict(z=1, a=2),
    'method': meters.add, 'type': int, 'none': None, 'nan': float('inf'),
}
for way in (through_file, lambda v: pickle.loads(pickle.dumps(v)), copy.deepcopy):
    back = way(things)
    v = back['vocabulary']
    print(len(v), v.index, v.parent is v, back['state'].n, back['state'].cache, back['reduced'].pair)
    print(type(back['meters']).__name__, back['meters'], back['history'], back['history'].best, type(back['history']).__name__)
    print(repr(back['celsius']), back['celsius'].unit, back['point'], back['pair'].b, back['mode'] is Mode.TEST, back['config'], back['path'])
    print(back['counter'], back['default'], back['deque'], back['partial'](), back['range'], back['slice'], back['set'], back['frozen'])
    print(back['bytes'], back['complex'], back['class'] is Net, back['function'](4), back['builtin'] is len, back['dtype'], back['device'])
    print(back['size'], type(back['size']).__name__, back['ellipsis'], repr(back['error']), back['error'].args)
    print(back['slotted'].a, hasattr(back['slotted'], 'b'), back['ordered'], back['type'], back['none'], back['nan'])
    back['default']['new'].append(5)
    back['method']('loss')
    print(back['default'], back['meters'], type(back['deque']).__name__, back['deque'].maxlen)

print(through_file({'args': vars(Vocabulary(['x'])) | {'parent': None}, 'vars': vars(Stateful(2)) and vars(Config(3)), 'dict': Config(5).__dict__}))
loop = [1]
loop.append(loop)
ring = {'list': loop}
ring['self'] = ring
for way in (through_file, lambda v: pickle.loads(pickle.dumps(v))):
    back = way(ring)
    print(back['self'] is back, back['list'][1] is back['list'])

# Tensors in plain pickles.
t = torch.arange(6.).reshape(2, 3)
back = pickle.loads(pickle.dumps({'t': t, 'row': t[1], 'p': nn.Parameter(t[0].clone()), 'i': torch.tensor([1, 2]), 'b': torch.tensor(True)}))
print(back)
back['t'][1, 0] = 50
print(back['row'])
with io.BytesIO() as f:
    pickle.dump([1, 'a'], f)
    pickle.dump((2.5, None), f)
    f.seek(0)
    print(pickle.load(f), pickle.load(f))
small = pickle.loads(pickle.dumps(nn.Linear(2, 2)))
print(small, torch.equal(small(torch.ones(2)), small(torch.ones(2))))

# What cannot be written.


def local_class():
    class Inner(nn.Module):
        pass
    return Inner()


for bad in (lambda: nn.Sequential(local_class()), lambda: {'f': (lambda q: q)}, lambda: [i for i in (x for x in ())] + [(y for y in ())],
            lambda: torch.Generator()):
    try:
        torch.save(bad(), io.BytesIO())
    except Exception as e:
        print(type(e).__name__, str(e).split(' at 0x')[0])
try:
    Gone = type('Gone', (), {})
    data = pickle.dumps(Gone())
    del Gone
    pickle.loads(data)
except Exception as e:
    print(type(e).__name__, str(e).split(' from ')[0].rstrip('>'))

# copy.deepcopy of modules with everything in them.
clone = copy.deepcopy(net)
clone.config.layers.append(3)
with torch.no_grad():
    clone.scale.add_(1)
print(net.config.layers, clone.config.layers, net.scale.item() != clone.scale.item(), clone.tied is clone.embed.weight)
copied = copy.deepcopy(optimizer)
print(type(copied).__name__, copied.param_groups[0]['params'][0] is optimizer.param_groups[0]['params'][0], len(copied.state) == len(optimizer.state))
