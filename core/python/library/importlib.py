# SPDX-License-Identifier: Apache-2.0
from _native import find_module


def import_module(name, package=None):
    if name.startswith('.'):
        if not package:
            raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
        level = len(name) - len(name.lstrip('.'))
        parts = package.split('.')
        if level > len(parts):
            raise ImportError('attempted relative import beyond top-level package')
        base = '.'.join(parts[:len(parts) - level + 1])
        name = base + '.' + name[level:] if name[level:] else base
    found = find_module(name)
    if found is None:
        raise ModuleNotFoundError(f'No module named {name!r}')
    return found


def reload(module):
    return module


def invalidate_caches():
    pass
