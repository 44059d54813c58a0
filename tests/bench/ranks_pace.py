# A rank that records RATE events a second for SECONDS: for bench_ranks, which writes its own numbers here.
import time
import torch
import torch.distributed as dist
from torch import nn

RATE = 1000
SECONDS = 10

dist.init_process_group('gloo')


class Net(nn.Module):
    def forward(self, x):
        dist.all_reduce(x)  # all begin together
        began = time.perf_counter()
        done = 0
        while done < RATE * SECONDS:
            due = min(RATE * SECONDS, int((time.perf_counter() - began) * RATE))
            while done < due:
                x = torch.tanh(x)
                done += 1
            time.sleep(0.01)
        dist.all_reduce(x)
        return x


model = Net()
example_inputs = (torch.ones(8, 8),)
