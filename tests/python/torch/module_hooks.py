import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
acts = {}

def save(name):
    def hook(module, inputs, output):
        acts[name] = output.detach()
    return hook

handles = [m.register_forward_hook(save(n)) for n, m in net.named_children()]
x = torch.ones(1, 2)
y = net(x)
for k, v in acts.items():
    print(k, v)
for h in handles:
    h.remove()
acts.clear()
net(x)
print(acts)

def pre(module, inputs):
    print('pre', type(module).__name__, inputs)
    return (inputs[0] * 2,)

h = net[0].register_forward_pre_hook(pre)
print(net(x))
h.remove()
h = net[2].register_forward_hook(lambda m, i, o: o * 0 + 5)
print(net(x))
h.remove()

def back(module, grad_input, grad_output):
    print('back', type(module).__name__, [None if g is None else tuple(g.shape) for g in grad_input], grad_output)

h = net[2].register_full_backward_hook(back)
net(x).sum().backward()
h.remove()
h = net[0].register_full_backward_hook(lambda m, gi, go: print('first', gi, len(go)))
net(x).sum().backward()
print(net[0].weight.grad)
