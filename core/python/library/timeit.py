# SPDX-License-Identifier: Apache-2.0
from time import perf_counter as default_timer


def timeit(stmt, setup=None, number=1000000):
    begin = default_timer()
    for _ in range(number):
        stmt()
    return default_timer() - begin
