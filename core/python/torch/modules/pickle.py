# SPDX-License-Identifier: Apache-2.0
# Protocol 2 whatever is asked for; the bytes are those that Python reads.
import io as _io
import torch as _torch

HIGHEST_PROTOCOL = 5
DEFAULT_PROTOCOL = 4


class PickleError(Exception):
    pass


class PicklingError(PickleError):
    pass


class UnpicklingError(PickleError):
    pass


def dumps(obj, protocol=None, *, fix_imports=True, buffer_callback=None):
    return _torch._pickle_dumps(obj)


def loads(data, /, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=()):
    if not data:
        raise EOFError('Ran out of input')
    return _torch._pickle_loads(data)[0]


def dump(obj, file, protocol=None, *, fix_imports=True, buffer_callback=None):
    file.write(dumps(obj))


def load(file, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=()):
    data = file.read()
    if not data:
        raise EOFError('Ran out of input')
    value, size = _torch._pickle_loads(data)
    file.seek(file.tell() - len(data) + size)
    return value


class Unpickler:
    def __init__(self, file, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=()):
        self._file = file

    def load(self):
        return load(self._file)


class Pickler:
    def __init__(self, file, protocol=None, *, fix_imports=True, buffer_callback=None):
        self._file = file

    def dump(self, obj):
        dump(obj, self._file)
