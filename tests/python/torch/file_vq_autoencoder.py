"""A vector-quantised autoencoder: straight-through estimator as a Function, codebook moving averages, code statistics."""
import heapq
import operator
from abc import ABC, abstractmethod
from functools import lru_cache, reduce
from itertools import islice, pairwise

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class StraightThrough(Function):
    @staticmethod
    def forward(ctx, x, codes, strength):
        ctx.save_for_backward(x, codes)
        ctx.strength = strength
        ctx.mark_non_differentiable(codes)
        return codes.clone()

    @staticmethod
    def backward(ctx, grad):
        x, codes = ctx.saved_tensors
        return grad + ctx.strength * (x - codes) / x.numel(), None, None


class Quantiser(nn.Module, ABC):
    def __init__(self, count, width):
        super().__init__()
        self.count, self.width = count, width

    @abstractmethod
    def codebook(self) -> torch.Tensor: ...

    def nearest(self, x):
        return torch.cdist(x, self.codebook()).argmin(-1)

    def forward(self, x):
        flat = x.movedim(1, -1).reshape(-1, self.width)
        index = self.nearest(flat)
        codes = F.embedding(index, self.codebook())
        if self.training:
            self.learn(flat.detach(), index)
        out = StraightThrough.apply(flat, codes.detach(), 0.25)
        out = out.view(*x.shape[:1], *x.shape[2:], self.width).movedim(-1, 1)
        return out, index.view(x.size(0), *x.shape[2:])

    def learn(self, flat, index):
        pass


class MovingAverage(Quantiser):
    def __init__(self, count, width, decay=0.8, eps=1e-5):
        super().__init__(count, width)
        self.decay, self.eps = decay, eps
        start = torch.randn(count, width) * 0.3
        self.register_buffer('codes', start)
        self.register_buffer('sizes', torch.zeros(count))
        self.register_buffer('sums', start.clone())

    def codebook(self):
        return self.codes

    @torch.no_grad()
    def learn(self, flat, index):
        hot = F.one_hot(index, self.count).type_as(flat)
        self.sizes.lerp_(hot.sum(0), 1 - self.decay)
        self.sums.lerp_(hot.t() @ flat, 1 - self.decay)
        n = self.sizes.sum()
        smooth = (self.sizes + self.eps) / (n + self.count * self.eps) * n
        self.codes.copy_(torch.where((self.sizes > 1e-3)[:, None], self.sums / smooth[:, None], self.codes))


class AutoEncoder(nn.Module):
    def __init__(self, width=8, codes=6):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(1, width, 4, 2, 1), nn.GroupNorm(2, width), nn.SiLU(), nn.Conv2d(width, 4, 3, padding='same'))
        self.quantise = MovingAverage(codes, 4)
        self.decode = nn.Sequential(nn.Conv2d(4, width, 3, padding=1), nn.SiLU(), nn.ConvTranspose2d(width, width, 4, 2, 1), nn.SiLU(), nn.Conv2d(width, 1, 1))

    def forward(self, x):
        z, index = self.quantise(self.encode(x))
        return torch.sigmoid(self.decode(z)), index


@lru_cache(maxsize=None)
def grid(size):
    return torch.meshgrid(torch.linspace(-1, 1, size), torch.linspace(-1, 1, size), indexing='ij')


def pictures(count, size=8, seed=0):
    g = torch.Generator().manual_seed(seed)
    y, x = grid(size)
    while True:
        centre = torch.rand(count, 2, 1, 1, generator=g) * 1.2 - 0.6
        radius = torch.rand(count, 1, 1, generator=g) * 0.4 + 0.2
        yield ((y - centre[:, 0]).square() + (x - centre[:, 1]).square() < radius.square()).float().unsqueeze(1)


try:
    Quantiser(2, 3)
except TypeError as e:
    print(e)
torch.manual_seed(3)
net = AutoEncoder()
print(net)
print(*(f'{n}: {tuple(b.shape)}' for n, b in net.named_buffers()), sep=', ')
optimizer = torch.optim.RAdam(net.parameters(), lr=0.02)
losses = []
for step, x in enumerate(islice(pictures(8), 8)):
    y, index = net(x)
    loss = F.binary_cross_entropy(y, x) + 0.1 * F.l1_loss(y, x)
    optimizer.zero_grad()
    loss.backward()
    total = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())
    print(f'{step} loss {loss:.4f} norm {total:.4f} codes {index.unique().numel()} sizes {net.quantise.sizes.sum():.2f}')
print(sum(b < a for a, b in pairwise(losses)) >= 4, grid.cache_info())
net.eval()
before = net.quantise.codes.clone()
with torch.no_grad():
    x = next(pictures(4, seed=9))
    y, index = net(x)
    counts = index.flatten().bincount(minlength=6)
    p = counts / counts.sum()
    print(index[0], counts.tolist(), 'perplexity %.3f' % torch.exp(-(p * (p + 1e-10).log()).sum()), torch.equal(before, net.quantise.codes))
    print(heapq.nlargest(2, range(6), key=counts.tolist().__getitem__), reduce(operator.mul, x.shape), 'error %.4f' % (x - y).abs().mean())
    table = ''.join('#' if v > 0.5 else '.' for v in x[0, 0].flatten().tolist())
    print(*(table[i:i + 8] for i in range(0, 64, 8)), sep='\n')
a = torch.randn(3, 2, requires_grad=True)
b = torch.zeros(3, 2)
StraightThrough.apply(a, b, 6.0).sum().backward()
print(torch.allclose(a.grad, 1 + a.detach()), StraightThrough.apply(a, b, 0.0).grad_fn is not None, list(net.state_dict())[:3])
