# A step of DistributedDataParallel against one process with the same global batch, and how much of the reduction runs
# while backward does:
#
#     tensorloupe-cli run --ranks 4 tests/bench/ddp_bench.py
#     tensorloupe-cli run tests/bench/ddp_bench.py
#     torchrun --nproc-per-node 4 tests/bench/ddp_bench.py
# PyTorch's reducer does not say its times: of them it prints 0.
import time
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

GLOBAL_BATCH, STEPS, WARMUP = 64, 10, 3


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    layers = []
    for _ in range(6):
        layers += [nn.Linear(1024, 1024), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(1024, 10))
    net = DDP(model, gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.randn(GLOBAL_BATCH // size, 1024)
    y = torch.randint(0, 10, (GLOBAL_BATCH // size,))
    # The engine's reducer has a clock and says its buckets.
    clock = getattr(net.reducer, "times", lambda: (0.0, 0.0))
    buckets = getattr(net.reducer, "buckets", list)
    times = []
    for step in range(WARMUP + STEPS):
        if step == WARMUP:
            before = clock()
        began = time.perf_counter()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        times.append(time.perf_counter() - began)
    times = sorted(times[WARMUP:])
    under_way, waited = (a - b for a, b in zip(clock(), before))
    if rank == 0:
        print('%d ranks, %d samples each: median step %.1f ms; %d buckets; reductions under way %.1f ms a step, %.1f ms of it waited for: %.0f%% hidden'
              % (size, GLOBAL_BATCH // size, 1000 * times[len(times) // 2], len(buckets()), 1000 * under_way / STEPS,
                 1000 * waited / STEPS, 100 * (1 - waited / under_way) if under_way > 0 else 0))
    began = time.perf_counter()
    small = torch.ones(1)
    for _ in range(200):
        dist.all_reduce(small)
    if rank == 0:
        print('an all_reduce of one number: %.0f us, agreement included' % (1e6 * (time.perf_counter() - began) / 200))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
