import torch
import torch.nn as nn
from torch.optim import Optimizer

class SignSGD(Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.0):
        defaults = dict(lr=lr, momentum=momentum)
        super().__init__(params, defaults)

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
                state = self.state[p]
                if len(state) == 0:
                    state['step'] = 0
                state['step'] += 1
                p.add_(p.grad.sign(), alpha=-group['lr'])
        return loss

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = SignSGD(net.parameters(), lr=0.5)
x = torch.randn(4, 3)

def closure():
    opt.zero_grad()
    loss = (net(x) ** 2).mean()
    loss.backward()
    return loss

for i in range(3):
    print('%.4f' % opt.step(closure).item())
print(net.weight, opt.state[net.weight], opt.param_groups[0]['lr'], isinstance(opt, Optimizer))
opt.zero_grad(set_to_none=True)
print(net.weight.grad)
