// SPDX-License-Identifier: Apache-2.0
// json, logging, textwrap, pprint, heapq, bisect, pickle and datetime, in Python.
#include "core/python/standard_modules.h"

namespace loupe::python {
namespace {

constexpr std::string_view kJson = R"py(class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count('\n', 0, pos) + 1
        self.colno = pos - doc.rfind('\n', 0, pos)
        super().__init__('%s: line %d column %d (char %d)' % (msg, self.lineno, self.colno, pos))


_escapes = {'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
_words = {'null': None, 'true': True, 'false': False, 'NaN': float('nan'), 'Infinity': float('inf'), '-Infinity': float('-inf')}


class _Reader:
    def __init__(self, text, object_hook=None, object_pairs_hook=None):
        self.text = text
        self.at = 0
        self.object_hook = object_hook
        self.object_pairs_hook = object_pairs_hook

    def fail(self, message, at=None):
        raise JSONDecodeError(message, self.text, self.at if at is None else at)

    def space(self):
        text, at = self.text, self.at
        while text[at:at + 1] in (' ', '\t', '\n', '\r') and at < len(text):
            at += 1
        self.at = at
        return text[at:at + 1]

    def value(self):
        c = self.space()
        if c == '{':
            return self.object()
        if c == '[':
            return self.array()
        if c == '"':
            return self.string()
        for word in _words:
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return _words[word]
        return self.number()

    def number(self):
        text, start = self.text, self.at
        at = start + 1 if text[start:start + 1] == '-' else start
        digits = at
        while '0' <= text[at:at + 1] <= '9':
            at += 1
        if at == digits:
            self.fail('Expecting value', start)
        if text[digits] == '0':
            at = digits + 1
        whole = at
        if text[at:at + 1] == '.' and '0' <= text[at + 1:at + 2] <= '9':
            at += 1
            while '0' <= text[at:at + 1] <= '9':
                at += 1
        if text[at:at + 1] in ('e', 'E'):
            sign = at + 2 if text[at + 1:at + 2] in ('+', '-') else at + 1
            if '0' <= text[sign:sign + 1] <= '9':
                at = sign
                while '0' <= text[at:at + 1] <= '9':
                    at += 1
        self.at = at
        return int(text[start:at]) if at == whole else float(text[start:at])

    def string(self):
        text, begin = self.text, self.at
        at = begin + 1
        parts = []
        while True:
            end = at
            while end < len(text) and text[end] != '"' and text[end] != '\\':
                if text[end] < ' ':
                    self.fail('Invalid control character at', end)
                end += 1
            if end >= len(text):
                self.fail('Unterminated string starting at', begin)
            parts.append(text[at:end])
            if text[end] == '"':
                self.at = end + 1
                return ''.join(parts)
            c = text[end + 1:end + 2]
            if c == 'u':
                code = self.code(end + 2)
                at = end + 6
                if 0xD800 <= code < 0xDC00 and text[at:at + 2] == '\\u':
                    code = 0x10000 + ((code - 0xD800) << 10) + self.code(at + 2) - 0xDC00
                    at += 6
                parts.append(chr(code))
            elif c in _escapes:
                parts.append(_escapes[c])
                at = end + 2
            elif not c:
                self.fail('Unterminated string starting at', begin)
            else:
                self.fail('Invalid \\escape', end)

    def code(self, at):
        digits = self.text[at:at + 4]
        if len(digits) != 4 or any(d not in '0123456789abcdefABCDEF' for d in digits):
            self.fail('Invalid \\uXXXX escape', at - 1)
        return int(digits, 16)

    def array(self):
        self.at += 1
        out = []
        if self.space() == ']':
            self.at += 1
            return out
        while True:
            out.append(self.value())
            c = self.space()
            self.at += 1
            if c == ']':
                return out
            if c != ',':
                self.fail("Expecting ',' delimiter", self.at - 1)

    def object(self):
        self.at += 1
        pairs = []
        c = self.space()
        while c != '}' or pairs:
            if c != '"':
                self.fail('Expecting property name enclosed in double quotes')
            key = self.string()
            if self.space() != ':':
                self.fail("Expecting ':' delimiter")
            self.at += 1
            pairs.append((key, self.value()))
            c = self.space()
            self.at += 1
            if c == '}':
                self.at -= 1
                break
            if c != ',':
                self.fail("Expecting ',' delimiter", self.at - 1)
            c = self.space()
        self.at += 1
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs)
        out = dict(pairs)
        return out if self.object_hook is None else self.object_hook(out)


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None):
    if isinstance(s, bytes):
        s = s.decode()
    if not isinstance(s, str):
        raise TypeError('the JSON object must be str, bytes or bytearray, not ' + type(s).__name__)
    reader = _Reader(s, object_hook, object_pairs_hook)
    value = reader.value()
    reader.space()
    if reader.at != len(s):
        reader.fail('Extra data')
    return value


def load(fp, **kwargs):
    return loads(fp.read(), **kwargs)


_named = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\f': '\\f', '\b': '\\b'}


def _quoted(text, ensure_ascii):
    parts = []
    for c in text:
        if c in _named:
            parts.append(_named[c])
        elif c < ' ' or (ensure_ascii and c > '~'):
            code = ord(c)
            if code > 0xFFFF:
                code -= 0x10000
                parts.append('\\u%04x\\u%04x' % (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)))
            else:
                parts.append('\\u%04x' % code)
        else:
            parts.append(c)
    return '"' + ''.join(parts) + '"'


