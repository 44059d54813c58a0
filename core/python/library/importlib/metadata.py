# SPDX-License-Identifier: Apache-2.0
class PackageNotFoundError(ModuleNotFoundError):
    def __str__(self):
        return f'No package metadata was found for {self.args[0]}'


def version(distribution_name):
    from importlib import import_module
    try:
        return import_module(distribution_name.replace('-', '_')).__version__
    except (ImportError, AttributeError):
        raise PackageNotFoundError(distribution_name) from None


def distributions():
    return []


def entry_points(**params):
    return []


def packages_distributions():
    return {}
