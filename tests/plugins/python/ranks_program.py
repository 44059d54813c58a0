# SPDX-License-Identifier: Apache-2.0
"""A rank of a program with DistributedDataParallel that is watched: ranks_program.py FILE, started as torchrun does."""

import sys
import time

import torch
import torch.distributed
from torch import nn

import tensorloupe


def main():
    torch.distributed.init_process_group("gloo")
    torch.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    watcher = tensorloupe.watch(model, optimizer, every=10, file=sys.argv[1])
    torch.manual_seed(torch.distributed.get_rank())
    for _ in range(60):
        optimizer.zero_grad()
        model(torch.randn(8, 6)).pow(2).mean().backward()
        optimizer.step()
        time.sleep(0.03)
    watcher.close()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
