# The older weight_norm and spectral_norm, which are hooks.

import torch
import torch.nn as nn
from torch.nn.utils import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm

torch.manual_seed(0)
m = weight_norm(nn.Linear(3, 2), name="weight")
print(m, m.weight_g.size(), m.weight_v.size(), [n for n, _ in m.named_parameters()])
x = torch.ones(1, 3)
before = m(x)
before.sum().backward()
print(m.weight_g.grad.shape, m.weight_v.grad.shape, type(m.weight).__name__, m.weight.requires_grad)
with torch.no_grad():
    m.weight_g.mul_(2)
print(torch.allclose(m(x) - m.bias, 2 * (before - m.bias)))
try:
    weight_norm(m)
except RuntimeError as error:
    print("RuntimeError:", error)
remove_weight_norm(m)
print([n for n, _ in m.named_parameters()], type(m.weight).__name__)
try:
    remove_weight_norm(m)
except ValueError as error:
    print("ValueError:", error)
for dim in (0, 1, None, -1):
    torch.manual_seed(1)
    conv = weight_norm(nn.Conv1d(2, 3, 2), dim=dim)
    print(dim, tuple(conv.weight_g.shape), torch.round(conv(torch.ones(1, 2, 4)).detach() * 1000).int().tolist())

torch.manual_seed(3)
m = spectral_norm(nn.Linear(3, 4), n_power_iterations=2)
print(m, list(m.state_dict()), [n for n, _ in m.named_buffers()])
for _ in range(3):
    y = m(x)
print(torch.round(y.detach() * 1000).int().tolist())
y.sum().backward()
print(torch.round(m.weight_orig.grad * 1000).int().tolist())
m.eval()
print(torch.equal(m(x), m(x)))
state = m.state_dict()
print(m.load_state_dict(state))
old = {k: v for k, v in state.items() if k != "weight_v"}
old["weight"] = m.weight.detach()
other = spectral_norm(nn.Linear(3, 4)).eval()
print(other.load_state_dict(old))
print(torch.allclose(other(x), m(x), atol=1e-5))
try:
    spectral_norm(m)
except RuntimeError as error:
    print("RuntimeError:", error)
remove_spectral_norm(m)
print([n for n, _ in m.named_parameters()], list(m.state_dict()))
for bad in (lambda: remove_spectral_norm(m), lambda: spectral_norm(nn.Linear(2, 2), n_power_iterations=0)):
    try:
        bad()
    except ValueError as error:
        print("ValueError:", error)
print([tuple(v.shape) for v in spectral_norm(nn.ConvTranspose2d(2, 3, 3)).state_dict().values()])
try:
    spectral_norm(nn.LazyLinear(2))
except ValueError as error:
    print("ValueError:", error)
