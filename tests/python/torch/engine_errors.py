import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.batchnorm import BatchNorm2d

def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__ + ':', e)

m = nn.Linear(2, 2)
x = torch.ones(2, requires_grad=True)
show(lambda: m())
show(lambda: m(torch.ones(2), 3))
show(lambda: nn.Module()(1))
show(lambda: m.to(torch.int64))
show(lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([0, 5])))
show(lambda: nn.Embedding(3, 2)(torch.tensor([5])))
show(lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)))
show(lambda: nn.ModuleList([1]))
show(lambda: nn.Dropout(2.0))
show(lambda: nn.init.xavier_uniform_(torch.ones(2)))
show(lambda: setattr(x, 'grad', torch.ones(3)))
show(lambda: torch.gather(torch.ones(2, 2), 0, torch.tensor([[5]])))
show(lambda: torch.ones(2, 3).mean(dim=5))
show(lambda: m.register_buffer('weight', torch.ones(1)))
show(lambda: setattr(m, 'bias', torch.ones(2)))
show(lambda: nn.Conv2d(3, 3, 3, groups=2))
show(lambda: nn.Sequential(nn.ReLU())[5])
print(issubclass(nn.Conv2d, _ConvNd), BatchNorm2d is nn.BatchNorm2d)
print(nn.modules.Linear is nn.Linear)
from torch.nn.modules.utils import _pair, _triple
print(_pair(2), _pair((1, 3)), _triple(0))
