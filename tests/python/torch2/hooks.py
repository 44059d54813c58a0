import torch
import torch.nn as nn
m = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
log = []
h = m[0].register_forward_hook(lambda mod, args, kwargs, out: log.append(("fwd", len(kwargs))), with_kwargs=True, always_call=True)
h2 = m.register_full_backward_pre_hook(lambda mod, g: log.append("bpre"))
h3 = m.register_full_backward_hook(lambda mod, gi, go: log.append("b"), prepend=True)
x = torch.ones(2, 3, requires_grad=True)
m(x).sum().backward()
print(log)
p = m[0].weight
p.register_post_accumulate_grad_hook(lambda p: log.append(("acc", tuple(p.shape))))
m(x).sum().backward()
print(log[-2:])
sd = {k: v + 1 for k, v in m.state_dict().items()}
print(m.load_state_dict(sd, assign=True))
m.zero_grad()
print(p.grad is None)