class JSONEncoder:
    item_separator = ', '
    key_separator = ': '

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False,
                 indent=None, separators=None, default=None):
        self.skipkeys, self.ensure_ascii, self.allow_nan, self.sort_keys = skipkeys, ensure_ascii, allow_nan, sort_keys
        self.indent = ' ' * indent if isinstance(indent, int) else indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ','
        if default is not None:
            self.default = default
        self._open = []

    def default(self, o):
        raise TypeError('Object of type %s is not JSON serializable' % type(o).__name__)

    def encode(self, o):
        return self._text(o, 0)

    def _number(self, o):
        if o != o or o in (float('inf'), float('-inf')):
            if not self.allow_nan:
                raise ValueError('Out of range float values are not JSON compliant: ' + repr(o))
            return 'NaN' if o != o else 'Infinity' if o > 0 else '-Infinity'
        return float.__repr__(o)

    def _text(self, o, level):
        if isinstance(o, str):
            return _quoted(o, self.ensure_ascii)
        if o is None:
            return 'null'
        if o is True or o is False:
            return 'true' if o else 'false'
        if isinstance(o, int):
            return int.__repr__(o)
        if isinstance(o, float):
            return self._number(o)
        if any(o is outer for outer in self._open):
            raise ValueError('Circular reference detected')
        self._open.append(o)
        if isinstance(o, dict):
            text = self._object(o, level + 1)
        elif isinstance(o, (list, tuple)):
            text = self._block('[', [self._text(item, level + 1) for item in o], ']', level + 1)
        else:
            text = self._text(self.default(o), level)
        self._open.pop()
        return text

    def _key(self, key):
        if isinstance(key, str):
            return key
        if key is None or key is True or key is False or isinstance(key, (int, float)):
            return self._text(key, 0)
        if self.skipkeys:
            return None
        raise TypeError('keys must be str, int, float, bool or None, not ' + type(key).__name__)

    def _object(self, o, level):
        items = sorted(o.items()) if self.sort_keys else o.items()
        parts = []
        for key, value in items:
            name = self._key(key)
            if name is not None:
                parts.append(_quoted(name, self.ensure_ascii) + self.key_separator + self._text(value, level))
        return self._block('{', parts, '}', level)

    def _block(self, opening, parts, closing, level):
        if not parts:
            return opening + closing
        if self.indent is None:
            return opening + self.item_separator.join(parts) + closing
        line = '\n' + self.indent * level
        return opening + line + (self.item_separator + line).join(parts) + '\n' + self.indent * (level - 1) + closing


