# SPDX-License-Identifier: Apache-2.0
# torch.backends.cudnn: an object in the module's place, since its names are settings.
import sys
from contextlib import contextmanager

import _devices
import torch


class _Convolutions:
    @property
    def fp32_precision(self):
        return 'tf32' if _devices.convolutions_in_tf32() else 'none'

    @fp32_precision.setter
    def fp32_precision(self, value):
        _devices.set_convolutions_in_tf32(value == 'tf32')


class _Settings:
    enabled = True
    deterministic = False
    benchmark_limit = 10
    conv = rnn = _Convolutions()

    @property
    def benchmark(self):
        return _devices.tries_algorithms()

    @benchmark.setter
    def benchmark(self, value):
        _devices.set_tries_algorithms(bool(value))

    @property
    def allow_tf32(self):
        return _devices.convolutions_in_tf32()

    @allow_tf32.setter
    def allow_tf32(self, value):
        _devices.set_convolutions_in_tf32(bool(value))

    @property
    def fp32_precision(self):
        return self.conv.fp32_precision

    @fp32_precision.setter
    def fp32_precision(self, value):
        self.conv.fp32_precision = value

    def is_available(self):
        return torch.cuda.is_available()

    def is_acceptable(self, tensor):
        return self.enabled and tensor.is_cuda and tensor.dtype in (torch.half, torch.float, torch.double)

    def version(self):
        return None

    def set_flags(self, _enabled=None, _benchmark=None, _benchmark_limit=None, _deterministic=None, _allow_tf32=None,
                  _fp32_precision='none'):
        before = (self.enabled, self.benchmark, self.benchmark_limit, self.deterministic, self.allow_tf32, 'none')
        if _enabled is not None:
            self.enabled = _enabled
        if _benchmark is not None:
            self.benchmark = _benchmark
        if _benchmark_limit is not None:
            self.benchmark_limit = _benchmark_limit
        if _deterministic is not None:
            self.deterministic = _deterministic
        if _allow_tf32 is not None:
            self.allow_tf32 = _allow_tf32
        return before

    @contextmanager
    def flags(self, enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True,
              fp32_precision='none'):
        before = self.set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32, fp32_precision)
        try:
            yield
        finally:
            self.set_flags(*before)


sys.modules[__name__] = _Settings()
