import os
import tempfile

import torch

UNSIGNED = [torch.uint16, torch.uint32, torch.uint64]
FLOATS = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu]


def attempt(work):
    try:
        print(work())
    except Exception as error:
        print(str(error).split("\n")[0])


for dtype in UNSIGNED:
    print(dtype, dtype.itemsize, dtype.is_floating_point, dtype.is_signed, torch.iinfo(dtype), torch.iinfo(dtype).max, torch.iinfo(dtype).bits)
    x = torch.tensor([3, 1, 250], dtype=dtype)
    print(x, x[0], x.tolist(), x[2].item(), x.type(), f"{x[0]}")
    print(x * 2, x * x, x / 2, x.sum(), x.float(), x == 3, x.view(torch.uint8))
    print(torch.zeros(2, dtype=dtype), torch.ones(1, 2, dtype=dtype), torch.full((2,), 7, dtype=dtype), x.clamp(2, 3), x.sort()[0])
    attempt(lambda: x + x)
    attempt(lambda: x < 2)
    attempt(lambda: x + torch.ones(3, dtype=torch.int64))
    attempt(lambda: torch.tensor([-1.0, 2.75]).to(dtype))
    attempt(lambda: x.mean())
    attempt(lambda: torch.finfo(dtype))
attempt(lambda: torch.tensor([70000], dtype=torch.uint16))
attempt(lambda: torch.tensor([2**32], dtype=torch.uint32))
big = torch.tensor([2**63 + 5, 2**64 - 1, 0], dtype=torch.uint64)
print(big, big.tolist(), big[0].item(), big.to(torch.int64), big.double(), big.max(dim=0) if False else big.sort()[0])
attempt(lambda: torch.tensor([2**64], dtype=torch.uint64))
attempt(lambda: torch.tensor([-1], dtype=torch.uint64))

values = torch.tensor([0.0, 1.5, -2.0, float("nan"), float("inf"), 300.0])
for dtype in FLOATS:
    print(dtype, dtype.itemsize, dtype.is_floating_point, dtype.is_signed, torch.finfo(dtype), torch.finfo(dtype).bits)
    x = values.to(dtype)
    print(x, x.view(torch.uint8), x.float().tolist(), x.type())
    print(torch.zeros(2, dtype=dtype), torch.tensor([1, 2], dtype=dtype), x[1].item(), x.isnan(), x == x)
    print(torch.cat([x[:2], x[:1]]), x.reshape(2, 3).t(), x.bool(), x.view(torch.uint8).view(dtype)[1])
    attempt(lambda: x + x)
    attempt(lambda: x + 1)
    attempt(lambda: x + torch.ones(6))
    attempt(lambda: x.sum())
    attempt(lambda: x.exp())
    attempt(lambda: torch.iinfo(dtype))
print(torch.float8_e4m3fn, torch.float8_e5m2 == torch.float8_e5m2, torch.promote_types(torch.uint16, torch.float32))
attempt(lambda: torch.promote_types(torch.uint8, torch.uint16))

a, b = torch.arange(32.0).view(2, 16).to(torch.float8_e4m3fn), torch.arange(48.0).view(3, 16).to(torch.float8_e4m3fn).t()
scale = torch.tensor(0.5)
print(torch._scaled_mm(a, b, scale, scale, out_dtype=torch.float32))
print(torch._scaled_mm(a, b, torch.ones(2, 1), torch.ones(1, 3), bias=torch.ones(3), out_dtype=torch.bfloat16))
print(torch.hash_tensor(torch.tensor([1.0, 2.0])), torch.hash_tensor(torch.tensor([[1, 2], [3, 4]]), dim=1))

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "rare.pt")
    torch.save({"a": torch.tensor([1, 65535], dtype=torch.uint16), "b": torch.nn.Parameter(values[:3].to(torch.float8_e5m2))}, path)
    loaded = torch.load(path)
    print(loaded["a"], loaded["b"], type(loaded["b"]).__name__)


class Quantised(torch.nn.Module):
    def __init__(self):
        super().__init__()
        weight = torch.tensor([[0.5, -1.0], [2.0, 0.25]])
        self.register_buffer("weight", weight.to(torch.float8_e4m3fn))
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x):
        return x @ (self.weight.to(x.dtype) * self.scale).t()


net = Quantised()
print(net(torch.tensor([[1.0, 2.0]])), {name: value.dtype for name, value in net.state_dict().items()})
