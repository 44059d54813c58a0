import torch
x = torch.zeros(3, 4)
x[0] = 1
x[1, 2] = 5.5
x[:, 3] = torch.tensor([7., 8., 9.])
x[2, :2] = -1
print(x)
x[x < 0] = 0.5
print(x)
x[[0, 2], [1, 1]] = torch.tensor([10., 20.])
print(x)
x[:, 0] += 100
x[..., 1] *= 2
print(x)
x[None, 0] = 3
print(x)
m = torch.zeros(2, 2, dtype=torch.bool)
m[0, 1] = True
print(m, ~m, m.any(), m.all())
w = torch.ones(3, requires_grad=True)
y = w * 2
y[0] = 0
print(y)
y.sum().backward()
print(w.grad)
w.grad = None
y = w * 3
y[torch.tensor([1, 2])] = torch.tensor([1., 1.])
print(y)
y.sum().backward()
print(w.grad)
try:
    w[0] = 1
except RuntimeError as e:
    print(e)
z = torch.arange(6).reshape(2, 3)
z[1] = z[0]
print(z)
