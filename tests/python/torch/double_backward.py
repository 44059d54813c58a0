import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(3, 2, requires_grad=True)
out = net(x)
g, = torch.autograd.grad(out.sum(), x, create_graph=True)
print(g)
penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()
print(penalty)
print(net[0].weight.grad)
print(x.grad)
def f(t):
    return (t ** 3).sum()
t = torch.tensor([1., 2.], requires_grad=True)
first = torch.autograd.grad(f(t), t, create_graph=True)[0]
rows = [torch.autograd.grad(first[i], t, retain_graph=True)[0] for i in range(2)]
print(torch.stack(rows))
