// SPDX-License-Identifier: Apache-2.0
// Short modules of Python's library, in Python: hashlib, uuid, queue, string, traceback and others.
#include <utility>

#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

constexpr std::string_view kHashlib = R"py(import _native

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
)py";

constexpr std::string_view kUuid = R"py(import _native
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
)py";

// There is one thread: waiting for another would be for ever.
constexpr std::string_view kQueue = R"py(from collections import deque
import heapq


class Empty(Exception):
    pass


class Full(Exception):
    pass


class Queue:
    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.queue = deque()
        self.unfinished_tasks = 0

    def qsize(self):
        return len(self.queue)

    def empty(self):
        return not self.queue

    def full(self):
        return 0 < self.maxsize <= self.qsize()

    def put(self, item, block=True, timeout=None):
        if self.full():
            if block and timeout is None:
                raise RuntimeError('a full queue is waited for by nobody: there is one thread here')
            raise Full
        self._put(item)
        self.unfinished_tasks += 1

    def get(self, block=True, timeout=None):
        if self.empty():
            if block and timeout is None:
                raise RuntimeError('an empty queue is filled by nobody: there is one thread here')
            raise Empty
        return self._get()

    def put_nowait(self, item):
        self.put(item, block=False)

    def get_nowait(self):
        return self.get(block=False)

    def task_done(self):
        if self.unfinished_tasks <= 0:
            raise ValueError('task_done() called too many times')
        self.unfinished_tasks -= 1

    def join(self):
        pass

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.popleft()


class LifoQueue(Queue):
    def _get(self):
        return self.queue.pop()


class PriorityQueue(Queue):
    def __init__(self, maxsize=0):
        super().__init__(maxsize)
        self.queue = []

    def _put(self, item):
        heapq.heappush(self.queue, item)

    def _get(self):
        return heapq.heappop(self.queue)


class SimpleQueue(Queue):
    pass
)py";

constexpr std::string_view kString = R"py(import re as _re

ascii_lowercase = 'abcdefghijklmnopqrstuvwxyz'
ascii_uppercase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
ascii_letters = ascii_lowercase + ascii_uppercase
digits = '0123456789'
hexdigits = digits + 'abcdef' + 'ABCDEF'
octdigits = '01234567'
punctuation = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
whitespace = ' \t\n\r\v\f'
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or ' ').join(word.capitalize() for word in s.split(sep))


class Template:
    delimiter = '$'

    def __init__(self, template):
        self.template = template

    def _filled(self, mapping, values, is_safe):
        known = dict(mapping or {})
        known.update(values)

        def replace(match):
            whole = match.group(0)
            name = match.group(1) or match.group(2)
            if whole == '$$':
                return '$'
            if name is None:
                if is_safe:
                    return whole
                line = self.template.count('\n', 0, match.start()) + 1
                raise ValueError('Invalid placeholder in string: line %d, col %d' % (line, match.start() - self.template.rfind('\n', 0, match.start())))
            if name in known:
                return str(known[name])
            if is_safe:
                return whole
            raise KeyError(name)
        return _re.sub(r'\$\$|\$([A-Za-z_][A-Za-z0-9_]*)|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$', replace, self.template)

    def substitute(self, mapping=None, /, **values):
        return self._filled(mapping, values, False)

    def safe_substitute(self, mapping=None, /, **values):
        return self._filled(mapping, values, True)


class Formatter:
    def format(self, format_string, /, *args, **kwargs):
        return format_string.format(*args, **kwargs)

    def vformat(self, format_string, args, kwargs):
        return format_string.format(*args, **kwargs)
)py";

constexpr std::string_view kTraceback = R"py(import sys
import _native


def format_exception_only(exc, value=None):
    value = exc if value is None else value
    text = str(value)
    cls = type(value)
    name = cls.__qualname__ if cls.__module__ in ('__main__', 'builtins') else cls.__module__ + '.' + cls.__qualname__
    return ['%s: %s\n' % (name, text) if text else name + '\n']


def format_exception(exc, value=None, tb=None, limit=None, chain=True):
    value = exc if value is None else value
    return [line + '\n' for line in _native.format_exception(value).rstrip('\n').split('\n')]


def format_exc(limit=None, chain=True):
    value = sys.exc_info()[1]
    return 'NoneType: None\n' if value is None else ''.join(format_exception(value))


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True):
    print(''.join(format_exception(exc, value)), end='', file=file or sys.stderr)


def print_exc(limit=None, file=None, chain=True):
    print(format_exc(), end='', file=file or sys.stderr)


def print_stack(f=None, limit=None, file=None):
    pass


def format_tb(tb, limit=None):
    return []


def extract_tb(tb, limit=None):
    return []


def print_tb(tb, limit=None, file=None):
    pass
)py";

constexpr std::string_view kTypingExtensions = R"py(from typing import *
from typing import Literal, Protocol, Final, runtime_checkable, Annotated, TypedDict, ClassVar, Type, get_type_hints, get_origin, get_args

TypeAlias = Any
Self = Any
LiteralString = str
Never = NoReturn


def override(method):
    method.__override__ = True
    return method


def deprecated(message, *, category=DeprecationWarning, stacklevel=1):
    return lambda value: value


def final(value):
    return value


def assert_never(value):
    raise AssertionError('Expected code to be unreachable, but got: ' + repr(value))


def assert_type(value, kind):
    return value


def reveal_type(value):
    return value


class _Wrapper:
    def __class_getitem__(cls, item):
        return item


class NotRequired(_Wrapper):
    pass


class Required(_Wrapper):
    pass


class Unpack(_Wrapper):
    pass


class ReadOnly(_Wrapper):
    pass


class ParamSpec:
    def __init__(self, name, **kwargs):
        self.__name__ = name
        self.args = self.kwargs = Any


class TypeVarTuple:
    def __init__(self, name, **kwargs):
        self.__name__ = name
)py";

constexpr std::string_view kPlatform = R"py(def system(): return 'Linux'
def machine(): return 'x86_64'
def processor(): return ''
def node(): return 'localhost'
def release(): return ''
def version(): return ''
def python_version(): return '3.11.0'
def python_implementation(): return 'CPython'
def platform(aliased=False, terse=False): return 'Linux-x86_64'
)py";

constexpr std::string_view kGc = R"py(def collect(generation=2): return 0
def enable(): pass
def disable(): pass
def isenabled(): return True
def get_objects(): return []
def freeze(): pass
)py";

}  // namespace

std::string_view standard_library_source(std::string_view module) {
    const std::pair<std::string_view, std::string_view> modules[] = {
        {"csv", csv_source()},
        {"hashlib", kHashlib},
        {"uuid", kUuid},
        {"queue", kQueue},
        {"statistics", statistics_source()},
        {"string", kString},
        {"traceback", kTraceback},
        {"typing_extensions", kTypingExtensions},
        {"tqdm", tqdm_source()},
        {"tqdm.auto", "from tqdm import tqdm, trange\n"},
        {"tqdm.notebook", "from tqdm import tqdm, trange\n"},
        {"tqdm.std", "from tqdm import tqdm, trange\n"},
        {"platform", kPlatform},
        {"gc", kGc},
        {"getpass", "def getuser(): return 'user'\n"},
        {"socket", "def gethostname(): return 'localhost'\n"},
        {"atexit", "def register(function, *args, **kwargs): return function\ndef unregister(function): pass\n"},
    };
    for (const auto& [name, text] : modules) {
        if (name == module) return text;
    }
    return {};
}

}  // namespace loupe::python
