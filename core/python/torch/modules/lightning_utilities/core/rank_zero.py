# SPDX-License-Identifier: Apache-2.0
import warnings


def rank_zero_only(function, default=None):
    return function


def rank_zero_warn(message, stacklevel=4, category=UserWarning, **kwargs):
    warnings.warn(message, category)


def rank_zero_info(*args, **kwargs):
    pass


rank_zero_debug = rank_prefixed_message = rank_zero_info
