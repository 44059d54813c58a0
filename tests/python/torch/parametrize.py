# Tensors as functions of others: torch.nn.utils.parametrize.
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as P
from torch.nn.utils import parametrizations


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, X):
        return X * self.scale

    def right_inverse(self, X):
        return X / self.scale


class RankOne(nn.Module):
    def forward(self, x, y):
        return x.unsqueeze(-1) @ y.unsqueeze(-2)

    def right_inverse(self, Z):
        return Z[:, 0], Z[0, :]


class NoInverse(nn.Module):
    def forward(self, X):
        return torch.tanh(X)


class Refuses(nn.Module):
    def forward(self, X):
        return X

    def right_inverse(self, X):
        raise NotImplementedError("no way back")


torch.manual_seed(0)
layer = nn.Linear(3, 3)
print(P.is_parametrized(layer), P.is_parametrized(layer, "weight"), type(layer).__name__)
result = P.register_parametrization(layer, "weight", Symmetric())
print(result is layer, P.is_parametrized(layer), P.is_parametrized(layer, "weight"), P.is_parametrized(layer, "bias"))
print(layer)
print(type(layer).__name__, isinstance(layer, nn.Linear), P.type_before_parametrizations(layer).__name__)
print(torch.equal(layer.weight, layer.weight.T))
print([name for name, _ in layer.named_parameters()])
print(list(layer.state_dict()))
print(layer.parametrizations.weight.original.requires_grad, isinstance(layer.parametrizations.weight.original, nn.Parameter))
print(layer.parametrizations.weight[0], len(layer.parametrizations.weight), layer.parametrizations.weight.is_tensor)

A = torch.arange(9.0).reshape(3, 3)
A = A + A.T
layer.weight = A
print(torch.equal(layer.weight, A))
print(layer.parametrizations.weight.original)
layer(torch.ones(2, 3)).sum().backward()
print(layer.parametrizations.weight.original.grad)

P.register_parametrization(layer, "weight", Scaled(2.0))
P.register_parametrization(layer, "bias", NoInverse())
print(layer)
layer.weight = A
print(torch.equal(layer.weight, A), layer.parametrizations.weight.original)
try:
    layer.bias = torch.zeros(3)
except RuntimeError as error:
    print("RuntimeError:", error)

with P.cached():
    print(layer.weight is layer.weight)
print(layer.weight is layer.weight)

P.remove_parametrizations(layer, "bias", leave_parametrized=False)
print(layer.bias.requires_grad, P.is_parametrized(layer, "bias"))
P.remove_parametrizations(layer, "weight")
print(layer, type(layer).__name__, [name for name, _ in layer.named_parameters()])
print(torch.equal(layer.weight, A))

two = nn.Linear(2, 3)
P.register_parametrization(two, "weight", RankOne(), unsafe=True)
print(two, [(name, tuple(p.shape)) for name, p in two.named_parameters()])
print(two.parametrizations.weight.ntensors, two.parametrizations.weight.unsafe)
two.weight = torch.ones(3, 2)
print(two.weight)
try:
    P.remove_parametrizations(two, "weight", leave_parametrized=False)
except ValueError as error:
    print("ValueError:", error)
P.remove_parametrizations(two, "weight")
print(two.weight, type(two.weight).__name__)

buffers = nn.BatchNorm1d(2)
P.register_parametrization(buffers, "running_mean", Scaled(3.0))
print([name for name, _ in buffers.named_buffers()], buffers.training)
print(buffers.parametrizations.running_mean[0].training)
P.register_parametrization(nn.Linear(2, 2), "weight", Refuses())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.fc(x) * self.scale


net = Net()
P.register_parametrization(net, "scale", Scaled(0.5))
print(net)
print(type(net).__name__, isinstance(net, Net), net.scale)
print(net(torch.zeros(1, 2)).shape)


class Half(nn.Module):
    def forward(self, X):
        return X[:1]


class Doubled(nn.Module):
    def forward(self, X):
        return X.double()


class Listed(nn.Module):
    def forward(self, X):
        return [X]


for step in (Half(), Doubled(), Listed()):
    for _ in range(2):
        m = nn.Linear(2, 2)
        if _ == 1:
            P.register_parametrization(m, "weight", Scaled(1.0))
        try:
            P.register_parametrization(m, "weight", step)
        except ValueError as error:
            print("ValueError:", error)
for name in ("no", "in_features"):
    try:
        P.register_parametrization(nn.Linear(2, 2), name, Symmetric())
    except ValueError as error:
        print("ValueError:", error)
try:
    P.remove_parametrizations(nn.Linear(2, 2), "weight")
except ValueError as error:
    print("ValueError:", error)

import copy
original = P.register_parametrization(nn.Linear(2, 2), "weight", Scaled(2.0))
twin = copy.deepcopy(original)
with torch.no_grad():
    twin.parametrizations.weight.original.fill_(1.0)
print(twin.weight, original.weight.shape, torch.equal(original.weight, twin.weight))

target = nn.Linear(2, 2)
P.transfer_parametrizations_and_params(original, target)
print(torch.equal(target.weight, original.weight), target)

for orthogonal_map in ("matrix_exp", "cayley", "householder"):
    for shape in ((4, 4), (5, 3), (3, 5)):
        for trivial in (True, False):
            torch.manual_seed(1)
            m = nn.Linear(shape[1], shape[0])
            try:
                parametrizations.orthogonal(m, "weight", orthogonal_map, use_trivialization=trivial)
            except NotImplementedError as error:
                print("NotImplementedError:", error)
            w = m.weight
            gram = w.T @ w if shape[0] >= shape[1] else w @ w.T
            print(orthogonal_map, shape, trivial, torch.allclose(gram, torch.eye(len(gram)), atol=1e-5), list(m.state_dict()))
            print(torch.round(w.detach() * 1000).int().tolist())
m = parametrizations.orthogonal(nn.Linear(4, 4))
print(m)
m.weight = torch.eye(4)
print(torch.allclose(m.weight, torch.eye(4), atol=1e-6))
for bad in (lambda: parametrizations.orthogonal(nn.Linear(2, 2), "bias"), lambda: parametrizations.orthogonal(nn.Linear(2, 2), "none"),
            lambda: parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="qr")):
    try:
        bad()
    except ValueError as error:
        print("ValueError:", error)

torch.manual_seed(2)
m = parametrizations.spectral_norm(nn.Linear(3, 4), n_power_iterations=2)
print(m, list(m.state_dict()))
for _ in range(3):
    m(torch.ones(1, 3))
print(torch.round(m.weight.detach() * 1000).int().tolist())
m.eval()
print(torch.equal(m.weight, m.weight))
m = parametrizations.spectral_norm(nn.ConvTranspose2d(2, 3, 3))
print(m.parametrizations.weight[0].dim, [tuple(v.shape) for v in m.state_dict().values()])
m = parametrizations.spectral_norm(nn.Linear(3, 3), "bias")
print(list(m.state_dict()), round(m.bias.norm().item(), 4))
try:
    parametrizations.spectral_norm(nn.Linear(3, 3), n_power_iterations=0)
except ValueError as error:
    print("ValueError:", error)
