# SPDX-License-Identifier: Apache-2.0
from torch import load, save


def add_safe_globals(safe_globals):
    pass


def get_safe_globals():
    return []


def clear_safe_globals():
    pass


class safe_globals:
    def __init__(self, safe_globals):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        return False
