"""Contrastive learning in the manner of SimCLR: augmentations, NT-Xent, LARS-like scaling, a momentum encoder, linear probing."""
import math
from collections import OrderedDict
from contextlib import contextmanager
from copy import deepcopy
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x

    def __repr__(self):
        return f'{type(self).__name__}({", ".join(map(repr, self.steps))})'


class RandomCrop:
    def __init__(self, size, padding=1):
        self.size, self.padding = size, padding

    def __call__(self, x):
        x = F.pad(x, [self.padding] * 4, mode='reflect')
        top, left = torch.randint(0, 2 * self.padding + 1, (2,)).tolist()
        return x[..., top:top + self.size, left:left + self.size]

    def __repr__(self):
        return f'RandomCrop({self.size})'


class RandomFlip:
    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, x):
        return x.flip(-1) if torch.rand(()) < self.p else x

    __repr__ = lambda self: f'RandomFlip({self.p})'


class Jitter:
    def __init__(self, brightness=0.2, contrast=0.2):
        self.brightness, self.contrast = brightness, contrast

    def __call__(self, x):
        b, c = (torch.rand(2) * 2 - 1) * torch.tensor([self.brightness, self.contrast])
        return ((x - x.mean()) * (1 + c) + x.mean() + b).clamp(0, 1)

    def __repr__(self):
        return 'Jitter()'


class Shapes(Dataset):
    """Bars, crosses and squares."""

    def __init__(self, count, transform=None, size=8, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(3, (count,), generator=g)
        self.images = torch.rand(count, 1, size, size, generator=g) * 0.3
        places = torch.randint(1, size - 3, (count, 2), generator=g)
        for image, label, (r, c) in zip(self.images, self.labels, places.tolist()):
            if label == 0:
                image[0, r, :] += 0.6
            elif label == 1:
                image[0, r, :] += 0.5
                image[0, :, c] += 0.5
            else:
                image[0, r:r + 3, c:c + 3] += 0.7
        self.images.clamp_(0, 1)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = self.images[i]
        if self.transform is None:
            return x, self.labels[i]
        return self.transform(x), self.transform(x), self.labels[i]


def conv_block(i, o, stride=1):
    return nn.Sequential(OrderedDict([('conv', nn.Conv2d(i, o, 3, stride, 1, bias=False)), ('norm', nn.BatchNorm2d(o)), ('act', nn.ReLU(inplace=True))]))


class Residual(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.body = nn.Sequential(conv_block(i, o, stride), nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o))
        self.skip = nn.Identity() if i == o and stride == 1 else nn.Conv2d(i, o, 1, stride, bias=False)

    def forward(self, x):
        return F.relu(self.body(x) + self.skip(x))


class Encoder(nn.Module):
    def __init__(self, width=6, out=8):
        super().__init__()
        self.stem = conv_block(1, width)
        self.layers = nn.Sequential(Residual(width, width), Residual(width, 2 * width, 2))
        self.project = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, out))

    def features(self, x):
        return self.layers(self.stem(x)).mean(dim=(2, 3))

    def forward(self, x):
        return F.normalize(self.project(self.features(x)), dim=1)


def nt_xent(a, b, temperature=0.5):
    z = torch.cat([a, b])
    similarity = z @ z.T / temperature
    similarity.fill_diagonal_(float('-inf'))
    n = len(a)
    targets = torch.cat([torch.arange(n) + n, torch.arange(n)])
    accuracy = (similarity.argmax(1) == targets).float().mean()
    return F.cross_entropy(similarity, targets), accuracy


class LARS(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum=0.9, weight_decay=1e-4, trust=0.02):
        if lr < 0:
            raise ValueError(f'Invalid learning rate: {lr}')
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay, trust=trust))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                d = p.grad
                if p.ndim > 1:
                    d = d.add(p, alpha=group['weight_decay'])
                    w, g = p.norm(), d.norm()
                    ratio = torch.where(w > 0, torch.where(g > 0, group['trust'] * w / g, torch.ones_like(w)), torch.ones_like(w))
                    d = d * ratio
                state = self.state[p]
                if 'mu' not in state:
                    state['mu'] = torch.zeros_like(p)
                state['mu'].mul_(group['momentum']).add_(d)
                p.add_(state['mu'], alpha=-group['lr'])
        return loss


@contextmanager
def evaluating(*modules):
    modes = [m.training for m in modules]
    try:
        for m in modules:
            m.eval()
        with torch.no_grad():
            yield
    finally:
        for m, mode in zip(modules, modes):
            m.train(mode)


def schedule(step, warmup, total):
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


torch.manual_seed(0)
augment = Compose(RandomCrop(8), RandomFlip(), Jitter())
print(augment)
data = Shapes(48, augment)
loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
encoder = Encoder()
momentum_encoder = deepcopy(encoder)
for p in momentum_encoder.parameters():
    p.requires_grad_(False)
groups = [{'params': [p for p in encoder.parameters() if p.ndim > 1]}, {'params': [p for p in encoder.parameters() if p.ndim <= 1], 'weight_decay': 0.0}]
optimizer = LARS(groups, lr=0.8)
total = 4 * len(loader)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, partial(schedule, warmup=3, total=total))
print(optimizer)
for epoch in range(4):
    for a, b, _ in loader:
        loss, accuracy = nt_xent(encoder(a), encoder(b))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        with torch.no_grad():
            for ours, theirs in zip(momentum_encoder.parameters(), encoder.parameters()):
                ours.mul_(0.9).add_(theirs, alpha=0.1)
            for ours, theirs in zip(momentum_encoder.buffers(), encoder.buffers()):
                ours.copy_(theirs)
    print(f'{epoch} loss {loss.item():.4f} accuracy {accuracy.item():.3f} lr {scheduler.get_last_lr()[0]:.4f} steps {encoder.stem.norm.num_batches_tracked.item()}')
plain = Shapes(40, seed=1)
with evaluating(encoder, momentum_encoder):
    features = torch.cat([encoder.features(x) for x, _ in DataLoader(plain, 8)])
    drift = (momentum_encoder(plain.images) - encoder(plain.images)).abs().max()
    print(features.shape, '%.4f' % features.mean(), '%.4f' % drift, encoder.training)
probe = nn.Linear(features.size(1), 3)
lbfgs = torch.optim.LBFGS(probe.parameters(), max_iter=8, line_search_fn='strong_wolfe')
scaled = (features - features.mean(0)) / features.std(0).clamp_min(1e-6)


def closure():
    lbfgs.zero_grad()
    loss = F.cross_entropy(probe(scaled), plain.labels) + 1e-3 * probe.weight.square().sum()
    loss.backward()
    return loss


first = lbfgs.step(closure)
predicted = probe(scaled).argmax(1)
confusion = torch.zeros(3, 3, dtype=torch.long).index_put_((plain.labels, predicted), torch.tensor(1), accumulate=True)
print('%.4f -> %.3f' % (first.item(), closure().item()), confusion.sum().item(), confusion.sum(1).tolist(), (predicted == plain.labels).float().mean() > 0.5)
