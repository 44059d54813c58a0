# What inspect says of layers: the arguments of their constructors and forwards by name, defaults too.
import inspect
from torch import nn


def shown(signature):
    return [(each.name, each.kind.name, None if each.default is each.empty else each.default) for each in signature.parameters.values()]


for cls in (nn.Linear, nn.Conv2d, nn.ReLU, nn.LayerNorm, nn.Dropout, nn.Sequential):
    print(cls.__name__, shown(inspect.signature(cls)))


class Own(nn.Linear):
    pass


print(list(inspect.signature(Own).parameters), 'inplace' in inspect.signature(nn.ReLU).parameters)
print(inspect.signature(nn.Sigmoid()), list(inspect.signature(nn.Sigmoid().forward).parameters))
print(list(inspect.signature(nn.MultiheadAttention(4, 2).forward).parameters))


class Net(nn.Module):
    def forward(self, x, y=3):
        return x


print(inspect.signature(Net()), inspect.signature(Net().forward))
