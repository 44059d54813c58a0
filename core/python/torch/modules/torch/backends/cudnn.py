# SPDX-License-Identifier: Apache-2.0
from contextlib import contextmanager

deterministic = False
benchmark = False
benchmark_limit = 10
enabled = True
allow_tf32 = True


def is_available():
    return False


def is_acceptable(tensor):
    return False


def version():
    return None


@contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, fp32_precision='none'):
    yield
