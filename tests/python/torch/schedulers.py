import torch
import torch.nn as nn
from torch.optim.lr_scheduler import StepLR, CosineAnnealingLR, ReduceLROnPlateau, LambdaLR

torch.manual_seed(0)
net = nn.Linear(2, 1)
for make in (lambda o: StepLR(o, step_size=2, gamma=0.1), lambda o: CosineAnnealingLR(o, T_max=4), lambda o: LambdaLR(o, lambda epoch: 0.9 ** epoch), lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.5)):
    opt = torch.optim.SGD(net.parameters(), lr=1.0)
    sched = make(opt)
    rates = []
    for epoch in range(5):
        opt.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        opt.step()
        rates.append(round(opt.param_groups[0]['lr'], 6))
        sched.step()
    print(type(sched).__name__, rates, [round(r, 6) for r in sched.get_last_lr()], sched.last_epoch)
opt = torch.optim.SGD(net.parameters(), lr=1.0)
plateau = ReduceLROnPlateau(opt, patience=1, factor=0.5)
for loss in (1.0, 1.0, 1.0, 1.0, 1.0, 0.5):
    plateau.step(loss)
    print(opt.param_groups[0]['lr'])
