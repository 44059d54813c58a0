# torch.utils.checkpoint and torch.autograd.graph.
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

runs = []


class Block(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x, scale=1.0):
        runs.append(self.name)
        return torch.tanh(self.drop(self.fc(x))) * scale


def grads_of(model, x, run):
    for p in model.parameters():
        p.grad = None
    x.grad = None
    torch.manual_seed(5)
    out = run(x)
    out.sum().backward()
    return [x.grad.clone()] + [p.grad.clone() for p in model.parameters()], torch.rand(1)


torch.manual_seed(0)
block = Block("a")
x = torch.randn(3, 4, requires_grad=True)
plain, next_plain = grads_of(block, x, lambda x: block(x))
for reentrant in (True, False):
    runs.clear()
    found, next_random = grads_of(block, x, lambda x: checkpoint(block, x, use_reentrant=reentrant))
    print(reentrant, runs, all(torch.equal(a, b) for a, b in zip(plain, found)), torch.equal(next_plain, next_random))
    with torch.no_grad():
        print(checkpoint(block, x, use_reentrant=reentrant).requires_grad)
runs.clear()
print(checkpoint(block, x, scale=2.0, use_reentrant=False).shape, runs)
try:
    checkpoint(block, x, scale=2.0)
except ValueError as error:
    print("ValueError:", error)

# Without the random state the masks differ.
different, _ = grads_of(block, x, lambda x: checkpoint(block, x, use_reentrant=False, preserve_rng_state=False))
print(all(torch.equal(a, b) for a, b in zip(plain, different)))

# Nested, and inputs that need no gradient.
inner, outer = Block("inner"), Block("outer")
both = nn.ModuleList([inner, outer])
nested = lambda x: checkpoint(lambda v: outer(checkpoint(inner, v, use_reentrant=False)), x, use_reentrant=False)
plain, _ = grads_of(both, x, lambda x: outer(inner(x)))
runs.clear()
found, _ = grads_of(both, x, nested)
print(all(torch.equal(a, b) for a, b in zip(plain, found)), runs)
no_grad_input = torch.ones(1, 4)
out = checkpoint(block, no_grad_input, use_reentrant=False)
out.sum().backward()
print(out.requires_grad, block.fc.weight.grad.shape)
print(checkpoint(lambda a, b: (a * b, a + 1), x, 3.0, use_reentrant=False)[0].shape)

# .grad and double backward.
block.eval()
y = checkpoint(block, x, use_reentrant=False).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
gg, = torch.autograd.grad((g ** 2).sum(), x)
y = block(x).sum()
h, = torch.autograd.grad(y, x, create_graph=True)
hh, = torch.autograd.grad((h ** 2).sum(), x)
print(torch.allclose(g, h), torch.allclose(gg, hh))
try:
    torch.autograd.grad(checkpoint(block, x, use_reentrant=True).sum(), x)
except RuntimeError as error:
    print("RuntimeError:", error)

model = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(5)])
plain, _ = grads_of(model, x, model)
for segments in (1, 2, 5):
    found, _ = grads_of(model, x, lambda x: checkpoint_sequential(model, segments, x))
    print(segments, all(torch.equal(a, b) for a, b in zip(plain, found)))

# Hooks on what is saved.
log = []


def pack(t):
    log.append(("pack", tuple(t.shape)))
    return t.detach().clone()


def unpack(t):
    log.append(("unpack", tuple(t.shape)))
    return t


with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = (x * x).exp()
y.sum().backward()
print(log)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
    with torch.autograd.graph.save_on_cpu():
        y = x * x
x.grad = None
y.sum().backward()
print(torch.equal(x.grad, 2 * x.detach()))
try:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
        a = torch.ones(2, requires_grad=True)
        b = a * 1
        b * b
except RuntimeError as error:
    print("RuntimeError:", str(error)[:70])
