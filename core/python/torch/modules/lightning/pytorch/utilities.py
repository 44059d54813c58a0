# SPDX-License-Identifier: Apache-2.0
from lightning.pytorch.utilities.parsing import AttributeDict


def rank_zero_only(function):
    return function


def rank_zero_info(*args, **kwargs):
    pass


rank_zero_warn = rank_zero_info
