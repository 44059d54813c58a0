# SPDX-License-Identifier: Apache-2.0
import _json


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count('\n', 0, pos) + 1
        self.colno = pos - doc.rfind('\n', 0, pos)
        super().__init__('%s: line %d column %d (char %d)' % (msg, self.lineno, self.colno, pos))


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None):
    if isinstance(s, bytes):
        s = s.decode()
    if not isinstance(s, str):
        raise TypeError('the JSON object must be str, bytes or bytearray, not ' + type(s).__name__)
    value, at = _json.scan(s, object_hook, object_pairs_hook, parse_float, parse_int, parse_constant)
    if at is not None:
        raise JSONDecodeError(value, s, at)
    return value


def load(fp, **kwargs):
    return loads(fp.read(), **kwargs)


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
            return _json.quote(o, self.ensure_ascii)
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
                parts.append(_json.quote(name, self.ensure_ascii) + self.key_separator + self._text(value, level))
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
