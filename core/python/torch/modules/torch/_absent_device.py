# SPDX-License-Identifier: Apache-2.0
# What torch.hpu, torch.mps, torch.mtia and torch.xpu have in common: none of them is here.


def is_available():
    return False


def device_count():
    return 0


def manual_seed(seed):
    pass


manual_seed_all = manual_seed


def synchronize(device=None):
    pass


def empty_cache():
    pass
