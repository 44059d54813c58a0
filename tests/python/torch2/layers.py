import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.modules.batchnorm import _BatchNorm

print(nn.RMSNorm(4), nn.RMSNorm([2, 4], eps=1e-3, elementwise_affine=False))
x = torch.arange(8.).reshape(2, 4)
print(nn.RMSNorm(4)(x))
print(torch.rms_norm(x, (4,), torch.tensor([1., 2., 3., 4.])))
print(F.rms_norm(x, (2, 4), eps=0.5))
for shape in ((3,), ()):
    try:
        F.rms_norm(x, shape)
    except RuntimeError as error:
        print(error)
print(nn.LayerNorm(4, bias=False), [n for n, _ in nn.LayerNorm(4, bias=False).named_parameters()])
y = torch.arange(6.).reshape(1, 2, 3)
for layer in (nn.ZeroPad1d(1), nn.ZeroPad1d((0, 2)), nn.CircularPad1d(2), nn.CircularPad2d(1), nn.ZeroPad3d(1)):
    print(layer)
print(nn.ZeroPad1d((1, 0))(y), nn.CircularPad1d(2)(y))
print(isinstance(nn.BatchNorm2d(2), _BatchNorm), nn.modules.conv.Conv2d is nn.Conv2d)
with torch.device('cpu'):
    print(nn.Linear(2, 2).weight.device)
print(torch.get_default_device(), torch.get_float32_matmul_precision())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.scale = 2.0

    def forward(self, x):
        return self.fc(x) * self.scale


net = Net()
fast = torch.compile(net)
print(fast)
print(list(fast.state_dict()), fast.scale, fast.fc is net.fc, fast.training)
fast.eval()
print(net.training, torch.equal(fast(torch.ones(1, 3)), net(torch.ones(1, 3))))


@torch.compile(mode="reduce-overhead")
def f(x):
    return x.sin() + 1


print(f(torch.zeros(2)))
for bad in (dict(mode="fast"), dict(mode="default", options={})):
    try:
        torch.compile(net, **bad)
    except RuntimeError as error:
        print(error)
