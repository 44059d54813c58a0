import torch
import torch.nn as nn
from torch.nn.modules.module import (register_module_buffer_registration_hook, register_module_module_registration_hook,
                                     register_module_parameter_registration_hook)

log = []
handles = [
    register_module_parameter_registration_hook(lambda module, name, value: log.append((type(module).__name__, 'parameter', name, None if value is None else tuple(value.shape)))),
    register_module_buffer_registration_hook(lambda module, name, value: log.append((type(module).__name__, 'buffer', name, None if value is None else tuple(value.shape)))),
    register_module_module_registration_hook(lambda module, name, value: log.append((type(module).__name__, 'module', name, type(value).__name__))),
]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3, bias=False)
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer('mean', torch.zeros(4))
        self.register_parameter('none', None)


net = Net()
net.add_module('act', nn.ReLU())
net.scale = nn.Parameter(torch.ones(5))
for each in log:
    print(each)
for handle in handles:
    handle.remove()
log.clear()
Net()
print(log)

# What a hook gives takes the place.
handle = register_module_parameter_registration_hook(lambda module, name, value: nn.Parameter(value.detach() * 0 + 7) if name == 'weight' else None)
print(nn.Linear(2, 1).state_dict()['weight'].shape, nn.LayerNorm(2).bias)
handle.remove()
handle = register_module_buffer_registration_hook(lambda module, name, value: value + 1 if name == 'mean' else None)
print(Net().mean)
handle.remove()
handle = register_module_module_registration_hook(lambda module, name, value: nn.Identity() if name == 'fc' else None)
print(Net())
handle.remove()
