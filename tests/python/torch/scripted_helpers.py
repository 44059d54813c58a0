import torch
import torch.nn as nn
from torch import Tensor
from torch.jit import Final

class Net(nn.Module):
    scale: Final[float]

    def __init__(self, scale: float = 2.0):
        super().__init__()
        self.scale = scale

    @torch.jit.ignore
    def helper(self, x):
        return x + 1

    @torch.jit.export
    def other(self, x: Tensor) -> Tensor:
        if torch.jit.is_scripting():
            return x
        return x * self.scale

    @torch.jit.unused
    def never(self):
        raise RuntimeError('never')

    def forward(self, x: Tensor) -> Tensor:
        return self.helper(self.other(x))

torch.backends.cudnn.benchmark = False
device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
net = Net().to(device)
print(net(torch.ones(2, device=device)), device)
print(net, isinstance(net, torch.nn.Module))
