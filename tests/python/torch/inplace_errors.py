import torch
w = torch.ones(2, requires_grad=True)
for f in (lambda: w.add_(1), lambda: w.zero_(), lambda: w.view(-1).mul_(2)):
    try:
        f()
    except RuntimeError as e:
        print(e)
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e).split(':')[0])
y = (x * 2)
v = y.view(-1)
v.mul_(3)
print(y, v)
y.sum().backward()
print(x.grad)
with torch.no_grad():
    w.add_(1)
print(w, w._version)
w.data.fill_(7)
print(w)
d = w.detach()
d[0] = 0
print(w)
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(e)
try:
    (x * 2).requires_grad = False
except RuntimeError as e:
    print(e)
