import torch
x = torch.tensor([1., 2.], requires_grad=True)
h = x.register_hook(lambda g: print('leaf', g))
y = x * 3
y.register_hook(lambda g: g * 10)
seen = []
y.register_hook(lambda g: seen.append(g.clone()))
y.sum().backward()
print(x.grad, seen)
h.remove()
x.grad = None
(x * 2).sum().backward()
print(x.grad)
def double(g):
    return g * 2
x.grad = None
h = x.register_hook(double)
(x * 1).sum().backward()
print(x.grad)
h.remove()
try:
    torch.ones(1).register_hook(double)
except RuntimeError as e:
    print(e)
