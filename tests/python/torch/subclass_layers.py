import torch
import torch.nn as nn
import torch.nn.functional as F

class MyLinear(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o, bias=False)
        self.gain = 2.0

    def forward(self, x):
        return super().forward(x) * self.gain

class Sep(nn.Conv2d):
    def __init__(self, c):
        super().__init__(c, c, 3, padding=1, groups=c)

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
    def forward(self, x):
        return self.post(self.a(x))
    def post(self, x):
        return x

class Child(Base):
    def __init__(self):
        super().__init__()
        self.b = nn.Linear(2, 2)
    def post(self, x):
        return F.relu(self.b(x))
    def extra_repr(self):
        return 'kind=child'

class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)

torch.manual_seed(5)
m = MyLinear(2, 3)
print(m, isinstance(m, nn.Linear), isinstance(m, nn.Module), issubclass(MyLinear, nn.Linear))
print(m(torch.ones(1, 2)))
print(Sep(2), Sep(2)(torch.ones(1, 2, 3, 3)).shape)
c = Child()
print(c, c(torch.ones(1, 2)))
r = Residual(nn.Linear(2, 2), nn.Tanh())
print(r, r(torch.zeros(1, 2)))

class Named(nn.Module):
    def __repr__(self):
        return 'Named!'

print(Named())
print(type(m).__name__, m.__class__.__name__, Child.__mro__[1].__name__, m.in_features, m.weight.shape)
