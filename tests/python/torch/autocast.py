# torch.autocast on the CPU; which operators it casts, and to what, is 2.15's.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
a, b = torch.randn(4, 4), torch.randn(4, 4)
half = a.bfloat16()
print(torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype(), torch.get_autocast_gpu_dtype(), torch.is_autocast_cache_enabled())
with torch.autocast("cpu"):
    print(torch.is_autocast_cpu_enabled(), torch.is_autocast_enabled())
    for name, value in {
        "mm": torch.mm(a, b), "matmul": a @ b, "linear": F.linear(a, b), "bmm": torch.bmm(a[None], b[None]), "addmm": torch.addmm(a, a, b),
        "baddbmm": torch.baddbmm(a[None], a[None], b[None]), "mv": torch.mv(a, b[0]), "add": a + b, "mul": half * a, "softmax": a.softmax(0),
        "half softmax": half.softmax(0), "relu": half.relu(), "sum": half.sum(), "prod": half.prod(), "cat": torch.cat([half, a]),
        "stack": torch.stack([half, half]), "mse": F.mse_loss(half, half), "nll": F.nll_loss(half, torch.tensor([0, 1, 2, 3])),
        "cross_entropy": F.cross_entropy(half, torch.tensor([0, 1, 2, 3])), "exp": half.exp(), "double": a.double() @ b.double(),
        "conv1d": F.conv1d(a[None], b[:, :, None]), "conv2d": F.conv2d(a[None, None], b[None, None, :2, :2]),
        "conv_transpose1d": F.conv_transpose1d(a[None], b[:, :, None]), "cdist": torch.cdist(half, half), "gelu": F.gelu(half),
        "max_pool1d": F.max_pool1d(a[None], 2), "pad": F.pad(half, (1, 1)), "layer_norm": F.layer_norm(half, (4,)), "dot": torch.dot(a[0], b[0]),
        "avg_pool2d": F.avg_pool2d(half[None], 2), "inverse": torch.inverse(a), "norm": half.norm(), "interpolate": F.interpolate(a[None], 8),
        "bce": F.binary_cross_entropy_with_logits(half, half), "smooth_l1": F.smooth_l1_loss(half, half), "kl": F.kl_div(half, half),
    }.items():
        print(name, value.dtype)
    with torch.autocast("cpu", enabled=False):
        print((a @ b).dtype, torch.is_autocast_cpu_enabled())
        with torch.cpu.amp.autocast():
            print((a @ b).dtype)
    print((a @ b).dtype)
print((a @ b).dtype, torch.is_autocast_cpu_enabled())

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
with torch.cpu.amp.autocast(dtype=torch.bfloat16, cache_enabled=True):
    y = model(a)
    loss = F.cross_entropy(y, torch.tensor([0, 1, 0, 1]))
print(y.dtype, loss.dtype)
loss.backward()
print([p.grad.dtype for p in model.parameters()])
print(y.grad_fn.name() if hasattr(y.grad_fn, "name") else None, (y - model(a)).abs().max() < 0.05)


@torch.autocast("cpu")
def decorated(p, q):
    return p @ q


print(decorated(a, b).dtype, decorated(a, b).sum().dtype)
weight = torch.randn(4, 4, requires_grad=True)
with torch.autocast("cpu"):
    one, two = F.linear(a, weight), F.linear(b, weight)
    print(one.dtype)
(one.sum() + two.sum()).backward()
print(weight.grad.dtype, torch.allclose(weight.grad, (a.sum(0) + b.sum(0)).expand(4, 4), atol=0.1))
with torch.autocast("cuda", enabled=False):
    print((a @ b).dtype)
try:
    torch.autocast("tpu")
except RuntimeError as error:
    print("RuntimeError:", error)

import warnings
for make in (lambda: torch.autocast("cuda"), lambda: torch.autocast("cpu", dtype=torch.float32), lambda: torch.cuda.amp.GradScaler()):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        thing = make()
    print(len(caught), caught[0].category.__name__, caught[0].message)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    scaler = torch.cuda.amp.GradScaler()
    disabled = torch.autocast("cpu", dtype=torch.float32)
try:
    with disabled:
        print((a @ b).dtype)
except RuntimeError as error:
    print("RuntimeError:", error)
print(scaler.is_enabled(), scaler.get_scale(), scaler.state_dict())
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(a).sum()
print(scaler.scale(loss) is loss)
loss.backward()
scaler.unscale_(sgd)
before = model[0].weight.clone()
scaler.step(sgd)
scaler.update()
print(torch.equal(before, model[0].weight))
with torch.autocast("cpu", dtype=torch.float16):  # since 2.3
    print((a @ b).dtype, torch.prelu(a, torch.rand(1)).dtype, torch.get_autocast_cpu_dtype())
# Recurrent layers take what comes in in either precision, and give it in the same.
torch.manual_seed(0)
for layer in (torch.nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True), torch.nn.GRU(4, 3), torch.nn.RNN(4, 3)):
    x = torch.randn(2, 3, 4)
    plain = layer(x)[0]
    for given in (x, x.bfloat16()):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = layer(given)[0]
        print(type(layer).__name__, y.dtype, bool((y.float() - plain).abs().max() < 0.02))
        layer.zero_grad()
        y.float().sum().backward()
        print(layer.weight_ih_l0.grad.dtype, bool(layer.weight_ih_l0.grad.abs().sum() > 0))
