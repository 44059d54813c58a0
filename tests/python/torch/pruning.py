# torch.nn.utils.prune.
import torch
import torch.nn as nn
import torch.nn.utils.prune as prune


def masks(module, name="weight"):
    return getattr(module, name + "_mask").int().tolist()


class EveryOther(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def every_other(module, name):
    EveryOther.apply(module, name)
    return module


torch.manual_seed(0)
m = nn.Linear(4, 3)
print(prune.is_pruned(m))
print(prune.l1_unstructured(m, "weight", amount=5) is m, prune.is_pruned(m))
print([n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()], list(m.state_dict()))
print(masks(m), torch.equal(m.weight, m.weight_orig * m.weight_mask), type(m.weight).__name__)
m(torch.ones(1, 4)).sum().backward()
print(m.weight_orig.grad)
print([type(hook).__name__ for hook in m._forward_pre_hooks.values()])
prune.random_unstructured(m, name="weight", amount=0.5)
print(masks(m))
for hook in m._forward_pre_hooks.values():
    if hook._tensor_name == "weight":
        break
print(type(hook).__name__, len(hook), [type(h).__name__ for h in hook], type(hook[1]).__name__)
prune.ln_structured(m, name="weight", amount=1, n=2, dim=0)
print(masks(m))
prune.random_structured(m, "weight", amount=1, dim=1)
print(masks(m))
every_other(m, "bias")
print(masks(m, "bias"), list(m.state_dict()))
prune.remove(m, "weight")
print(list(m.state_dict()), [n for n, _ in m.named_parameters()], prune.is_pruned(m))
prune.remove(m, "bias")
print(prune.is_pruned(m), [n for n, _ in m.named_parameters()])

for n in (1, 2, float("inf")):
    torch.manual_seed(1)
    m = prune.ln_structured(nn.Conv2d(3, 4, 2), "weight", amount=0.5, n=n, dim=1)
    print(n, m.weight_mask.sum(dim=(0, 2, 3)).tolist())
m = prune.custom_from_mask(nn.Linear(3, 1), "bias", mask=torch.tensor([0]))
print(m.bias, masks(m, "bias"))
m = prune.identity(nn.Linear(2, 2), "weight")
print(masks(m))
m = prune.l1_unstructured(nn.Linear(3, 1), "weight", amount=1, importance_scores=torch.tensor([[3.0, 1.0, 2.0]]))
print(masks(m))
every_other(every_other(m, "weight"), "weight")
print(masks(m))

torch.manual_seed(2)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
prune.global_unstructured([(net[0], "weight"), (net[2], "weight")], pruning_method=prune.L1Unstructured, amount=7)
print(masks(net[0]), masks(net[2]))
prune.global_unstructured(((net[0], "weight"), (net[2], "weight")), prune.RandomUnstructured, amount=0.5)
print(masks(net[0]), masks(net[2]), prune.is_pruned(net))
print(list(net.state_dict()))

method = prune.L1Unstructured(amount=2)
print(method.amount, method.PRUNING_TYPE, method.prune(torch.tensor([3.0, -1.0, 2.0, 0.5])))
print(method.compute_mask(torch.tensor([1.0, 2.0, 3.0]), torch.ones(3)))

for bad in (lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=1.5), lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=-1),
            lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=5), lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", amount="a"),
            lambda: prune.random_structured(nn.Linear(2, 2), "bias", amount=1, dim=0), lambda: prune.random_structured(nn.Linear(2, 2), "weight", amount=1, dim=3),
            lambda: prune.remove(nn.Linear(2, 2), "weight"), lambda: prune.global_unstructured([(nn.Linear(2, 2), "weight")], prune.LnStructured, amount=1, n=2),
            lambda: prune.global_unstructured([(nn.Linear(2, 2), "weight")], prune.L1Unstructured, importance_scores=1, amount=1)):
    try:
        bad()
    except (ValueError, TypeError, IndexError, AssertionError) as error:
        print(type(error).__name__ + ":", error)
broken = nn.Linear(2, 2)
try:
    prune.l1_unstructured(broken, "weight", amount=9)
except ValueError:
    print([n for n, _ in broken.named_parameters()])
