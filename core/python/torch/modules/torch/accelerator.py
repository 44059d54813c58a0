# SPDX-License-Identifier: Apache-2.0
# The device that computes, besides the CPU.
import _device_graphs
import _devices
import torch
from torch import _streams


def is_available():
    return torch.cuda.is_available()


def device_count():
    return torch.cuda.device_count()


def current_accelerator(check_available=False):
    return torch.device('cuda') if is_available() or not check_available and torch.cuda.device_count() > 0 else None


def current_device_index():
    return torch.cuda.current_device()


current_device_idx = current_device_index


def set_device_index(device):
    torch.cuda.set_device(device)


set_device_idx = set_device_index


def synchronize(device=None):
    torch.cuda.synchronize(device)


def current_stream(device=None):
    return torch.cuda.current_stream(device)


def set_stream(stream):
    torch.cuda.set_stream(stream)


def memory_stats(device_index=None):
    return torch.cuda.memory_stats(device_index)


def empty_cache():
    torch.cuda.empty_cache()


def memory_allocated(device_index=None):
    return torch.cuda.memory_allocated(device_index)


def max_memory_allocated(device_index=None):
    return torch.cuda.max_memory_allocated(device_index)


def memory_reserved(device_index=None):
    return torch.cuda.memory_reserved(device_index)


def max_memory_reserved(device_index=None):
    return torch.cuda.max_memory_reserved(device_index)


def reset_peak_memory_stats(device_index=None):
    if is_available():
        torch.cuda.reset_peak_memory_stats(device_index)


class Graph:
    # Work of the current device's stream, captured and given again: of any device that can.
    def __init__(self, keep_graph=False, *, pool=None, capture_error_mode='default'):
        if not _device_graphs.is_supported(self._device()):
            raise RuntimeError(f'Graph is not supported on device type: {self._device().type}')
        self._graph = _device_graphs.Graph(keep_graph)
        self.graph_pool = pool
        self.capture_error_mode = capture_error_mode

    @staticmethod
    def _device():
        return _streams.entered_device() or torch.device(_device_graphs.accelerator() or 'cuda')

    def capture_begin(self):
        mode = 'global' if self.capture_error_mode == 'default' else self.capture_error_mode
        if mode not in ('global', 'thread_local', 'relaxed'):
            raise RuntimeError('Unknown capture error mode. Expected `default`, `global`, `thread_local`, or `relaxed`, got '
                               + mode)
        self._graph.begin(self._device(), self.graph_pool, mode)

    def capture_end(self):
        self._graph.end()

    def instantiate(self):
        self._graph.instantiate()

    def replay(self):
        self._graph.replay()

    def reset(self):
        self._graph.reset()

    def pool(self):
        return self._graph.pool()

    def enable_debug_mode(self):
        self._graph.enable_debug()

    def debug_dump(self, path):
        text = self._graph.dot()
        if text:
            with open(path, 'w') as file:
                file.write(text)

    def __enter__(self):
        device = self._device()
        _devices.synchronize(device)
        _devices.trim(device)
        self.capture_begin()

    def __exit__(self, *exc):
        self.capture_end()
