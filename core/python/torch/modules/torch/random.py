# SPDX-License-Identifier: Apache-2.0
from contextlib import contextmanager

import torch
from torch import default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state


@contextmanager
def fork_rng(devices=None, enabled=True, _caller='fork_rng', _devices_kw='devices', device_type='cuda'):
    """Runs a part with draws of its own: the state of the generators is what it was afterwards."""
    if not enabled:
        yield
        return
    before = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(before)


def thread_safe_generator():
    return None
