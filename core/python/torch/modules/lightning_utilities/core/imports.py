# SPDX-License-Identifier: Apache-2.0
import importlib
import re
from _native import has_module
from packaging.version import Version

_OWN_VERSIONS = {'torch': '2.15.0', 'numpy': '1.26.0', 'torchvision': '0.20.0'}


def package_available(package_name):
    return has_module(package_name)


def module_available(module_path):
    return has_module(module_path)


def _version_of(package):
    if package in _OWN_VERSIONS:
        return Version(_OWN_VERSIONS[package])
    return Version(str(getattr(importlib.import_module(package), '__version__', '0')))


def compare_version(package, op, version, use_base_version=False):
    if not has_module(package):
        return False
    return op(_version_of(package), Version(version))


class RequirementCache:
    """Is a requirement met: "torch>=2.0" by its name and its versions."""

    def __init__(self, requirement=None, module=None):
        self.requirement = requirement
        self.module = module

    def _check(self):
        text = self.requirement or self.module
        name = re.split(r'[<>=!~ \[;]', text)[0]
        if not has_module((self.module or name).replace('-', '_')):
            return False
        for sign, version in re.findall(r'(>=|<=|==|!=|<|>)\s*([\w.]+)', text):
            own = _version_of(name.replace('-', '_'))
            wanted = Version(version)
            fits = {'>=': own >= wanted, '<=': own <= wanted, '==': own == wanted, '!=': own != wanted,
                    '<': own < wanted, '>': own > wanted}[sign]
            if not fits:
                return False
        return True

    def __bool__(self):
        return self._check()

    def __str__(self):
        return f"Requirement {self.requirement or self.module!r} {'met' if self else 'not met'}"

    __repr__ = __str__


ModuleAvailableCache = RequirementCache


def requires(*module_path_or_package, raise_exception=True):
    return lambda function: function
