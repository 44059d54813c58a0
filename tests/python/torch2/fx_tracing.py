import operator
import torch
from torch import fx, nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return F.relu(self.fc(x)) * self.scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.seq = nn.Sequential(nn.Linear(3, 2), nn.Tanh())

    def forward(self, x, y=None):
        z = self.block(x) + x
        z = torch.cat([z, z.flatten(1)], 0).view(-1, 3)
        return self.seq(z)[0:2], z.size(0)


torch.manual_seed(0)
net = Net()
traced = fx.symbolic_trace(net)
print([(node.op, node.name, str(node.target) if isinstance(node.target, str) else node.target.__name__) for node in traced.graph.nodes])
x = torch.rand(2, 3)
print(torch.equal(traced(x)[0], net(x)[0]), traced(x)[1], sorted(dict(traced.named_parameters())))
for node in traced.graph.nodes:
    if node.op == 'call_function' and node.target.__name__ == 'mul':
        node.target = operator.sub
traced.recompile()
print(torch.equal(traced(x)[0], net(x)[0]))
try:
    fx.symbolic_trace(lambda x: 1 if x.sum() > 0 else 2)
except fx.proxy.TraceError as e:
    print(e)


class Counter(fx.Interpreter):
    count = 0

    def run_node(self, n):
        self.count += 1
        return super().run_node(n)


counter = Counter(traced)
counter.run(x)
print(counter.count == len(traced.graph.nodes), [len(node.users) for node in traced.graph.nodes][:3])


class Units:
    def __init__(self, value):
        self.value = value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls(func(*[a.value if isinstance(a, cls) else a for a in args], **(kwargs or {})))


print(torch.exp(Units(torch.zeros(2))).value, F.gelu(Units(torch.ones(1))).value)
layer = nn.Linear(2, 2)
layer.forward = lambda x: x + 1
print(layer(torch.zeros(2)))
