"""A transformer block with a mixture of experts: top-k routing with capacity, load balancing, expert statistics."""
import math
from collections import defaultdict
from functools import partial
from typing import NamedTuple, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class Routing(NamedTuple):
    weights: torch.Tensor
    indices: torch.Tensor
    balance: torch.Tensor
    z: torch.Tensor


class Router(nn.Module):
    def __init__(self, width: int, experts: int, k: int = 2, noise: float = 0.0):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.k, self.noise, self.experts = k, noise, experts

    def forward(self, x: torch.Tensor) -> Routing:
        logits = self.gate(x)
        if self.training and self.noise > 0:
            logits = logits + torch.randn_like(logits) * self.noise
        probabilities = logits.softmax(dim=-1)
        weights, indices = probabilities.topk(self.k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        chosen = F.one_hot(indices[:, 0], self.experts).to(x.dtype)
        balance = self.experts * (chosen.mean(0) * probabilities.mean(0)).sum()
        z = torch.logsumexp(logits, dim=-1).square().mean()
        return Routing(weights, indices, balance, z)


class Expert(nn.Sequential):
    def __init__(self, width: int, hidden: int):
        super().__init__(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))


class MixtureOfExperts(nn.Module):
    def __init__(self, width: int, experts: int = 4, k: int = 2, capacity: float = 1.25):
        super().__init__()
        self.router = Router(width, experts, k, noise=0.1)
        self.experts = nn.ModuleList(Expert(width, 2 * width) for _ in range(experts))
        self.capacity = capacity
        self.register_buffer('load', torch.zeros(experts), persistent=False)
        self.auxiliary: Optional[torch.Tensor] = None

    def forward(self, x):
        shape = x.shape
        tokens = x.reshape(-1, shape[-1])
        routing = self.router(tokens)
        limit = math.ceil(self.capacity * tokens.size(0) * self.router.k / len(self.experts))
        out = torch.zeros_like(tokens)
        dropped = 0
        for number, expert in enumerate(self.experts):
            rows, places = torch.where(routing.indices == number)
            dropped += max(0, len(rows) - limit)
            rows, places = rows[:limit], places[:limit]
            self.load[number] += len(rows)
            if rows.numel() == 0:
                continue
            out.index_add_(0, rows, expert(tokens[rows]) * routing.weights[rows, places].unsqueeze(-1))
        self.auxiliary = 0.01 * routing.balance + 0.001 * routing.z
        self.dropped = dropped
        return out.view(shape)


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0, (width, heads)
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        attended = scores.masked_fill(mask, -torch.inf).softmax(-1) @ v
        return self.out(attended.transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, width, heads, **kwargs):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.attention = Attention(width, heads)
        self.experts = MixtureOfExperts(width, **kwargs)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.experts(self.norm2(x))


class Model(nn.Module):
    def __init__(self, vocabulary=17, width=16, heads=4, depth=2, **kwargs):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        make = partial(Block, width, heads, **kwargs)
        self.blocks = nn.ModuleList([make() for _ in range(depth)])
        self.norm = RMSNorm(width)

    @property
    def auxiliary(self):
        return sum(b.experts.auxiliary for b in self.blocks)

    def forward(self, x, targets=None):
        h = self.embed(x)
        for block in self.blocks:
            h = block(h)
        logits = F.linear(self.norm(h), self.embed.weight)
        if targets is None:
            return logits
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1)) + self.auxiliary


def batch(size, length, vocabulary, generator):
    start = torch.randint(vocabulary, (size, 1), generator=generator)
    step = torch.randint(1, 4, (size, 1), generator=generator)
    sequence = (start + step * torch.arange(length + 1)) % vocabulary
    return sequence[:, :-1], sequence[:, 1:]


torch.manual_seed(11)
generator = torch.Generator().manual_seed(5)
net = Model(experts=4, k=2)
print(net)
groups = defaultdict(list)
for name, p in net.named_parameters():
    groups['decay' if p.dim() > 1 and 'embed' not in name else 'plain'].append(p)
print({k: (len(v), sum(p.numel() for p in v)) for k, v in groups.items()})
optimizer = torch.optim.AdamW([{'params': groups['decay'], 'weight_decay': 0.1}, {'params': groups['plain'], 'weight_decay': 0.0}], lr=5e-3, betas=(0.9, 0.95))
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 5))
history = []
for step in range(12):
    x, y = batch(6, 9, 17, generator)
    logits, loss = net(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    warmup.step()
    history.append(loss.item())
    if step % 3 == 2:
        dropped = [b.experts.dropped for b in net.blocks]
        print(f'{step:3d} loss {loss.item():.4f} aux {net.auxiliary.item():.5f} norm {norm.item():.3f} dropped {dropped} lr {warmup.get_last_lr()}')
print([tuple(b.experts.load.tolist()) for b in net.blocks])
unused = [n for n, p in net.named_parameters() if p.grad is None]
print(unused, history[0] > history[-1])
net.eval()
with torch.no_grad():
    x, y = batch(3, 9, 17, generator)
    logits = net(x)
    print(logits.shape, (logits.argmax(-1) == y).float().mean(), torch.round(logits[0, 0, :4], decimals=1))
    routing = net.blocks[0].experts.router(net.embed(x).flatten(0, 1))
    print(routing.indices[:4], routing.weights[:2], routing._fields, routing.balance)
print(sorted(net.state_dict())[:4], 'blocks.0.experts.load' in net.state_dict())
