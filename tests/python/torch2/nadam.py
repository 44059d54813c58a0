"""NAdam with decoupled weight decay."""
import torch

for decoupled in (True,):
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))
    o = torch.optim.NAdam([p], lr=0.1, weight_decay=0.1, decoupled_weight_decay=decoupled)
    for i in range(4):
        o.zero_grad()
        (p * torch.tensor([1.0, 0.5, -1.0]) * (i + 1)).sum().backward()
        o.step()
    print(p.detach(), o.param_groups[0]['decoupled_weight_decay'])
q = torch.nn.Parameter(torch.ones(2))
o = torch.optim.NAdam([{'params': [p]}, {'params': [q], 'weight_decay': 0.0}], lr=0.1, weight_decay=0.5, decoupled_weight_decay=True)
p.grad, q.grad = torch.ones(3), torch.ones(2)
o.step()
print(p.detach(), q.detach(), [g['decoupled_weight_decay'] for g in o.param_groups])
