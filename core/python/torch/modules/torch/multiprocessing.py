# SPDX-License-Identifier: Apache-2.0
from multiprocessing import *
from multiprocessing import get_context


def set_sharing_strategy(new_strategy):
    pass


def get_sharing_strategy():
    return 'file_descriptor'


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method='spawn'):
    for rank in range(nprocs):
        fn(rank, *args)
