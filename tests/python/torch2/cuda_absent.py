# SPDX-License-Identifier: Apache-2.0
# Programs that ask for a GPU where there is none. Where CUDA's library is there and its driver is not, as here.
import io
import warnings

import torch
import torch.nn as nn
import torch.backends.cudnn as cudnn
from torch.utils.data import DataLoader, TensorDataset


def shown(name, call):
    try:
        result = call()
    except Exception as error:
        print(name, type(error).__name__, str(error).split('\n')[0])
    else:
        print(name, result)


x = torch.ones(2)
layer = nn.Linear(2, 2)
saved = io.BytesIO()
torch.save(x, saved)


def load(place):
    saved.seek(0)
    return torch.load(saved, map_location=place)


# --- tensors and modules
shown('x.cuda', lambda: x.cuda())
shown('x.cuda 0', lambda: x.cuda(0))
shown('x.cuda non_blocking', lambda: x.cuda(non_blocking=True))
shown('x.to', lambda: x.to('cuda'))
shown('x.to 1', lambda: x.to('cuda:1'))
shown('x.to device', lambda: x.to(torch.device('cuda')))
shown('x.to non_blocking', lambda: x.to('cuda', non_blocking=True))
shown('layer.cuda', lambda: layer.cuda())
shown('layer.to', lambda: layer.to('cuda'))
shown('zeros', lambda: torch.zeros(1, device='cuda'))
shown('tensor', lambda: torch.tensor([1.], device='cuda'))
shown('randn', lambda: torch.randn(2, device='cuda:0'))
shown('arange', lambda: torch.arange(3, device='cuda'))
shown('empty', lambda: torch.empty(2, device='cuda'))
shown('full', lambda: torch.full((2,), 1., device='cuda'))
shown('zeros_like', lambda: torch.zeros_like(x, device='cuda'))
shown('new_zeros', lambda: x.new_zeros(2, device='cuda'))
shown('ones 0', lambda: torch.ones(2, device=0))
shown('load', lambda: load('cuda'))
shown('load device', lambda: load(torch.device('cuda:0')))
shown('load cpu', lambda: load('cpu'))

# --- torch.cuda
shown('is_available', lambda: torch.cuda.is_available())
shown('device_count', lambda: torch.cuda.device_count())
shown('current_device', lambda: torch.cuda.current_device())
shown('get_device_name', lambda: torch.cuda.get_device_name(0))
shown('get_device_properties', lambda: torch.cuda.get_device_properties(0))
shown('get_device_capability', lambda: torch.cuda.get_device_capability())
shown('set_device', lambda: torch.cuda.set_device(0))
shown('init', lambda: torch.cuda.init())
shown('is_initialized', lambda: torch.cuda.is_initialized())
shown('synchronize', lambda: torch.cuda.synchronize())
shown('manual_seed', lambda: torch.cuda.manual_seed(1))
shown('manual_seed_all', lambda: torch.cuda.manual_seed_all(1))
shown('empty_cache', lambda: torch.cuda.empty_cache())
shown('memory_allocated', lambda: torch.cuda.memory_allocated())
shown('max_memory_allocated', lambda: torch.cuda.max_memory_allocated())
shown('memory_reserved', lambda: torch.cuda.memory_reserved())
shown('memory_stats', lambda: len(torch.cuda.memory_stats()))
shown('memory_summary', lambda: torch.cuda.memory_summary())
shown('mem_get_info', lambda: torch.cuda.mem_get_info())
shown('memory_snapshot', lambda: torch.cuda.memory_snapshot())
shown('reset_peak_memory_stats', lambda: torch.cuda.reset_peak_memory_stats())
shown('current_stream', lambda: torch.cuda.current_stream())
shown('default_stream', lambda: torch.cuda.default_stream())
shown('event', lambda: torch.cuda.Event(enable_timing=True))
shown('ipc_collect', lambda: torch.cuda.ipc_collect())
shown('out of memory', lambda: issubclass(torch.cuda.OutOfMemoryError, RuntimeError))
with torch.cuda.stream(None):
    print('no stream')

# --- memory that is pinned
shown('pin_memory', lambda: x.pin_memory())
shown('is_pinned', lambda: x.is_pinned())
shown('empty pinned', lambda: torch.empty(2, pin_memory=True))
shown('zeros pinned', lambda: torch.zeros(2, pin_memory=True))
shown('to cpu', lambda: x.to('cpu', non_blocking=True))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    batches = list(DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2, pin_memory=True))
    print(len(batches), batches[0][0].is_pinned(), [str(w.message) for w in caught])

# --- how exact products are
print(torch.backends.cuda.matmul.allow_tf32, torch.get_float32_matmul_precision())
torch.backends.cuda.matmul.allow_tf32 = True
print(torch.get_float32_matmul_precision(), torch.backends.cuda.matmul.fp32_precision)
torch.backends.cuda.matmul.allow_tf32 = False
print(torch.get_float32_matmul_precision(), torch.backends.cuda.matmul.fp32_precision)
torch.set_float32_matmul_precision('medium')
print(torch.backends.cuda.matmul.allow_tf32)
torch.set_float32_matmul_precision('highest')
print(torch.backends.cuda.matmul.allow_tf32)
shown('unknown setting', lambda: setattr(torch.backends.cuda.matmul, 'allow_x', 1))
cudnn.allow_tf32 = False
print(cudnn.allow_tf32, torch.backends.cudnn.allow_tf32)
cudnn.benchmark = True
print(torch.backends.cudnn.benchmark)
with cudnn.flags(enabled=True, benchmark=False, deterministic=True):
    print(cudnn.benchmark, cudnn.deterministic)
print(cudnn.benchmark, cudnn.deterministic, cudnn.enabled)
cudnn.benchmark = False

# --- the table of torch.cuda.memory_summary, of numbers that are given
names = ('allocation', 'segment', 'active', 'inactive_split', 'allocated_bytes', 'reserved_bytes', 'active_bytes',
         'inactive_split_bytes', 'requested_bytes')
stats = {}
for i, name in enumerate(names):
    for j, pool in enumerate(('all', 'small_pool', 'large_pool')):
        for k, part in enumerate(('current', 'peak', 'allocated', 'freed')):
            stats[f'{name}.{pool}.{part}'] = (1234567 * (i + 1) + 89 * j) * (10 ** k) // (j + 1)
for name in ('oversize_allocations', 'oversize_segments'):
    for part in ('current', 'peak', 'allocated', 'freed'):
        stats[f'{name}.{part}'] = 0
stats['num_ooms'] = 3
stats['num_alloc_retries'] = 12
torch.cuda.memory.memory_stats = lambda device=None: stats
print(torch.cuda.memory.memory_summary(0))
print(torch.cuda.memory.memory_summary(1, abbreviated=True))
