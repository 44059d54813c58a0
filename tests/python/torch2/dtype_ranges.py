# Numbers outside a dtype where they are written, and the classes of errors of dtypes that an operator does not take.
import torch
import torch.nn.functional as F


def outcome(title, function):
    try:
        result = function()
        print(title, result.tolist(), result.dtype)
    except Exception as error:
        print(title, type(error).__name__, str(error).split("\n")[0])


dtypes = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool, torch.float16, torch.bfloat16, torch.float32, torch.float64,
          torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2, torch.complex64)
numbers = (255, 256, -1, -255, -256, 255.5, 256.0, -0.5, 127.9, -128.5, 65504.0, 65520.0, 70000, 2**31, -2**31 - 1, 2**40, 3.5e38, float("inf"), float("nan"), 2 + 1j)
for dtype in dtypes:
    for number in numbers:
        if dtype == torch.uint64 and number == -1:
            continue
        outcome(f"fill_ {dtype} {number}", lambda: torch.zeros(2, dtype=dtype).fill_(number))
x, mask = torch.zeros(2, dtype=torch.uint8), torch.tensor([True, False])
for number in (300, -300, 3.5):
    outcome("full", lambda: torch.full((2,), number, dtype=torch.uint8))
    outcome("full_like", lambda: torch.full_like(x, number))
    outcome("new_full", lambda: x.new_full((2,), number))
    outcome("masked_fill", lambda: x.masked_fill(mask, number))
    outcome("index_fill", lambda: x.index_fill(0, torch.tensor([0]), number))
    outcome("scatter", lambda: x.scatter(0, torch.tensor([0]), number))
    outcome("pad", lambda: torch.constant_pad_nd(x, (1, 0), number))
    outcome("scalar_tensor", lambda: torch.scalar_tensor(number, dtype=torch.uint8))
outcome("one element", lambda: torch.full((1,), 1e6, dtype=torch.float16))
outcome("two elements", lambda: torch.full((2,), 1e6, dtype=torch.float16))

half, whole, truth, turned = torch.ones(2, 2).half(), torch.ones(2, 2).long(), torch.ones(2, 2).bool(), torch.ones(2, 2) + 1j
outcome("neg", lambda: -truth)
outcome("sub", lambda: truth - truth)
outcome("relu", lambda: F.relu(truth))
outcome("floor", lambda: turned.floor())
outcome("clamp", lambda: turned.clamp(0))
outcome("sign", lambda: turned.sign())
outcome("maximum", lambda: torch.maximum(turned, turned))
outcome("sort", lambda: turned.sort())
outcome("mean", lambda: whole.mean())
outcome("std", lambda: whole.std())
outcome("norm", lambda: whole.norm())
outcome("det", lambda: torch.linalg.det(whole))
outcome("inv", lambda: torch.linalg.inv(half))
outcome("argmax", lambda: truth.argmax())
outcome("argmax complex", lambda: turned.argmax())
outcome("randn", lambda: torch.randn(2, dtype=torch.int64))
outcome("histc", lambda: turned.histc())
outcome("imag", lambda: half.imag)
for name in ("gelu", "elu", "silu", "softplus", "mish", "hardswish", "leaky_relu", "celu", "hardsigmoid", "selu"):
    outcome(name, lambda: getattr(F, name)(whole))
outcome("bitwise_and", lambda: half & half)
outcome("bitwise_or_", lambda: half.bitwise_or_(half))
outcome("gcd", lambda: torch.gcd(half, half))
outcome("lcm", lambda: torch.lcm(half, half))
