import torch
import torch.nn as nn
from torch.nn.utils import prune, remove_weight_norm, spectral_norm, weight_norm

for module in (weight_norm(nn.Linear(2, 2)), spectral_norm(nn.Linear(2, 2)), prune.l1_unstructured(nn.Linear(2, 2), 'weight', amount=0.5)):
    try:
        torch.jit.script(module)
    except AttributeError as error:
        print(error)
free = remove_weight_norm(weight_norm(nn.Linear(2, 2)))
print([name for name, _ in torch.jit.script(free).named_parameters()])
