# SPDX-License-Identifier: Apache-2.0
"""A step of DistributedDataParallel on one of several ranks: distributed_step.py FOLDER FAULT, with RANK and its like set.

FAULT: none; lr: rank 1 learns twice as fast; nan: rank 1 brings a NaN; skip: rank 1 leaves an all_reduce out.
"""

import os
import sys

from recordings import record  # noqa: F401  puts the package into the path

import tensorloupe
import torch
import torch.distributed as dist

folder, fault = sys.argv[1:]
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo", init_method=f"file://{folder}/meeting.{fault}", rank=rank, world_size=world)
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))
model = torch.nn.parallel.DistributedDataParallel(net)
odd = rank == 1
optimizer = torch.optim.SGD(model.parameters(), lr=0.2 if odd and fault == "lr" else 0.1)
torch.manual_seed(rank)
with tensorloupe.record(model, os.path.join(folder, f"{fault}.loupe")):
    for step in range(2):
        x, y = torch.randn(6, 4), torch.randint(2, (6,))
        if odd and fault == "nan" and step == 1:
            x[0, 0] = float("nan")
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if not (odd and fault == "skip" and step == 1):
            dist.all_reduce(loss.detach().clone())
if fault == "none":
    parts = [torch.empty(2) for _ in range(world)]
    dist.all_gather(parts, torch.full((2,), float(rank)))
dist.destroy_process_group()
