# SPDX-License-Identifier: Apache-2.0
"""The rows of gpu_check's bench, timed in PyTorch on the same GPU."""
import statistics
import time

import torch


def times(work, calls=20):
    for _ in range(3):
        work()
    torch.cuda.synchronize()
    device, host = [], []
    for _ in range(7):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        start = time.perf_counter()
        for _ in range(calls):
            work()
        host.append((time.perf_counter() - start) / calls * 1e6)
        end.record()
        end.synchronize()
        device.append(begin.elapsed_time(end) / calls * 1e3)
    return statistics.median(device), statistics.median(host)


def row(name, work):
    device, host = times(work)
    print(f"{name:34} {device:12.1f} {host:12.1f}")


print("PyTorch", torch.__version__, torch.cuda.get_device_name())
many = 1 << 26
for dtype in (torch.float32, torch.bfloat16):
    name = str(dtype).removeprefix("torch.")
    a, b = (torch.randn(many, device="cuda").to(dtype) for _ in range(2))
    row(f"add 64M {name}", lambda: torch.add(a, b))
    row(f"relu 64M {name}", lambda: torch.relu(a))
    row(f"gelu 64M {name}", lambda: torch.nn.functional.gelu(a))
    row(f"sum 64M {name}", lambda: a.sum())
    rows = a.view(8192, 8192)
    row(f"sum of rows 64M {name}", lambda: rows.sum(1))
    row(f"sum of columns 64M {name}", lambda: rows.sum(0))
    row(f"transposed copy 64M {name}", lambda: rows.t().contiguous())
for dtype in (torch.bfloat16, torch.float32, torch.float64):
    a, b = (torch.randn(4096, 4096, device="cuda").to(dtype) for _ in range(2))
    row(f"mm 4096 {str(dtype).removeprefix('torch.')}", lambda: torch.mm(a, b))
torch.backends.cudnn.allow_tf32 = False
for dtype in (torch.float32, torch.bfloat16):
    x, w = torch.randn(64, 64, 56, 56, device="cuda").to(dtype), torch.randn(64, 64, 3, 3, device="cuda").to(dtype)
    row(f"conv2d 64x64x56x56 3x3 {str(dtype).removeprefix('torch.')}", lambda: torch.nn.functional.conv2d(x, w, padding=1))
small = torch.full((16,), 0.5, device="cuda")
row("add 16 float32", lambda: torch.add(small, small))
row("relu 16 float32", lambda: torch.relu(small))
