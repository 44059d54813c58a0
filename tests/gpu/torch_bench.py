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
def layers(dtype):
    name = str(dtype).removeprefix("torch.")
    aten = torch.ops.aten
    x, g = (torch.randn(8192, 1024, device="cuda").to(dtype) for _ in range(2))
    w, b = (torch.randn(1024, device="cuda").to(dtype) for _ in range(2))
    y = torch.softmax(x, 1)
    row(f"softmax 8192x1024 {name}", lambda: aten._softmax(x, 1, False))
    row(f"softmax backward {name}", lambda: aten._softmax_backward_data(g, y, 1, dtype))
    _, mean, rstd = aten.native_layer_norm(x, [1024], w, b, 1e-5)
    row(f"layer_norm 8192x1024 {name}", lambda: aten.native_layer_norm(x, [1024], w, b, 1e-5))
    row(f"layer_norm backward {name}",
        lambda: aten.native_layer_norm_backward(g, x, [1024], mean, rstd, w, b, [True] * 3))
    logits, classes = torch.randn(4096, 32768, device="cuda").to(dtype), torch.randint(32768, (4096,), device="cuda")
    row(f"log_softmax 4096x32768 {name}", lambda: aten._log_softmax(logits, 1, False))
    row(f"cross_entropy 4096x32768 {name}", lambda: torch.nn.functional.cross_entropy(logits, classes))
    ids, table = torch.randint(32768, (8, 1024), device="cuda"), torch.randn(32768, 1024, device="cuda").to(dtype)
    rows = g.view(8, 1024, 1024)
    row(f"embedding 8192 of 32768x1024 {name}", lambda: aten.embedding(table, ids))
    row(f"embedding backward {name}", lambda: aten.embedding_dense_backward(rows, ids, 32768, -1, False))
    image, of_image = (torch.randn(64, 64, 56, 56, device="cuda").to(dtype) for _ in range(2))
    scale, shift, running, spread = (torch.ones(64, device="cuda") for _ in range(4))
    kept = aten.native_batch_norm(image, scale, shift, running, spread, True, 0.1, 1e-5)
    row(f"batch_norm 64x64x56x56 {name}",
        lambda: aten.native_batch_norm(image, scale, shift, running, spread, True, 0.1, 1e-5))
    row(f"batch_norm backward {name}",
        lambda: aten.native_batch_norm_backward(of_image, image, scale, running, spread, kept[1], kept[2], True, 1e-5,
                                                [True] * 3))
    pooled = aten.max_pool2d_with_indices(image, [3, 3], [2, 2], [1, 1], [1, 1], False)
    row(f"max_pool2d 3x3/2 {name}", lambda: aten.max_pool2d_with_indices(image, [3, 3], [2, 2], [1, 1], [1, 1], False))
    row(f"max_pool2d backward {name}",
        lambda: aten.max_pool2d_with_indices_backward(pooled[0], image, [3, 3], [2, 2], [1, 1], [1, 1], False, pooled[1]))
    many64 = torch.randn(1 << 26, device="cuda").to(dtype)
    row(f"dropout 64M {name}", lambda: torch.nn.functional.dropout(many64, 0.1))
    row(f"uniform_ 64M {name}", lambda: many64.uniform_())
    if dtype == torch.float32:
        keys = torch.randn(1 << 24, device="cuda")
        row(f"sort 16M {name}", lambda: torch.sort(keys))
        row(f"cumsum 4096x4096 rows {name}", lambda: torch.cumsum(keys.view(4096, 4096), 1))


layers(torch.float32)
layers(torch.bfloat16)
small = torch.full((16,), 0.5, device="cuda")
row("add 16 float32", lambda: torch.add(small, small))
row("relu 16 float32", lambda: torch.relu(small))
