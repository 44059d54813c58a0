import torch
from torch.autograd.functional import jacobian, hessian, vjp, jvp, vhp, hvp
torch.manual_seed(0)
def exp_reducer(x):
    return x.exp().sum(dim=1)
x = torch.rand(2, 3)
print(jacobian(exp_reducer, x))
print(jacobian(exp_reducer, x, create_graph=True).requires_grad)
def adder(x, y):
    return 2 * x + 3 * y
print(jacobian(adder, (torch.rand(2), torch.rand(2))))
print(hessian(lambda x: x.pow(3).sum(), torch.rand(2, 2)))
print(hessian(lambda x, y: (x * y.pow(2)).sum(), (torch.rand(2), torch.rand(2))))
print(vjp(exp_reducer, x, torch.ones(2)))
print(jvp(exp_reducer, x, torch.ones(2, 3)))
print(jvp(adder, (torch.rand(2), torch.rand(2)), (torch.ones(2), torch.ones(2))))
print(vhp(lambda x: x.pow(3).sum(), torch.rand(2), torch.ones(2)))
print(hvp(lambda x: x.pow(3).sum(), torch.rand(2), torch.ones(2)))
for bad in (lambda: vjp(exp_reducer, x), lambda: jacobian(lambda x: 3, x), lambda: vjp(exp_reducer, x, torch.ones(3)), lambda: hessian(exp_reducer, x), lambda: jacobian(exp_reducer, [x])):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
