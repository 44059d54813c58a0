# SPDX-License-Identifier: Apache-2.0
from _native import has_module


class ModuleSpec:
    def __init__(self, name):
        self.name = name
        self.loader = None
        self.origin = None
        self.submodule_search_locations = None

    def __repr__(self):
        return f'ModuleSpec(name={self.name!r})'


def find_spec(name, package=None):
    if name.startswith('.'):
        name = (package or '') + name
    return ModuleSpec(name) if has_module(name) else None


def module_from_spec(spec):
    from importlib import import_module
    return import_module(spec.name)
