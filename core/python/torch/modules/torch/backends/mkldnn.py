# SPDX-License-Identifier: Apache-2.0
from contextlib import nullcontext

enabled = True
allow_tf32 = True
deterministic = False


def is_available():
    return True


def flags(enabled=True, deterministic=False, allow_tf32=True, fp32_precision='none'):
    return nullcontext()


def set_flags(*args, **kwargs):
    pass
