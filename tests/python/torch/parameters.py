import torch
import torch.nn as nn
p = nn.Parameter(torch.tensor([1., 2.]))
print(p, p.requires_grad, p.is_leaf, isinstance(p, torch.Tensor), type(p).__name__, p.data)
print(nn.Parameter(torch.ones(1), requires_grad=False), p * 2, p.detach(), [p])
try:
    nn.Parameter(torch.tensor([1]))
except RuntimeError as e:
    print(e)
m = nn.Module()
m.p = p
m.q = nn.Linear(1, 1)
print([n for n, _ in m.named_parameters()], m)
m.p = None
print([n for n, _ in m.named_parameters()])
shared = nn.Linear(2, 2)
net = nn.Sequential(shared, shared)
print(len(list(net.parameters())), list(net.state_dict()))
tied = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
tied[1].weight = tied[0].weight
print(tied[1].weight is tied[0].weight, len(list(tied.parameters())))
total = nn.utils.clip_grad_norm_([p], 1.0)
print(total)
(p * 10).sum().backward()
print(nn.utils.clip_grad_norm_([p], 1.0), p.grad)
print(nn.utils.parameters_to_vector(tied.parameters()).shape)
