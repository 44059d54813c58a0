# SPDX-License-Identifier: Apache-2.0
class JSONDecodeError(ValueError):
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
