// SPDX-License-Identifier: Apache-2.0
// csv, hashlib, queue, uuid, datetime, statistics, string, traceback and other modules of Python's library, in Python.
#include <utility>

#include "core/python/standard_modules.h"

namespace loupe::python {
namespace {

constexpr std::string_view kCsv = R"py(QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = range(4)


class Error(Exception):
    pass


class Dialect:
    delimiter = ','
    quotechar = '"'
    doublequote = True
    skipinitialspace = False
    lineterminator = '\r\n'
    quoting = QUOTE_MINIMAL
    escapechar = None
    strict = False


class excel(Dialect):
    pass


class excel_tab(excel):
    delimiter = '\t'


class unix_dialect(Dialect):
    lineterminator = '\n'
    quoting = QUOTE_ALL


_dialects = {'excel': excel, 'excel-tab': excel_tab, 'unix': unix_dialect}


def list_dialects():
    return list(_dialects)


def get_dialect(name):
    if name not in _dialects:
        raise Error('unknown dialect')
    return _dialects[name]


def _dialect(dialect, options):
    base = get_dialect(dialect) if isinstance(dialect, str) else dialect
    made = Dialect()
    for name in ('delimiter', 'quotechar', 'doublequote', 'skipinitialspace', 'lineterminator', 'quoting', 'escapechar', 'strict'):
        setattr(made, name, options.pop(name) if name in options else getattr(base, name, getattr(Dialect, name)))
    if options:
        raise TypeError("'%s' is an invalid keyword argument for this function" % next(iter(options)))
    if not isinstance(made.delimiter, str) or len(made.delimiter) != 1:
        raise TypeError('"delimiter" must be a 1-character string')
    return made


class _Reader:
    def __init__(self, lines, dialect):
        self._lines = iter(lines)
        self.dialect = dialect
        self.line_num = 0

    def __iter__(self):
        return self

    def _value(self, text, was_quoted):
        return float(text) if self.dialect.quoting == QUOTE_NONNUMERIC and not was_quoted else text

    def __next__(self):
        d = self.dialect
        line = next(self._lines)
        self.line_num += 1
        if (d.quotechar is None or d.quotechar not in line) and d.escapechar is None:
            line = line.rstrip('\r\n')
            if not line:
                return []
            parts = line.split(d.delimiter)
            if d.skipinitialspace:
                parts = [part.lstrip(' ') for part in parts]
            return [self._value(part, False) for part in parts]
        row, text, is_quoted, was_quoted, starts = [], [], False, False, True
        while True:
            i = 0
            while i < len(line):
                c = line[i]
                if c == d.escapechar and c is not None and i + 1 < len(line):
                    i += 1
                    text.append(line[i])
                    starts = False
                elif is_quoted:
                    if c == d.quotechar:
                        if d.doublequote and line[i + 1:i + 2] == d.quotechar:
                            text.append(c)
                            i += 1
                        else:
                            is_quoted = False
                    else:
                        text.append(c)
                elif c == d.quotechar and starts and d.quoting != QUOTE_NONE:
                    is_quoted = was_quoted = True
                    starts = False
                elif c == d.delimiter:
                    row.append(self._value(''.join(text), was_quoted))
                    text, was_quoted, starts = [], False, True
                elif c == '\n' or c == '\r':
                    pass
                elif c == ' ' and d.skipinitialspace and starts:
                    pass
                else:
                    text.append(c)
                    starts = False
                i += 1
            if not is_quoted:
                row.append(self._value(''.join(text), was_quoted))
                return row
            try:
                line = next(self._lines)
            except StopIteration:
                row.append(''.join(text))
                return row
            self.line_num += 1


def reader(csvfile, dialect='excel', **options):
    return _Reader(csvfile, _dialect(dialect, options))


class _Writer:
    def __init__(self, file, dialect):
        self._file = file
        self.dialect = dialect

    def _field(self, value, is_only):
        d = self.dialect
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        text = '' if value is None else repr(value) if isinstance(value, float) else str(value)
        special = any(c in text for c in (d.delimiter, d.quotechar or '', '\n', '\r') if c) or (is_only and not text) or (text[:1] == ' ' and d.skipinitialspace)
        if d.quoting == QUOTE_NONE:
            if special and d.escapechar is None:
                raise Error('need to escape, but no escapechar set')
            return ''.join(d.escapechar + c if c in (d.delimiter, d.escapechar) else c for c in text) if d.escapechar else text
        if d.quoting == QUOTE_ALL or (d.quoting == QUOTE_NONNUMERIC and not is_number) or special:
            return d.quotechar + text.replace(d.quotechar, d.quotechar * 2) + d.quotechar
        return text

    def writerow(self, row):
        row = list(row)
        return self._file.write(self.dialect.delimiter.join(self._field(value, len(row) == 1) for value in row) + self.dialect.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


def writer(csvfile, dialect='excel', **options):
    return _Writer(csvfile, _dialect(dialect, options))


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect='excel', *args, **options):
        self._fieldnames = fieldnames
        self.restkey = restkey
        self.restval = restval
        self.reader = reader(f, dialect, **options)