def dumps(obj, *, cls=None, **kwargs):
    return (cls or JSONEncoder)(**kwargs).encode(obj)


def dump(obj, fp, **kwargs):
    fp.write(dumps(obj, **kwargs))
)py";

constexpr std::string_view kLogging = R"py(import sys
import time as _time

CRITICAL = FATAL = 50
ERROR = 40
WARNING = WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0
_names = {50: 'CRITICAL', 40: 'ERROR', 30: 'WARNING', 20: 'INFO', 10: 'DEBUG', 0: 'NOTSET'}


def _level(level):
    if isinstance(level, int):
        return level
    for number, name in _names.items():
        if name == level:
            return number
    raise ValueError('Unknown level: %r' % level)


def getLevelName(level):
    return _names.get(level, 'Level %s' % level) if isinstance(level, int) else _level(level)


def addLevelName(level, name):
    _names[level] = name


class LogRecord:
    def __init__(self, name, level, msg, args):
        self.name, self.levelno, self.levelname, self.msg, self.args = name, level, getLevelName(level), msg, args
        self.created = _time.time()
        self.msecs = (self.created - int(self.created)) * 1000
        self.lineno, self.filename, self.module, self.funcName, self.pathname = 0, '', '', '', ''
        self.process, self.processName, self.threadName = 0, 'MainProcess', 'MainThread'

    def getMessage(self):
        text = str(self.msg)
        if not self.args:
            return text
        return text % (self.args[0] if len(self.args) == 1 and isinstance(self.args[0], dict) else self.args)


class Formatter:
    def __init__(self, fmt=None, datefmt=None, style='%'):
        self.fmt = fmt or ('%(message)s' if style == '%' else '{message}')
        self.datefmt, self.style = datefmt, style

    def formatTime(self, record, datefmt=None):
        if datefmt:
            return _time.strftime(datefmt, _time.localtime(record.created))
        return _time.strftime('%Y-%m-%d %H:%M:%S', _time.localtime(record.created)) + ',%03d' % record.msecs

    def format(self, record):
        record.message = record.getMessage()
        record.asctime = self.formatTime(record, self.datefmt)
        values = dict(record.__dict__)
        return self.fmt.format(**values) if self.style == '{' else self.fmt % values


class Filter:
    def __init__(self, name=''):
        self.name = name

    def filter(self, record):
        return not self.name or record.name == self.name or record.name.startswith(self.name + '.')


class Handler:
    def __init__(self, level=NOTSET):
        self.level, self.formatter, self.filters = _level(level), None, []

    def setLevel(self, level):
        self.level = _level(level)

    def setFormatter(self, formatter):
        self.formatter = formatter

    def addFilter(self, filter):
        self.filters.append(filter)

    def format(self, record):
        return (self.formatter or Formatter()).format(record)

    def handle(self, record):
        if all(f.filter(record) if hasattr(f, 'filter') else f(record) for f in self.filters):
            self.emit(record)

    def emit(self, record):
        raise NotImplementedError('emit must be implemented by Handler subclasses')

    def flush(self):
        pass

    def close(self):
        pass


class StreamHandler(Handler):
    def __init__(self, stream=None):
        super().__init__()
        self.stream = stream if stream is not None else sys.stderr

    def emit(self, record):
        self.stream.write(self.format(record) + '\n')

    def flush(self):
        self.stream.flush()


class FileHandler(StreamHandler):
    def __init__(self, filename, mode='a', encoding=None, delay=False, errors=None):
        super().__init__(open(filename, mode))
        self.baseFilename = str(filename)

    def emit(self, record):
        super().emit(record)
        self.stream.flush()

    def close(self):
        self.stream.close()


class NullHandler(Handler):
    def emit(self, record):
        pass


