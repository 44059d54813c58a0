import torch
from torch.autograd import graph

x = torch.arange(1., 4., requires_grad=True)
message = 'saved tensors default hooks are disabled'
with graph.disable_saved_tensors_hooks(message):
    y = x * x
    for make in (lambda: graph.save_on_cpu(), lambda: graph.saved_tensors_hooks(lambda t: t, lambda t: t)):
        try:
            with make():
                pass
        except RuntimeError as e:
            print(e)
    with graph.disable_saved_tensors_hooks('inner'):
        try:
            with graph.save_on_cpu():
                pass
        except RuntimeError as e:
            print(e)
    try:
        with graph.save_on_cpu():
            pass
    except RuntimeError as e:
        print(e)
y.sum().backward()
print(x.grad)
with graph.save_on_cpu(pin_memory=False):
    z = (x * x).exp()
x.grad = None
z.sum().backward()
print(x.grad)
try:
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        with graph.disable_saved_tensors_hooks(message):
            pass
except RuntimeError as e:
    print(e)


def numbered(t):
    numbered.count += 1
    return numbered.count, t


numbered.count = 0
with graph.saved_tensors_hooks(numbered, lambda p: p[1]):
    z = (x * x).sin()
print(numbered.count)
x.grad = None
z.sum().backward()
print(x.grad)
with graph.saved_tensors_hooks(lambda t: t, lambda t: 'text'):
    z = x * x
try:
    z.sum().backward()
except Exception as e:
    print(type(e).__name__, e)
with graph.saved_tensors_hooks(lambda t: t, lambda t: t[:1]):
    z = x * x
try:
    z.sum().backward()
except Exception as e:
    print(type(e).__name__, e)