    @property
    def line_num(self):
        return self.reader.line_num

    @property
    def fieldnames(self):
        if self._fieldnames is None:
            try:
                self._fieldnames = next(self.reader)
            except StopIteration:
                pass
        return self._fieldnames

    def __iter__(self):
        return self

    def __next__(self):
        names = self.fieldnames
        row = next(self.reader)
        while row == []:
            row = next(self.reader)
        out = dict(zip(names, row))
        if len(names) < len(row):
            out[self.restkey] = row[len(names):]
        for name in names[len(row):]:
            out[name] = self.restval
        return out


class DictWriter:
    def __init__(self, f, fieldnames, restval='', extrasaction='raise', dialect='excel', *args, **options):
        self.fieldnames = fieldnames
        self.restval = restval
        self.extrasaction = extrasaction
        self.writer = writer(f, dialect, **options)

    def writeheader(self):
        return self.writer.writerow(self.fieldnames)

    def writerow(self, row):
        if self.extrasaction == 'raise':
            wrong = [name for name in row if name not in self.fieldnames]
            if wrong:
                raise ValueError('dict contains fields not in fieldnames: ' + ', '.join([repr(x) for x in wrong]))
        return self.writer.writerow([row.get(name, self.restval) for name in self.fieldnames])

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)
)py";

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

constexpr std::string_view kStatistics = R"py(import math
from collections import Counter


class StatisticsError(ValueError):
    pass


def _values(data, name, least=1):
    data = list(data)
    if len(data) < least:
        raise StatisticsError(name)
    return data


def _shaped(value, data):
    if all(isinstance(x, int) for x in data) and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


# Sums of fractions lose nothing: two integers each.
def _fraction(x):
    if isinstance(x, int):
        return int(x), 1
    mantissa, exponent = math.frexp(x)
    mantissa, exponent = int(mantissa * 2**53), exponent - 53
    return (mantissa << exponent, 1) if exponent >= 0 else (mantissa, 1 << -exponent)


def _sum(fractions):
    top, bottom = 0, 1
    for n, d in fractions:
        if d == bottom:
            top += n
        else:
            top, bottom = top * d + n * bottom, bottom * d
            common = math.gcd(top, bottom)
            top, bottom = top // common, bottom // common
    return top, bottom


def _usable(data):
    return all(isinstance(x, int) or (isinstance(x, float) and math.isfinite(x)) for x in data)


def mean(data):
    data = _values(data, 'mean requires at least one data point')
    if not _usable(data):
        return sum(data) / len(data)
    top, bottom = _sum(_fraction(x) for x in data)
    return _shaped(top / (bottom * len(data)), data)


def fmean(data, weights=None):
    data = _values(data, 'fmean requires at least one data point')
    if weights is None:
        return math.fsum(data) / len(data)
    weights = list(weights)
    return math.fsum(x * w for x, w in zip(data, weights)) / math.fsum(weights)


def geometric_mean(data):
    data = _values(data, 'geometric mean requires a non-empty dataset containing positive numbers')
    return math.exp(fmean(map(math.log, data)))


def harmonic_mean(data, weights=None):
    data = _values(data, 'harmonic_mean requires at least one data point')
    if any(x < 0 for x in data):
        raise StatisticsError('harmonic mean does not support negative values')
    if any(x == 0 for x in data):
        return 0
    top, bottom = _sum((d, n) for n, d in map(_fraction, data))
    return _shaped(len(data) * bottom / top, [0.5])