class Logger:
    def __init__(self, name, level=NOTSET, parent=None):
        self.name, self.level, self.parent = name, _level(level), parent
        self.propagate, self.disabled, self.handlers, self.filters = True, False, [], []

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        logger = self
        while logger is not None:
            if logger.level:
                return logger.level
            logger = logger.parent
        return NOTSET

    def isEnabledFor(self, level):
        return not self.disabled and level > _state['disabled'] and level >= self.getEffectiveLevel()

    def addHandler(self, handler):
        if handler not in self.handlers:
            self.handlers.append(handler)

    def removeHandler(self, handler):
        if handler in self.handlers:
            self.handlers.remove(handler)

    def hasHandlers(self):
        logger = self
        while logger is not None:
            if logger.handlers:
                return True
            logger = logger.parent if logger.propagate else None
        return False

    def addFilter(self, filter):
        self.filters.append(filter)

    def getChild(self, suffix):
        return getLogger(suffix if self is root else self.name + '.' + suffix)

    def log(self, level, msg, *args, exc_info=None, stack_info=False, stacklevel=1, extra=None):
        if not self.isEnabledFor(level):
            return
        record = LogRecord(self.name, level, msg, args)
        record.__dict__.update(extra or {})
        for name, value in (extra or {}).items():
            setattr(record, name, value)
        if not all(f.filter(record) if hasattr(f, 'filter') else f(record) for f in self.filters):
            return
        found = False
        logger = self
        while logger is not None:
            for handler in logger.handlers:
                found = True
                if level >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None
        if not found and level >= WARNING:
            sys.stderr.write(record.getMessage() + '\n')

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    exception = error

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    fatal = critical

    def __repr__(self):
        return '<%s %s (%s)>' % (type(self).__name__, self.name, getLevelName(self.getEffectiveLevel()))


class RootLogger(Logger):
    pass


_state = {'disabled': -1}
root = RootLogger('root', WARNING)
_loggers = {}


def getLogger(name=None):
    if not name or name == 'root':
        return root
    if name not in _loggers:
        head = name.rpartition('.')[0]
        _loggers[name] = Logger(name, parent=getLogger(head) if head else root)
    return _loggers[name]


def basicConfig(*, level=None, format=None, datefmt=None, style='%', handlers=None, stream=None, filename=None,
                filemode='a', force=False, encoding=None, errors=None):
    if force:
        root.handlers.clear()
    if not root.handlers:
        if handlers is None:
            handlers = [FileHandler(filename, filemode) if filename else StreamHandler(stream)]
        default = '%(levelname)s:%(name)s:%(message)s' if style == '%' else '{levelname}:{name}:{message}'
        for handler in handlers:
            if handler.formatter is None:
                handler.setFormatter(Formatter(format or default, datefmt, style))
            root.addHandler(handler)
        if level is not None:
            root.setLevel(level)


def disable(level=CRITICAL):
    _state['disabled'] = level


def captureWarnings(capture):
    pass


def _root(level):
    def log(msg, *args, **kwargs):
        basicConfig()
        root.log(level, msg, *args, **kwargs)
    return log


debug, info, warning, error, critical = (_root(level) for level in (DEBUG, INFO, WARNING, ERROR, CRITICAL))
warn, exception, fatal = warning, error, critical


def log(level, msg, *args, **kwargs):
    _root(level)(msg, *args, **kwargs)
)py";

constexpr std::string_view kTextwrap = R"py(def dedent(text):
    lines = [line if line.strip() else '' for line in text.split('\n')]
    margin = None
    for line in lines:
        if not line:
            continue
        indent = line[:len(line) - len(line.lstrip(' \t'))]
        if margin is None:
            margin = indent
        while not indent.startswith(margin):
            margin = margin[:-1]
    cut = len(margin or '')
    return '\n'.join(line[cut:] for line in lines)


