# SPDX-License-Identifier: Apache-2.0
import _native

algorithms_available = algorithms_guaranteed = {'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'}
_sizes = {'md5': (16, 64), 'sha1': (20, 64), 'sha224': (28, 64), 'sha256': (32, 64), 'sha384': (48, 128), 'sha512': (64, 128)}


class _Hash:
    def __init__(self, name, data=b''):
        if name not in _sizes:
            raise ValueError('unsupported hash type ' + name)
        self.name = name
        self.digest_size, self.block_size = _sizes[name]
        self._parts = []
        self.update(data)

    def update(self, data):
        if isinstance(data, str):
            raise TypeError('Strings must be encoded before hashing')
        self._parts.append(bytes(data))

    def digest(self):
        self._parts = [b''.join(self._parts)]
        return _native.digest(self.name, self._parts[0])

    def hexdigest(self):
        return self.digest().hex()

    def copy(self):
        made = _Hash(self.name)
        made._parts = list(self._parts)
        return made


def new(name, data=b'', *, usedforsecurity=True):
    return _Hash(name, data)


def md5(string=b'', *, usedforsecurity=True): return _Hash('md5', string)
def sha1(string=b'', *, usedforsecurity=True): return _Hash('sha1', string)
def sha224(string=b'', *, usedforsecurity=True): return _Hash('sha224', string)
def sha256(string=b'', *, usedforsecurity=True): return _Hash('sha256', string)
def sha384(string=b'', *, usedforsecurity=True): return _Hash('sha384', string)
def sha512(string=b'', *, usedforsecurity=True): return _Hash('sha512', string)
