import torch

x = torch.ones(2, requires_grad=True)

@torch.no_grad()
def f(t):
    return t * 2

@torch.no_grad()
def g(t, *, k=1):
    print(torch.is_grad_enabled())
    return t * k

print(f(x), g(x, k=3), torch.is_grad_enabled())
with torch.no_grad():
    print((x * 2).requires_grad)
    with torch.enable_grad():
        print((x * 2).requires_grad)
    print(torch.is_grad_enabled())
with torch.set_grad_enabled(False):
    print((x + 1).requires_grad)
print((x + 1).requires_grad)
torch.set_grad_enabled(False)
print((x + 1).requires_grad)
torch.set_grad_enabled(True)
with torch.inference_mode():
    print((x * 3).requires_grad)
try:
    with torch.no_grad():
        raise ValueError('out')
except ValueError as e:
    print(e, torch.is_grad_enabled())
prev = torch.is_grad_enabled()
with torch.autograd.set_detect_anomaly(False):
    (x * 2).sum().backward()
print(x.grad)