def indent(text, prefix, predicate=None):
    return ''.join(prefix + line if (predicate or str.strip)(line) else line for line in text.splitlines(True))


def wrap(text, width=70, initial_indent='', subsequent_indent='', **kwargs):
    lines, line = [], initial_indent
    has_word = False
    for word in text.split():
        while not has_word and len(line) + len(word) > width > len(line):
            cut = width - len(line)
            lines.append(line + word[:cut])
            word, line = word[cut:], subsequent_indent
        if has_word and len(line) + 1 + len(word) > width:
            lines.append(line)
            line, has_word = subsequent_indent, False
        line += (' ' if has_word else '') + word
        has_word = True
    return lines + [line] if has_word else lines


def fill(text, width=70, **kwargs):
    return '\n'.join(wrap(text, width, **kwargs))


def shorten(text, width, placeholder=' [...]', **kwargs):
    text = ' '.join(text.split())
    if len(text) <= width:
        return text
    words = text.split()
    while words and len(' '.join(words)) + len(placeholder) > width:
        words.pop()
    return ' '.join(words) + placeholder if words else placeholder.strip()
)py";

constexpr std::string_view kPprint = R"py(def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return _format(object, indent, width, 0, 0, sort_dicts)


def _plain(o, sort_dicts):
    if type(o) is dict:
        items = _items(o, sort_dicts)
        return '{' + ', '.join(_plain(k, sort_dicts) + ': ' + _plain(v, sort_dicts) for k, v in items) + '}'
    if type(o) in (list, tuple):
        inner = ', '.join(_plain(v, sort_dicts) for v in o)
        return '[' + inner + ']' if type(o) is list else '(' + inner + (',)' if len(o) == 1 else ')')
    return repr(o)


def _items(o, sort_dicts):
    if not sort_dicts:
        return list(o.items())
    try:
        return sorted(o.items(), key=lambda item: item[0])
    except TypeError:
        return sorted(o.items(), key=lambda item: (str(type(item[0])), str(item[0])))


def _format(o, indent, width, column, behind, sort_dicts):
    text = _plain(o, sort_dicts)
    if len(text) <= width - column - behind or type(o) not in (dict, list, tuple) or not o:
        return text
    pad = ' ' * (column + indent)
    extra = ' ' * (indent - 1)
    parts = []
    if type(o) is dict:
        items = _items(o, sort_dicts)
        for i, (k, v) in enumerate(items):
            key = _plain(k, sort_dicts) + ': '
            last = behind + 1 if i == len(items) - 1 else 1
            parts.append(key + _format(v, indent, width, column + indent + len(key), last, sort_dicts))
        return '{' + extra + (',\n' + pad).join(parts) + '}'
    for i, v in enumerate(o):
        parts.append(_format(v, indent, width, column + indent, behind + 1 if i == len(o) - 1 else 1, sort_dicts))
    inner = extra + (',\n' + pad).join(parts)
    return '[' + inner + ']' if type(o) is list else '(' + inner + (',)' if len(o) == 1 else ')')


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    print(pformat(object, indent, width, sort_dicts=sort_dicts), file=stream)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)
)py";

constexpr std::string_view kHeapq = R"py(def heappush(heap, item):
    heap.append(item)
    _up(heap, 0, len(heap) - 1)


def heappop(heap):
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _down(heap, 0)
    return first


def heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    _down(heap, 0)
    return first


def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _down(heap, 0)
    return item


