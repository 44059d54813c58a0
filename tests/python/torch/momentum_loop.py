import torch
import torch.nn as nn

class SGD:
    def __init__(self, params, lr=0.1, momentum=0.9, weight_decay=0.0):
        self.params = list(params)
        self.lr, self.momentum, self.wd = lr, momentum, weight_decay
        self.state = {}

    @torch.no_grad()
    def step(self):
        for p in self.params:
            if p.grad is None:
                continue
            d = p.grad
            if self.wd:
                d = d.add(p, alpha=self.wd)
            buf = self.state.get(p)
            if buf is None:
                buf = self.state[p] = torch.clone(d).detach()
            else:
                buf.mul_(self.momentum).add_(d)
            p.add_(buf, alpha=-self.lr)

    def zero_grad(self):
        for p in self.params:
            p.grad = None

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
opt = SGD(net.parameters(), lr=0.05, weight_decay=1e-3)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(6):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    print(i, '%.4f' % loss.item())
print(net[2].weight)
