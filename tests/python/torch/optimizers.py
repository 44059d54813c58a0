import torch
import torch.nn as nn
import torch.optim as optim

for make in (lambda p: optim.SGD(p, lr=0.1), lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True), lambda p: optim.Adam(p, lr=0.01), lambda p: optim.AdamW(p, 0.01, weight_decay=0.1), lambda p: optim.RMSprop(p, lr=0.01), lambda p: optim.Adagrad(p)):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    opt = make(net.parameters())
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    print(opt)
    for i in range(4):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
    print(type(opt).__name__, '%.4f' % loss.item(), net[2].bias)
opt = optim.SGD([{'params': net[0].parameters()}, {'params': net[2].parameters(), 'lr': 1.0}], lr=0.1)
print(len(opt.param_groups), opt.param_groups[1]['lr'], opt.param_groups[0]['lr'])
for g in opt.param_groups:
    g['lr'] *= 0.5
print([g['lr'] for g in opt.param_groups], list(opt.state_dict()))
for bad in (lambda: optim.SGD([], lr=0.1), lambda: optim.Adam(net.parameters(), lr=-1.0)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