def median(data):
    data = sorted(_values(data, 'no median for empty data'))
    n = len(data)
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = sorted(_values(data, 'no median for empty data'))
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = sorted(_values(data, 'no median for empty data'))
    return data[len(data) // 2]


def mode(data):
    data = _values(data, 'no mode for empty data')
    return Counter(data).most_common(1)[0][0]


def multimode(data):
    counts = Counter(data)
    most = max(counts.values(), default=0)
    return [value for value, count in counts.items() if count == most]


def quantiles(data, *, n=4, method='exclusive'):
    data = sorted(_values(data, 'must have at least two data points', 2))
    ends = len(data) - 1 if method == 'inclusive' else len(data) + 1
    out = []
    for i in range(1, n):
        j, delta = divmod(i * ends, n)
        if method == 'inclusive':
            out.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        else:
            j = min(max(i * ends // n, 1), len(data) - 1)
            delta = i * ends - j * n
            out.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
    return out


def _squares(data, center):
    return math.fsum((x - center) ** 2 for x in data)


# The sum of squares around the mean times how many there are.
def _spread(data):
    fractions = [_fraction(x) for x in data]
    top, bottom = _sum(fractions)
    square_top, square_bottom = _sum((n * n, d * d) for n, d in fractions)
    count = len(data)
    return _sum([(count * square_top, square_bottom), (-top * top, bottom * bottom)])


def pvariance(data, mu=None):
    data = _values(data, 'pvariance requires at least one data point')
    if mu is not None or not _usable(data):
        return _shaped(_squares(data, fmean(data) if mu is None else mu) / len(data), data)
    top, bottom = _spread(data)
    return _shaped(top / (bottom * len(data) * len(data)), data)


def variance(data, xbar=None):
    data = _values(data, 'variance requires at least two data points', 2)
    if xbar is not None or not _usable(data):
        return _shaped(_squares(data, fmean(data) if xbar is None else xbar) / (len(data) - 1), data)
    top, bottom = _spread(data)
    return _shaped(top / (bottom * len(data) * (len(data) - 1)), data)


def stdev(data, xbar=None):
    data = _values(data, 'stdev requires at least two data points', 2)
    return math.sqrt(variance(data, xbar))


def pstdev(data, mu=None):
    data = _values(data, 'pstdev requires at least one data point')
    return math.sqrt(pvariance(data, mu))


def covariance(x, y):
    x, y = list(x), list(y)
    if len(x) != len(y):
        raise StatisticsError('covariance requires that both inputs have same number of data points')
    mx, my = fmean(x), fmean(y)
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / (len(x) - 1)


def correlation(x, y):
    x, y = list(x), list(y)
    mx, my = fmean(x), fmean(y)
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / math.sqrt(_squares(x, mx) * _squares(y, my))
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

// Output that is no terminal gets no bar; what a program reads of one is there.
constexpr std::string_view kTqdm = R"py(class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, leave=True, file=None, ncols=None, mininterval=0.1, maxinterval=10.0, miniters=None,
                 ascii=None, disable=False, unit='it', unit_scale=False, dynamic_ncols=False, smoothing=0.3, bar_format=None, initial=0,
                 position=None, postfix=None, unit_divisor=1000, **kwargs):
        if total is None and iterable is not None:
            try:
                total = len(iterable)
            except (TypeError, AttributeError):
                total = None
        self.iterable = iterable
        self.desc = desc + ': ' if desc else ''
        self.total = total
        self.leave = leave
        self.disable = bool(disable)
        self.unit = unit
        self.n = self.initial = initial
        self.postfix = None
        self.pos = position or 0
        self.format_dict = {'n': initial, 'total': total, 'elapsed': 0.0}
        if isinstance(postfix, dict):
            self.set_postfix(postfix)

    def __iter__(self):
        for value in self.iterable:
            yield value
            if not self.disable:
                self.n += 1

    def __len__(self):
        return self.total if self.iterable is None else len(self.iterable)

    def __bool__(self):
        return self.total > 0 if self.total is not None else bool(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def update(self, n=1):
        if not self.disable:
            self.n += n

    def set_description(self, desc=None, refresh=True):
        self.desc = desc + ': ' if desc else ''

    def set_description_str(self, desc=None, refresh=True):
        self.desc = desc or ''

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        values = dict(ordered_dict or {})
        for name in sorted(kwargs):
            values[name] = kwargs[name]
        texts = []
        for name, value in values.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                text = '%.3g' % value
                value = text if len(text) < len(str(value)) else str(value)
            elif not isinstance(value, str):
                value = str(value)
            texts.append(name + '=' + value.strip())
        self.postfix = ', '.join(texts)

    def set_postfix_str(self, s='', refresh=True):
        self.postfix = str(s)

    def refresh(self, *args, **kwargs):
        return True

    def reset(self, total=None):
        self.n = 0
        if total is not None:
            self.total = total

    def clear(self, *args, **kwargs):
        pass

    def close(self):
        self.disable = True

    def display(self, *args, **kwargs):
        pass

    def unpause(self):
        pass

    @classmethod
    def write(cls, s, file=None, end='\n', nolock=False):
        print(s, end=end, file=file) if file is not None else print(s, end=end)


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)


def tqdm_notebook(*args, **kwargs):
    return tqdm(*args, **kwargs)
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
    constexpr std::pair<std::string_view, std::string_view> kModules[] = {
        {"csv", kCsv},
        {"hashlib", kHashlib},
        {"uuid", kUuid},
        {"queue", kQueue},
        {"statistics", kStatistics},
        {"string", kString},
        {"traceback", kTraceback},
        {"typing_extensions", kTypingExtensions},
        {"tqdm", kTqdm},
        {"tqdm.auto", "from tqdm import tqdm, trange\n"},
        {"tqdm.notebook", "from tqdm import tqdm, trange\n"},
        {"tqdm.std", "from tqdm import tqdm, trange\n"},
        {"platform", kPlatform},
        {"gc", kGc},
        {"getpass", "def getuser(): return 'user'\n"},
        {"socket", "def gethostname(): return 'localhost'\n"},
        {"atexit", "def register(function, *args, **kwargs): return function\ndef unregister(function): pass\n"},
    };
    for (const auto& [name, text] : kModules) {
        if (name == module) return text;
    }
    return {};
}

}  // namespace loupe::python
