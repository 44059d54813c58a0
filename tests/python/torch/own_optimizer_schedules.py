"""Schedules, groups and states of an optimiser that a program defines."""
import torch, io
class Plain(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, m=0.9):
        super().__init__(params, {'lr': lr, 'm': m})
    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g['params']:
                if p.grad is None: continue
                s = self.state[p]
                s.setdefault('buf', torch.zeros_like(p)).mul_(g['m']).add_(p.grad)
                s['n'] = s.get('n', 0) + 1
                p.sub_(s['buf'] * g['lr'])
def mk():
    return [torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.zeros(1))]
ps = mk()
o = Plain(ps)
o.add_param_group({'params': [torch.nn.Parameter(torch.ones(1))], 'lr': 0.5})
print(o, o.state_dict())
sch = torch.optim.lr_scheduler.StepLR(o, 2, gamma=0.1)
for i in range(3):
    o.zero_grad(); ((ps[0]**2).sum() + ps[1].sum()).backward(); o.step(); sch.step()
    print(sch.get_last_lr(), ps[0].detach())
sd = o.state_dict()
print(sd['state'].keys(), sd['param_groups'], sd['state'][0])
o2 = Plain(mk()); o2.add_param_group({'params': [torch.nn.Parameter(torch.ones(1))]})
o2.load_state_dict(sd)
print(o2.param_groups[0]['lr'], list(o2.state.values())[0], len(o2.state))
b = io.BytesIO(); torch.save(o.state_dict(), b)
try: o2.load_state_dict({'state': {}, 'param_groups': []})
except ValueError as e: print(e)
class Twice(torch.optim.lr_scheduler._LRScheduler):
    def get_lr(self): return [g['lr'] * 2 for g in self.optimizer.param_groups]
t = Twice(o2); t.step(); print(t.get_last_lr())
seq = torch.optim.lr_scheduler.SequentialLR(o, [torch.optim.lr_scheduler.ConstantLR(o, 0.5, 1), torch.optim.lr_scheduler.ExponentialLR(o, 0.9)], [1])
print([g['lr'] for g in o.param_groups])


class Rateless(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {'rate': 0.1})


for bad in (lambda: torch.optim.lr_scheduler.StepLR(Rateless(mk()), 2), lambda: o.add_param_group({'lr': 1}), lambda: Rateless([])):
    try:
        bad()
    except (KeyError, ValueError) as e:
        print(type(e).__name__, e)
