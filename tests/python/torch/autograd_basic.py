import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = (x ** 2).sum()
print(y, y.requires_grad, y.is_leaf, x.is_leaf, x.grad)
y.backward()
print(x.grad)
y = (x * 3).sum()
y.backward()
print(x.grad)
x.grad.zero_()
print(x.grad)
z = torch.exp(x).mean()
g, = torch.autograd.grad(z, x)
print(g, x.grad)
a = torch.tensor(2., requires_grad=True)
b = a ** 3
g1, = torch.autograd.grad(b, a, create_graph=True)
g2, = torch.autograd.grad(g1, a)
print(g1, g2)
with torch.no_grad():
    w = x * 2
    print(w.requires_grad, torch.is_grad_enabled())
print(x.detach(), (x * 2).detach().requires_grad, x.data)
u = x * 2
u.backward(torch.tensor([1., 0., 2.]))
print(x.grad)
try:
    u.backward(torch.ones(3))
except RuntimeError as e:
    print(str(e)[:60])
try:
    (x * 2).backward()
except RuntimeError as e:
    print(e)
try:
    torch.ones(2).sum().backward()
except RuntimeError as e:
    print(e)
v = x.clone()
v.retain_grad()
(v * v).sum().backward()
print(v.grad, v.is_leaf)
p = torch.ones(2)
p.requires_grad_()
print(p, p.requires_grad)
q = torch.ones(2, requires_grad=True)
torch.autograd.backward([(q * 2).sum(), (q * 3).sum()])
print(q.grad)
print(torch.autograd.grad((q * 2).sum(), [q, x], allow_unused=True))
