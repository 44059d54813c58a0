import torch
import torch.nn as nn

torch.manual_seed(0)
a = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
b = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
sd = a.state_dict()
for k, v in sd.items():
    print(k, v)
print(b.load_state_dict(sd))
print(torch.equal(a[0].weight, b[0].weight), a[0].weight is b[0].weight)
del sd['0.bias']
sd['extra'] = torch.ones(1)
print(b.load_state_dict(sd, strict=False))
try:
    b.load_state_dict(sd)
except RuntimeError as e:
    print(e)
try:
    nn.Linear(3, 2).load_state_dict(a[0].state_dict())
except RuntimeError as e:
    print(e)
print(list(nn.Linear(1, 1).state_dict().keys()))
print(type(sd).__name__)
