# SPDX-License-Identifier: Apache-2.0
import _native
import hashlib
import time


class UUID:
    def __init__(self, hex=None, bytes=None, int=None, version=None):
        if hex is not None:
            hex = hex.replace('urn:', '').replace('uuid:', '').strip('{}').replace('-', '')
            if len(hex) != 32:
                raise ValueError('badly formed hexadecimal UUID string')
            int = _int(hex, 16)
        elif bytes is not None:
            if len(bytes) != 16:
                raise ValueError('bytes is not a 16-char string')
            int = _int.from_bytes(bytes, 'big')
        elif int is None:
            raise TypeError('one of the hex, bytes, bytes_le, fields, or int arguments must be given')
        if not 0 <= int < 1 << 128:
            raise ValueError('int is out of range (need a 128-bit value)')
        if version is not None:
            int = int & ~(0xc000 << 48) | 0x8000 << 48
            int = int & ~(0xf000 << 64) | version << 76
        self.int = int

    @property
    def hex(self):
        return '%032x' % self.int

    @property
    def bytes(self):
        return self.int.to_bytes(16, 'big')

    @property
    def version(self):
        return self.int >> 76 & 0xf if self.int >> 62 & 3 == 2 else None

    @property
    def urn(self):
        return 'urn:uuid:' + str(self)

    def __str__(self):
        h = self.hex
        return '%s-%s-%s-%s-%s' % (h[:8], h[8:12], h[12:16], h[16:20], h[20:])

    def __repr__(self):
        return 'UUID(%r)' % str(self)

    def __int__(self):
        return self.int

    def __eq__(self, other):
        return isinstance(other, UUID) and self.int == other.int

    def __lt__(self, other):
        return self.int < other.int

    def __hash__(self):
        return hash(self.int)


_int = int


def uuid4():
    return UUID(bytes=_native.urandom(16), version=4)


def uuid1(node=None, clock_seq=None):
    stamp = int(time.time() * 10000000) + 0x01b21dd213814000
    low, middle, high = stamp & 0xffffffff, stamp >> 32 & 0xffff, stamp >> 48 & 0x0fff
    rest = int.from_bytes(_native.urandom(8), 'big')
    return UUID(int=low << 96 | middle << 80 | high << 64 | rest, version=1)


def _named(function, namespace, name, version):
    return UUID(bytes=function(namespace.bytes + name.encode()).digest()[:16], version=version)


def uuid3(namespace, name): return _named(hashlib.md5, namespace, name, 3)
def uuid5(namespace, name): return _named(hashlib.sha1, namespace, name, 5)


NAMESPACE_DNS = UUID('6ba7b810-9dad-11d1-80b4-00c04fd430c8')
NAMESPACE_URL = UUID('6ba7b811-9dad-11d1-80b4-00c04fd430c8')
