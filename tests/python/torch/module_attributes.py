import torch
import torch.nn as nn

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer('count', torch.zeros(1))
        self.register_buffer('cache', torch.zeros(3), persistent=False)
        self.register_parameter('maybe', None)
        self.layer = nn.Linear(2, 2, bias=False)
        self.name = 'm'
        self.plain = torch.ones(1)

    def forward(self, x):
        self.count += 1
        return self.layer(x * self.scale)

m = M()
print([n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()], list(m.state_dict()))
print(isinstance(m.scale, nn.Parameter), m.scale, m.maybe, m.name, m.plain)
m.scale = nn.Parameter(torch.zeros(2))
print(m.scale, m.layer.bias)
m(torch.ones(1, 2))
print(m.count)
print(hasattr(m, 'layer'), hasattr(m, 'nope'), getattr(m, 'nope', 7), m.training)
for f in (lambda: m.nope, lambda: setattr(m, 'scale', torch.ones(2)), lambda: setattr(m, 'layer', 3), lambda: m.register_buffer('a.b', None), lambda: m.register_parameter('layer', nn.Parameter(torch.ones(1)))):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
del m.layer
print([n for n, _ in m.named_children()])

class Early(nn.Module):
    def __init__(self):
        self.a = nn.Linear(1, 1)

try:
    Early()
except AttributeError as e:
    print(e)
m.extra = nn.ReLU()
print(m)