def heapify(x):
    for i in reversed(range(len(x) // 2)):
        _down(x, i)


def _up(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


def _down(heap, at):
    # The smaller child goes up to the end, then the item to its place: the order that CPython leaves.
    end, start, item = len(heap), at, heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _up(heap, start, at)


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def merge(*iterables, key=None, reverse=False):
    heap = [x for it in iterables for x in it]
    return iter(sorted(heap, key=key, reverse=reverse))
)py";

constexpr std::string_view kBisect = R"py(def bisect_right(a, x, lo=0, hi=None, *, key=None):
    hi = len(a) if hi is None else hi
    while lo < hi:
        mid = (lo + hi) // 2
        if x < (a[mid] if key is None else key(a[mid])):
            hi = mid
        else:
            lo = mid + 1
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    hi = len(a) if hi is None else hi
    while lo < hi:
        mid = (lo + hi) // 2
        if (a[mid] if key is None else key(a[mid])) < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


bisect, insort = bisect_right, insort_right
)py";

constexpr std::string_view kAst = R"py(def literal_eval(text):
    reader = _Literal(text.strip())
    value = reader.value()
    reader.space()
    if reader.at != len(reader.text):
        reader.fail()
    return value


class _Literal:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def fail(self):
        raise ValueError('malformed node or string: %r' % self.text)

    def space(self):
        while self.text[self.at:self.at + 1].isspace():
            self.at += 1
        return self.text[self.at:self.at + 1]

    def take(self, c):
        if self.space() == c and c:
            self.at += 1
            return True
        return False

    def value(self):
        c = self.space()
        if c == '(' or c == '[':
            self.at += 1
            parts, has_comma = self.parts(')' if c == '(' else ']')
            if c == '[':
                return parts
            return tuple(parts) if has_comma or not parts else parts[0]
        if c == '{':
            self.at += 1
            return self.braces()
        if c and c in '"\'':
            return self.string(c)
        return self.word()

    def parts(self, end):
        out, has_comma = [], False
        while not self.take(end):
            out.append(self.value())
            if self.take(','):
                has_comma = True
            elif self.space() != end:
                self.fail()
        return out, has_comma

    def braces(self):
        out, values = {}, []
        while not self.take('}'):
            key = self.value()
            if self.take(':'):
                out[key] = self.value()
            else:
                values.append(key)
            if not self.take(',') and self.space() != '}':
                self.fail()
        return set(values) if values else out

    def string(self, quote):
        escapes = {'n': '\n', 't': '\t', '\\': '\\', quote: quote}
        out = ''
        self.at += 1
        while self.text[self.at:self.at + 1] != quote:
            c = self.text[self.at:self.at + 1]
            if not c:
                self.fail()
            if c == '\\':
                self.at += 1
                c = escapes.get(self.text[self.at:self.at + 1], c)
            out += c
            self.at += 1
        self.at += 1
        return out

    def word(self):
        begin = self.at
        while self.text[self.at:self.at + 1].isalnum() or self.text[self.at:self.at + 1] in ('.', '_', '+', '-'):
            self.at += 1
        word = self.text[begin:self.at]
        if word in ('True', 'False', 'None'):
            return {'True': True, 'False': False, 'None': None}[word]
        if not word.lstrip('+-')[:1].isdigit() and not word.lstrip('+-').startswith('.'):
            self.fail()
        try:
            return int(word, 0)
        except ValueError:
            pass
        try:
            return float(word)
        except ValueError:
            self.fail()
)py";

// Files of pickles are torch.save's; what never leaves the program needs no bytes.
constexpr std::string_view kPickle = R"py(import io as _io
import torch as _torch

HIGHEST_PROTOCOL = 5
DEFAULT_PROTOCOL = 4


class PickleError(Exception):
    pass


class PicklingError(PickleError):
    pass


class UnpicklingError(PickleError):
    pass


def dumps(obj, protocol=None, **kwargs):
    buffer = _io.BytesIO()
    _torch.save(obj, buffer)
    return buffer.getvalue()


def loads(data, **kwargs):
    return _torch.load(_io.BytesIO(data))


def dump(obj, file, protocol=None, **kwargs):
    _torch.save(obj, file)


def load(file, **kwargs):
    return _torch.load(file)
)py";

constexpr std::string_view kDatetime = R"py(import time as _time


