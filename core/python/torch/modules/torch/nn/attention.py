# SPDX-License-Identifier: Apache-2.0
# Which kernel computes an attention. There is one here, whatever is asked for.
from contextlib import contextmanager
from enum import Enum


class SDPBackend(Enum):
    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    for backend in (backends if isinstance(backends, (list, tuple)) else [backends]):
        assert isinstance(backend, SDPBackend), "Backend must be an instance of SDPBackend or a list of SDPBackend instances"
    yield {}
