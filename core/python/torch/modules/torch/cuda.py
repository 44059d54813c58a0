# SPDX-License-Identifier: Apache-2.0
# torch.cuda: what the devices of the plugin for NVIDIA GPUs answer, and PyTorch's errors where there is none.
import collections
import sys
import warnings

import _devices
import torch
from _torch_cuda import (_initialized, current_device, device_count, empty_cache, get_device_capability, get_device_name,
                         get_device_properties, init, ipc_collect, is_available, is_bf16_supported, is_initialized,
                         manual_seed, manual_seed_all, max_memory_allocated, max_memory_reserved, memory_allocated,
                         memory_reserved, seed, seed_all, set_device, synchronize)
from torch import _streams
from torch.cuda import amp
from torch.cuda import graphs
from torch.cuda.graphs import CUDAGraph, graph, graph_pool_handle, is_current_stream_capturing, make_graphed_callables


def _index(device):
    # As a number; the current device where none is named.
    if device is None:
        return current_device()
    if isinstance(device, int):
        return device
    given = torch.device(device)
    if given.type != 'cuda':
        raise ValueError(f'Expected a cuda device, but got: {given}')
    return given.index or 0


def _named(device):
    return torch.device('cuda', _index(device))


# --- streams and events

class Stream(_streams.Stream):
    def __init__(self, device=None, priority=0, **kwargs):
        super().__init__(_named(device), priority=priority, **kwargs)

    @property
    def cuda_stream(self):
        return self.native_handle

    def _event(self):
        return Event()

    def __repr__(self):
        return f'<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>'


class Event(_streams.Event):
    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        super().__init__('cuda', enable_timing=enable_timing)

    def __repr__(self):
        return '<torch.cuda.Event uninitialized>' if self._mark is None else '<torch.cuda.Event>'


def current_stream(device=None):
    named = _named(device)
    _devices.require(named)
    return Stream(named, stream_id=_devices.current_stream(named))


def default_stream(device=None):
    named = _named(device)
    _devices.require(named)
    return Stream(named, stream_id=0)


def set_stream(stream):
    if stream is not None:
        _devices.use_stream(stream.device, stream.stream_id)


class StreamContext:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, kind, value, traceback):
        if self.stream is not None:
            self.stream.__exit__(kind, value, traceback)


def stream(stream):
    return StreamContext(stream)


class device:
    # Work is given to the device that holds the tensors: there is nothing to change but what is refused.
    def __init__(self, device):
        self.idx = _index(device) if device is not None else -1

    def __enter__(self):
        if self.idx >= 0:
            set_device(self.idx)

    def __exit__(self, kind, value, traceback):
        return False


class device_of(device):
    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.is_cuda else None)


# --- memory

_UNCOUNTED = ('oversize_allocations', 'oversize_segments')


def memory_stats(device=None):
    if not is_available():
        return collections.OrderedDict()
    stats = dict(_devices.memory_statistics(_named(device)))
    for name in _UNCOUNTED:
        for part in ('current', 'peak', 'allocated', 'freed'):
            stats[f'{name}.{part}'] = 0
    stats['max_split_size'] = -1
    return collections.OrderedDict(sorted(stats.items()))


def mem_get_info(device=None):
    return _devices.memory_room(_named(device))


def memory_snapshot(mempool_id=None):
    # mempool_id: of that pool of graphs alone.
    segments = [] if not is_available() else _devices.memory_segments(_named(None))
    return [s for s in segments if mempool_id is None or s['segment_pool_id'] == tuple(mempool_id)]


def reset_peak_memory_stats(device=None):
    if not is_available():
        raise RuntimeError('invalid argument to reset_peak_memory_stats')
    _devices.reset_peak(_named(device))


def reset_max_memory_allocated(device=None):
    warnings.warn('torch.cuda.reset_max_memory_allocated now calls torch.cuda.reset_peak_memory_stats, which resets '
                  '/all/ peak memory stats.', FutureWarning)
    reset_peak_memory_stats(device)


reset_max_memory_cached = reset_max_memory_allocated


def memory_cached(device=None):
    warnings.warn('`torch.cuda.memory_cached` has been renamed to `torch.cuda.memory_reserved`', FutureWarning)
    return memory_reserved(device)


def max_memory_cached(device=None):
    warnings.warn('`torch.cuda.max_memory_cached` has been renamed to `torch.cuda.max_memory_reserved`', FutureWarning)
    return max_memory_reserved(device)


def _size(value, of):
    # In the unit in which `of` has at most six digits.
    for unit in ('B  ', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'):
        if of < 768 * 1024 or unit == 'PiB':
            return f'{value:6d} {unit}'
        value //= 1024
        of /= 1024


def _count(value, of):
    for unit in (' ', 'K', 'M'):
        if of < 750 * 1000 or unit == 'M':
            return f'{value:7d} {unit} '
        value //= 1000
        of /= 1000


_ROWS = (
    ('allocated_bytes', 'Allocated memory', _size),
    ('active_bytes', 'Active memory', _size),
    ('requested_bytes', 'Requested memory', _size),
    ('reserved_bytes', 'GPU reserved memory', _size),
    ('inactive_split_bytes', 'Non-releasable memory', _size),
    ('allocation', 'Allocations', _count),
    ('active', 'Active allocs', _count),
    ('segment', 'GPU reserved segments', _count),
    ('inactive_split', 'Non-releasable allocs', _count),
)


def memory_summary(device=None, abbreviated=False):
    # The table that PyTorch prints, line for line.
    index = _index(device) if device is not None or is_available() else 0
    stats = memory_stats(index)
    parts = ('current', 'peak', 'allocated', 'freed')
    lines = ['=' * 75, f'{"":18}PyTorch CUDA memory summary, device ID {index:<17d} ', '-' * 75]

    def row(name, prefix, shown, of):
        cells = [shown(stats[prefix + part], stats[of + part]) for part in parts]
        lines.append(f' {name:<21} | ' + ' | '.join(cells) + ' ')

    if 'allocated_bytes.all.current' not in stats:
        raise KeyError('allocated_bytes.all.current')
    lines.append(f'{"":12}CUDA OOMs: {stats["num_ooms"]:<12d} | {"":6} cudaMalloc retries: '
                 f'{stats["num_alloc_retries"]:<8d}  ')
    lines += ['=' * 75, '        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ']
    for key, name, shown in _ROWS:
        lines.append('-' * 75)
        row(name, key + '.all.', shown, key + '.all.')
        if not abbreviated:
            row('      from large pool', key + '.large_pool.', shown, key + '.all.')
            row('      from small pool', key + '.small_pool.', shown, key + '.all.')
    for key, name in zip(_UNCOUNTED, ('Oversize allocations', 'Oversize GPU segments')):
        lines.append('-' * 75)
        row(name, key + '.', _count, key + '.')
    lines.append('=' * 75)
    return '|' + '|\n|'.join(lines) + '|\n'


OutOfMemoryError = torch.OutOfMemoryError

# torch.cuda.memory and torch.cuda.streams name parts of it.
memory = streams = sys.modules[__name__]
