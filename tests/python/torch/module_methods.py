import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.lin(x)) + x

net = nn.Sequential(Block(2), Block(2))
print(net.train() is net, net.training, net.eval().training, net[0].lin.training)
def init(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.5)
        nn.init.zeros_(m.bias)
print(net.apply(init))
print(net(torch.ones(1, 2)))
print(net.double()[0].lin.weight.dtype, net.float()[0].lin.weight.dtype, net.to(torch.float64)[1].lin.bias.dtype)
net.float()
net.requires_grad_(False)
print([p.requires_grad for p in net.parameters()])
net[1].requires_grad_(True)
print([p.requires_grad for p in net.parameters()], net(torch.ones(1, 2)).requires_grad)
print(net.get_submodule('0.lin'), net.get_parameter('1.lin.bias'))
try:
    net.get_submodule('0.nope')
except AttributeError as e:
    print(e)
print([type(m).__name__ for m in net.modules()], [type(m).__name__ for m in net.children()])
print([n for n, m in net.named_modules()])
net(torch.ones(1, 2)).sum().backward()
print(net[1].lin.weight.grad)
net.zero_grad()
print(net[1].lin.weight.grad)
net.add_module('tail', nn.Linear(2, 1))
print(net, net.tail)
print(list(net.named_parameters(prefix='x'))[0][0], len(list(net[0].parameters(recurse=False))))
