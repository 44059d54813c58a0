# SPDX-License-Identifier: Apache-2.0
from importlib import import_module
import pathlib


def files(package):
    module = import_module(package) if isinstance(package, str) else package
    return pathlib.Path(module.__file__).parent


def open_text(package, resource, encoding='utf-8', errors='strict'):
    return open(str(files(package) / resource), encoding=encoding)


def read_text(package, resource, encoding='utf-8', errors='strict'):
    return (files(package) / resource).read_text()


def is_resource(package, name):
    return (files(package) / name).is_file()
