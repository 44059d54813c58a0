# SPDX-License-Identifier: Apache-2.0
# Nothing is loaded but by import: finders find nothing.
from importlib.util import ModuleSpec

EXTENSION_SUFFIXES = ['.so']
SOURCE_SUFFIXES = ['.py']
BYTECODE_SUFFIXES = ['.pyc']


class SourceFileLoader:
    def __init__(self, fullname, path):
        self.name = fullname
        self.path = path


ExtensionFileLoader = SourcelessFileLoader = SourceFileLoader


class FileFinder:
    def __init__(self, path, *loader_details):
        self.path = path

    def find_spec(self, fullname, target=None):
        return None


class PathFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return None
