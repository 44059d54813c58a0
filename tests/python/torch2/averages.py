import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LRScheduler, PolynomialLR
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn, update_bn


def shown(t):
    return (t * 1000).round().to(torch.int64).tolist()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
data = [torch.randn(8, 3) for _ in range(4)]
swa = AveragedModel(model)
ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
whole = AveragedModel(model, avg_fn=get_ema_avg_fn(0.9), use_buffers=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
cosine = SWALR(optimizer, swa_lr=0.05, anneal_epochs=3)
other = torch.optim.SGD(model.parameters(), lr=0.5)
linear = SWALR(other, swa_lr=0.05, anneal_strategy='linear', anneal_epochs=4)
for epoch in range(5):
    for x in data:
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()
    for each in (swa, ema, whole):
        each.update_parameters(model)
    cosine.step()
    other.step()
    linear.step()
    print([round(lr, 6) for lr in cosine.get_last_lr() + linear.get_last_lr()])
update_bn(data, swa)
swa.eval()
print(swa.n_averaged, shown(swa(data[0])[:3]), shown(swa.module[1].running_mean))
print(shown(ema.module[0].weight), shown(whole.module[1].running_var))
print(list(swa.state_dict()))
print(swa)
for bad in (dict(swa_lr=.1, anneal_strategy='x'), dict(swa_lr=.1, anneal_epochs=-1), dict(swa_lr=[.1, .2])):
    try:
        SWALR(optimizer, **bad)
    except ValueError as error:
        print(error)

log = []
handle = optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append(('before', len(args), sorted(kwargs))))
optimizer.register_step_post_hook(lambda o, args, kwargs: log.append('after'))
optimizer.step()
handle.remove()
optimizer.step()
print(log)

adam = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=False)
schedule = PolynomialLR(adam, total_iters=4, power=1.0)
print(isinstance(schedule, LRScheduler), isinstance(cosine, LRScheduler))
for _ in range(3):
    adam.step()
    schedule.step()
print([round(lr, 6) for lr in schedule.get_last_lr()])

scaler = torch.amp.GradScaler('cpu', init_scale=4.)
loss = model(data[0]).pow(2).mean()
print(scaler.is_enabled(), scaler.get_scale(), round(scaler.scale(loss).item() / loss.item(), 4))
scaler.scale(loss).backward()
scaler.step(adam)
scaler.update()
print(scaler.get_scale())
