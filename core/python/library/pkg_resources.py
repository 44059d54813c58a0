# SPDX-License-Identifier: Apache-2.0
from importlib.metadata import PackageNotFoundError as DistributionNotFound
from importlib.metadata import version as _version
from importlib.resources import files as _files
from packaging.version import parse as parse_version


class _Distribution:
    def __init__(self, name):
        self.project_name = name
        self.version = _version(name)


def get_distribution(name):
    return _Distribution(name)


def require(*names):
    return [_Distribution(name) for name in names]


def resource_filename(package, name):
    return str(_files(package) / name)


def resource_stream(package, name):
    return open(resource_filename(package, name), 'rb')


def resource_string(package, name):
    with resource_stream(package, name) as file:
        return file.read()


def resource_exists(package, name):
    return (_files(package) / name).exists()
