# SPDX-License-Identifier: Apache-2.0
"""Writes random_numbers.json: what PyTorch draws on a CUDA device with 270,336 resident threads (H100, H200), seed 1234.

    python3 make_random_numbers.py > random_numbers.json
"""
import json

import torch


def draw(name, work, seed=1234):
    torch.manual_seed(seed)
    first = work()
    second = work()  # where the next call begins
    rows = []
    for t in (first, second):
        flat = t.flatten().to("cpu")
        picked = sorted({int(i) for i in [*range(min(8, len(flat))), len(flat) // 3, len(flat) // 2,
                                                *range(len(flat) - 6, len(flat))]
                         if 0 <= i < len(flat)})
        values = [repr(v) if isinstance(v, float) else int(v) for v in flat[picked].tolist()]
        rows.append({"places": picked, "values": values})
    calls.append({"name": name, "dtype": str(first.dtype).removeprefix("torch."), "count": first.numel(), "draws": rows})


calls = []
cuda = {"device": "cuda"}
sizes = [3, 1000, 270336, 300001, 1 << 20, 2500001]
for n in sizes:
    draw("rand", lambda: torch.rand(n, **cuda))
    draw("randn", lambda: torch.randn(n, **cuda))
    draw("bernoulli", lambda: torch.empty(n, **cuda).bernoulli_(0.3))
    draw("dropout", lambda: torch.nn.functional.dropout(torch.ones(n, **cuda), 0.25))
    draw("randint", lambda: torch.randint(-5, 100, (n,), **cuda))
for n in (3, 1000, 300001, 1 << 20):
    for dtype in (torch.float64, torch.float16, torch.bfloat16):
        draw("rand", lambda: torch.rand(n, dtype=dtype, **cuda))
        draw("randn", lambda: torch.randn(n, dtype=dtype, **cuda))
        draw("dropout", lambda: torch.nn.functional.dropout(torch.ones(n, dtype=dtype, **cuda), 0.25))
    draw("bernoulli", lambda: torch.empty(n, dtype=torch.float64, **cuda).bernoulli_(0.3))
    draw("bernoulli", lambda: torch.empty(n, dtype=torch.int64, **cuda).bernoulli_(0.3))
    draw("chances", lambda: torch.bernoulli(torch.full((n,), 0.4, **cuda)))
    draw("chances", lambda: torch.bernoulli(torch.full((n,), 0.4, dtype=torch.float64, **cuda)))
    draw("uniform", lambda: torch.empty(n, **cuda).uniform_(-2, 3))
    draw("normal", lambda: torch.empty(n, **cuda).normal_(1, 2))
    draw("exponential", lambda: torch.empty(n, **cuda).exponential_(1.5))
    draw("exponential", lambda: torch.empty(n, dtype=torch.float64, **cuda).exponential_(1.5))
    draw("cauchy", lambda: torch.empty(n, **cuda).cauchy_(0.5, 2))
    draw("log_normal", lambda: torch.empty(n, **cuda).log_normal_(0.5, 0.25))
    draw("geometric", lambda: torch.empty(n, **cuda).geometric_(0.2))
    draw("random", lambda: torch.empty(n, **cuda).random_())
    draw("random", lambda: torch.empty(n, dtype=torch.int64, **cuda).random_())
    draw("random", lambda: torch.empty(n, dtype=torch.int32, **cuda).random_())
    draw("random", lambda: torch.empty(n, dtype=torch.uint8, **cuda).random_())
    draw("wide", lambda: torch.randint(-(1 << 40), 1 << 41, (n,), **cuda))
    draw("middle", lambda: torch.randint(0, 1 << 30, (n,), **cuda))
    draw("randperm", lambda: torch.randperm(n, **cuda))
    draw("normals", lambda: torch.normal(torch.full((n,), -2.0, **cuda), torch.full((n,), 3.0, **cuda)))
    draw("complex", lambda: torch.view_as_real(torch.randn(n // 2 + 1, dtype=torch.complex64, **cuda)))
    for dtype in (torch.float32, torch.float64):
        draw("poisson", lambda: torch.poisson(torch.full((n,), 12.0, dtype=dtype, **cuda)))
        draw("many", lambda: torch.poisson(torch.full((n,), 9000.0, dtype=dtype, **cuda)))
        draw("binomial", lambda: torch.binomial(torch.full((n,), 10.0, dtype=dtype, **cuda), torch.full((n,), 0.3, dtype=dtype, **cuda)))
        draw("trials", lambda: torch.binomial(torch.full((n,), 100.0, dtype=dtype, **cuda), torch.full((n,), 0.7, dtype=dtype, **cuda)))
        draw("gamma", lambda: torch._standard_gamma(torch.full((n,), 0.7, dtype=dtype, **cuda)))
        draw("rrelu", lambda: torch.rrelu(torch.full((n,), -1.0, dtype=dtype, **cuda), 0.1, 0.3, training=True))
torch.manual_seed(1234)
strided = torch.empty(64, 48, **cuda).t().uniform_()
calls.append({"name": "transposed", "dtype": "float32", "count": strided.numel(),
              "draws": [{"places": [0, 1, 2, 64, 100], "values": [repr(v) for v in strided.flatten()[[0, 1, 2, 64, 100]].tolist()]}]})
print(json.dumps({"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "calls": calls}))
