# SPDX-License-Identifier: Apache-2.0
import torch, math
from torch import nn
import torch.nn.functional as F
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
x = torch.arange(4., requires_grad=True)
y = Square.apply(x).sum()
y.backward()
print(x.grad, x.shape, x.shape[0], x.size(), x[1:3], x[-1].item(), len(x), [v.item() for v in x])
t = torch.tensor([[1, 2], [3, 4]])
print(t, t.T, t @ t, t * 2 + 1, 2 ** t, -t, t == 2, (t > 1).sum(), t[0], t[:, 1], t[t > 2], t.tolist(), t.float().mean(dim=0))
v, i = torch.max(t, dim=1)
print(v, i, torch.max(t, 1), t.max(dim=0).values)
a, b = torch.randn(2, 3).shape
print(a, b, torch.zeros(2, 3).shape, torch.Size([1, 2]), f'{t.shape} {t.dtype} {torch.tensor(3.14159):.2f}')
class M(nn.Module):
    def __init__(self, *sizes, act=nn.ReLU):
        super().__init__()
        self.net = nn.Sequential(*[l for i, o in zip(sizes, sizes[1:]) for l in (nn.Linear(i, o), act())][:-1])
        self.act = act
        self.info = {'sizes': sizes}
    def forward(self, x, *, scale=1.0):
        return self.net(x) * scale
    def extra_repr(self):
        return f'sizes={self.info["sizes"]}'
m = M(2, 4, 1, act=nn.Tanh)
print(m)
print(m.act.__name__, m.info, hasattr(m, 'net'), m.net[0].in_features, len(m.net), m.net[-1], isinstance(m.net[0], nn.Linear))
with torch.no_grad():
    for p in m.parameters():
        p.fill_(0.5)
print(m(torch.ones(1, 2), scale=2.0), m(torch.ones(1, 2)).grad_fn is not None)
opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
for _ in range(3):
    opt.zero_grad()
    loss = F.mse_loss(m(torch.ones(4, 2)), torch.zeros(4, 1))
    loss.backward()
    opt.step()
print(round(loss.item(), 5), m.net[0].weight)
class Sub(nn.Linear):
    def __init__(self, n):
        super().__init__(n, n, bias=False)
        nn.init.eye_(self.weight)
    def forward(self, x):
        return super().forward(x) + 1
s = Sub(2)
print(s, s(torch.ones(1, 2)), type(s).__mro__[1].__name__, isinstance(s, nn.Linear))
m.register_forward_pre_hook(lambda mod, inp: print('pre', inp[0].shape))
m(torch.zeros(1, 2))
for bad in (lambda: torch.zeros(2) + torch.zeros(3), lambda: m.nope, lambda: torch.zeros(2)[5], lambda: nn.Linear(2), lambda: torch.zeros(2, 3) @ torch.zeros(2), lambda: nn.Module()(1), lambda: bool(torch.zeros(2)), lambda: int(torch.zeros(2))):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e).split('\n')[0])
print(sum(p.numel() for p in m.parameters() if p.requires_grad), max(torch.tensor([1, 5, 2])), torch.stack([torch.ones(2) * k for k in range(3)]).sum(0))
print(torch.cat([torch.zeros(1, 2), torch.ones(1, 2)], dim=0), any(torch.tensor([0, 1])), float(torch.tensor(2.5)), int(torch.tensor(7)), torch.tensor(3) in [1, 3])
d = {'w': torch.ones(2), 'b': None}
print(d, [torch.zeros(1)], (torch.ones(1), 2))
