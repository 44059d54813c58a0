# SPDX-License-Identifier: Apache-2.0
# The device that computes, besides the CPU.
import torch


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
