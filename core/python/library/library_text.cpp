// SPDX-License-Identifier: Apache-2.0
// textwrap, pprint, heapq, bisect, ast, pickle and datetime, in Python.
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

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

// Protocol 2 whatever is asked for; the bytes are those that Python reads.
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
)py";

}  // namespace

std::string_view text_library_source(std::string_view module) {
    if (module == "json") return json_source();
    if (module == "json.decoder") return "from json import JSONDecodeError\n";
    if (module == "logging") return logging_source();
    if (module == "logging.handlers") return "from logging import FileHandler, StreamHandler\n";
    if (module == "textwrap") return kTextwrap;
    if (module == "pprint") return kPprint;
    if (module == "heapq") return kHeapq;
    if (module == "bisect") return kBisect;
    if (module == "pickle") return kPickle;
    if (module == "datetime") return datetime_source();
    if (module == "ast") return kAst;
    if (module == "timeit") return "from time import perf_counter as default_timer\n\n\ndef timeit(stmt, setup=None, number=1000000):\n    begin = default_timer()\n    for _ in range(number):\n        stmt()\n    return default_timer() - begin\n";
    return {};
}

}  // namespace loupe::python
