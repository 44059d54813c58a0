# Fusion, stateless calls, skip_init, hooks of all modules, versions in a state.
import torch
import torch.nn as nn
import torch.nn.utils.stateless as stateless
from torch.nn.modules.module import (register_module_forward_hook, register_module_forward_pre_hook,
                                     register_module_full_backward_hook)
from torch.nn.utils import skip_init
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

torch.manual_seed(0)
conv, bn = nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3)
bn(torch.randn(4, 3, 5, 5))
x = torch.randn(2, 2, 6, 6)
try:
    fuse_conv_bn_eval(conv, bn)
except AssertionError as error:
    print("AssertionError:", error)
conv.eval(), bn.eval()
fused = fuse_conv_bn_eval(conv, bn)
print(fused, torch.allclose(fused(x), bn(conv(x)), atol=1e-5), conv.bias)
linear, norm = nn.Linear(3, 4).eval(), nn.BatchNorm1d(4).eval()
norm.running_mean.add_(1.0)
print(fuse_linear_bn_eval(linear, norm), torch.allclose(fuse_linear_bn_eval(linear, norm)(torch.ones(1, 3)), norm(linear(torch.ones(1, 3))), atol=1e-5))

model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).eval()
zeros = {"0.weight": torch.zeros(2, 2), "0.bias": torch.ones(2), "1.running_mean": torch.ones(2)}
before = model(torch.ones(1, 2))
print(stateless.functional_call(model, zeros, torch.ones(1, 2)), torch.equal(model(torch.ones(1, 2)), before))
w = torch.ones(2, 2, requires_grad=True)
stateless.functional_call(model, {"0.weight": w}, (torch.ones(1, 2),)).sum().backward()
print(w.grad, model[0].weight.grad)
m = skip_init(nn.Linear, 5, 2, bias=False)
print(m, m.weight.shape, type(m.weight).__name__)
try:
    skip_init(int)
except RuntimeError as error:
    print("RuntimeError:", error)

log = []
handles = [register_module_forward_pre_hook(lambda m, i: log.append(("pre", type(m).__name__))),
           register_module_forward_hook(lambda m, i, o: log.append(("post", type(m).__name__))),
           register_module_full_backward_hook(lambda m, gi, go: log.append(("back", type(m).__name__, len(gi), len(go))))]
own = model[0].register_forward_hook(lambda m, i, o: log.append(("own", type(m).__name__)))
model(torch.ones(1, 2, requires_grad=True)).sum().backward()
print(log)
for handle in handles:
    handle.remove()
log.clear()
model(torch.ones(1, 2))
print(log)
own.remove()

state = model.state_dict()
print(list(state._metadata.items()))
print(nn.Sequential(nn.Linear(1, 1)).state_dict(prefix="a.")._metadata)
old = nn.BatchNorm1d(2).state_dict()
del old["num_batches_tracked"]
target = nn.BatchNorm1d(2)
try:
    target.load_state_dict(old)
except RuntimeError as error:
    print("RuntimeError:", error)
old._metadata[""]["version"] = 1
print(target.load_state_dict(old), target.num_batches_tracked)
print(target.load_state_dict(dict(old)))


class Versioned(nn.Module):
    _version = 3

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(1))


print(Versioned().state_dict()._metadata)

# Shared parameters: one gradient, one copy, one name in the list.
import copy
tied = nn.Module()
tied.a, tied.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
tied.b.weight = tied.a.weight
(tied.a(torch.ones(1, 2)) + tied.b(torch.ones(1, 2))).sum().backward()
print(tied.a.weight.grad, [n for n, _ in tied.named_parameters()], list(tied.state_dict()))
twin = copy.deepcopy(tied)
print(twin.a.weight is twin.b.weight, twin.a.weight is tied.a.weight, twin.a.weight.grad)
tied.double()
print(tied.a.weight is tied.b.weight, tied.b.weight.dtype)


# States of before: hooks and _load_from_state_dict.
class Renamed(nn.Module):
    _version = 2

    def __init__(self):
        super().__init__()
        self.fresh = nn.Parameter(torch.zeros(2))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        version = local_metadata.get("version", None)
        print("loading", prefix, version)
        if version is None or version < 2:
            state_dict[prefix + "fresh"] = state_dict.pop(prefix + "stale")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)


outer = nn.Sequential(Renamed(), nn.Linear(1, 1))
state = outer.state_dict()
print(outer.load_state_dict(state))
stale = {"0.stale": torch.ones(2), "1.weight": torch.zeros(1, 1), "1.bias": torch.zeros(1)}
print(outer.load_state_dict(stale), outer[0].fresh)


def rename(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
    for key in [k for k in state_dict if k.startswith("old.")]:
        state_dict[key[4:]] = state_dict.pop(key)


line = nn.Linear(1, 1)
line._register_load_state_dict_pre_hook(rename)
print(line.load_state_dict({"old.weight": torch.ones(1, 1), "old.bias": torch.ones(1)}), line.weight)
line._register_state_dict_hook(lambda module, state, prefix, metadata: state.update({prefix + "extra": torch.ones(1)}))
print(list(line.state_dict(prefix="p.")))