class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        total = days * 86400 + seconds + minutes * 60 + hours * 3600 + weeks * 604800
        micros = round(total * 1000000 + microseconds + milliseconds * 1000)
        self.days, rest = divmod(micros, 86400000000)
        self.seconds, self.microseconds = divmod(rest, 1000000)

    def total_seconds(self):
        return (self.days * 86400000000 + self.seconds * 1000000 + self.microseconds) / 1000000

    def __str__(self):
        text = '%d:%02d:%02d' % (self.seconds // 3600, self.seconds // 60 % 60, self.seconds % 60)
        if self.days:
            text = '%d day%s, %s' % (self.days, '' if abs(self.days) == 1 else 's', text)
        return text + ('.%06d' % self.microseconds if self.microseconds else '')

    def __repr__(self):
        parts = ['%s=%d' % (n, v) for n, v in (('days', self.days), ('seconds', self.seconds), ('microseconds', self.microseconds)) if v]
        return 'datetime.timedelta(%s)' % (', '.join(parts) or '0')

    def _key(self):
        return (self.days, self.seconds, self.microseconds)

    def __eq__(self, other):
        return isinstance(other, timedelta) and self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __hash__(self):
        return hash(self._key())

    def __add__(self, other):
        if isinstance(other, timedelta):
            return timedelta(self.days + other.days, self.seconds + other.seconds, self.microseconds + other.microseconds)
        return NotImplemented

    def __sub__(self, other):
        return timedelta(self.days - other.days, self.seconds - other.seconds, self.microseconds - other.microseconds)

    def __mul__(self, k):
        return timedelta(seconds=self.total_seconds() * k)

    __rmul__ = __mul__

    def __truediv__(self, k):
        if isinstance(k, timedelta):
            return self.total_seconds() / k.total_seconds()
        return timedelta(seconds=self.total_seconds() / k)


class datetime:
    def __init__(self, stamp):
        # Only moments that the clock gave: seconds since 1970.
        self._stamp = stamp
        t = _time.localtime(stamp)
        self.year, self.month, self.day, self.hour, self.minute, self.second = t[:6]
        self.microsecond = int((stamp - int(stamp)) * 1000000)

    @classmethod
    def now(cls, tz=None):
        return cls(_time.time())

    @classmethod
    def fromtimestamp(cls, stamp, tz=None):
        return cls(stamp)

    today = now
    utcnow = now

    def timestamp(self):
        return self._stamp

    def strftime(self, format):
        return _time.strftime(format.replace('%f', '%06d' % self.microsecond), _time.localtime(self._stamp))

    def isoformat(self, sep='T', timespec='auto'):
        return self.strftime('%Y-%m-%d' + sep + '%H:%M:%S') + '.%06d' % self.microsecond

    def date(self):
        return self

    def __format__(self, spec):
        return self.strftime(spec) if spec else str(self)

    def __str__(self):
        return self.isoformat(' ')

    def __sub__(self, other):
        if isinstance(other, datetime):
            return timedelta(seconds=self._stamp - other._stamp)
        return datetime(self._stamp - other.total_seconds())

    def __add__(self, other):
        return datetime(self._stamp + other.total_seconds())


date = datetime
)py";

}  // namespace

std::string_view text_library_source(std::string_view module) {
    if (module == "json") return kJson;
    if (module == "json.decoder") return "from json import JSONDecodeError\n";
    if (module == "logging") return kLogging;
    if (module == "logging.handlers") return "from logging import FileHandler, StreamHandler\n";
    if (module == "textwrap") return kTextwrap;
    if (module == "pprint") return kPprint;
    if (module == "heapq") return kHeapq;
    if (module == "bisect") return kBisect;
    if (module == "pickle") return kPickle;
    if (module == "datetime") return kDatetime;
    if (module == "ast") return kAst;
    if (module == "timeit") return "from time import perf_counter as default_timer\n\n\ndef timeit(stmt, setup=None, number=1000000):\n    begin = default_timer()\n    for _ in range(number):\n        stmt()\n    return default_timer() - begin\n";
    return {};
}

}  // namespace loupe::python
