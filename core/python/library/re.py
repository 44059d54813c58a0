# SPDX-License-Identifier: Apache-2.0
import _re
from _re import error

A = ASCII = 256
I = IGNORECASE = 2
M = MULTILINE = 8
S = DOTALL = 16
X = VERBOSE = 64
U = UNICODE = 32
_escapes = {'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'v': '\v', 'a': '\a', '\\': '\\'}


class Match:
    def __init__(self, pattern, string, spans, pos):
        self.re, self.string, self._spans, self.pos, self.endpos = pattern, string, spans, pos, len(string)

    def _index(self, group):
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError('no such group')
            return self.re.groupindex[group]
        if not 0 <= group < len(self._spans):
            raise IndexError('no such group')
        return group

    def _one(self, group, default=None):
        begin, end = self._spans[self._index(group)]
        return default if begin < 0 else self.string[begin:end]

    def group(self, *groups):
        if len(groups) < 2:
            return self._one(groups[0] if groups else 0)
        return tuple(self._one(group) for group in groups)

    def __getitem__(self, group):
        return self._one(group)

    def groups(self, default=None):
        return tuple(self._one(i, default) for i in range(1, len(self._spans)))

    def groupdict(self, default=None):
        return {name: self._one(index, default) for name, index in self.re.groupindex.items()}

    def span(self, group=0):
        return self._spans[self._index(group)]

    def start(self, group=0):
        return self.span(group)[0]

    def end(self, group=0):
        return self.span(group)[1]

    @property
    def lastindex(self):
        last = [i for i in range(1, len(self._spans)) if self._spans[i][0] >= 0]
        return last[-1] if last else None

    @property
    def lastgroup(self):
        for name, index in self.re.groupindex.items():
            if index == self.lastindex:
                return name

    def expand(self, template):
        return _expand(template, self)

    def __bool__(self):
        return True

    def __repr__(self):
        return '<re.Match object; span=%r, match=%r>' % (self.span(), self.group())


def _expand(template, match):
    parts = []
    i = 0
    while i < len(template):
        c = template[i]
        if c != '\\' or i + 1 == len(template):
            parts.append(c)
            i += 1
            continue
        c = template[i + 1]
        i += 2
        if c == 'g' and template[i:i + 1] == '<':
            end = template.find('>', i)
            if end < 0:
                raise error('missing >, unterminated name')
            name = template[i + 1:end]
            parts.append(match._one(int(name) if name.isdigit() else name, ''))
            i = end + 1
        elif c.isdigit() and c != '0':
            digits = c
            if template[i:i + 1].isdigit():
                digits += template[i]
                i += 1
            if int(digits) > match.re.groups:
                raise error('invalid group reference %s' % digits)
            parts.append(match._one(int(digits), ''))
        elif c in _escapes:
            parts.append(_escapes[c])
        else:
            parts.append('\\' + c)
    return ''.join(parts)


class Pattern:
    def __init__(self, pattern, flags):
        self.pattern, self.flags = pattern, flags | U
        self._compiled = _re.compile(pattern, flags)
        self.groups, self.groupindex = _re.facts(self._compiled)

    def _find(self, string, pos, mode):
        spans = _re.find(self._compiled, string, pos, mode)
        return None if spans is None else Match(self, string, spans, pos)

    def match(self, string, pos=0, endpos=None):
        return self._find(string if endpos is None else string[:endpos], pos, 0)

    def search(self, string, pos=0, endpos=None):
        return self._find(string if endpos is None else string[:endpos], pos, 1)

    def fullmatch(self, string, pos=0, endpos=None):
        return self._find(string if endpos is None else string[:endpos], pos, 2)

    def finditer(self, string, pos=0):
        last = None
        while pos <= len(string):
            match = self._find(string, pos, 1)
            if match is None:
                return
            begin, end = match.span()
            # An empty match right behind the one before is none.
            pos = end if end > begin else end + 1
            if begin == end and begin == last:
                continue
            last = end
            yield match

    def findall(self, string, pos=0):
        out = []
        for match in self.finditer(string, pos):
            groups = match.groups('')
            out.append(match.group() if not groups else groups[0] if len(groups) == 1 else groups)
        return out

    def split(self, string, maxsplit=0):
        out = []
        at = 0
        for match in self.finditer(string):
            if maxsplit and len(out) >= maxsplit:
                break
            out.append(string[at:match.start()])
            out.extend(match.groups())
            at = match.end()
        out.append(string[at:])
        return out

    def subn(self, repl, string, count=0):
        parts = []
        at = made = 0
        for match in self.finditer(string):
            if count and made >= count:
                break
            parts.append(string[at:match.start()])
            parts.append(repl(match) if callable(repl) else _expand(repl, match) if '\\' in repl else repl)
            at = match.end()
            made += 1
        parts.append(string[at:])
        return ''.join(parts), made

    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]

    def __repr__(self):
        return 're.compile(%r)' % self.pattern

    def __eq__(self, other):
        return isinstance(other, Pattern) and self.pattern == other.pattern and self.flags == other.flags

    def __hash__(self):
        return hash((self.pattern, self.flags))


_cache = {}


def compile(pattern, flags=0):
    if isinstance(pattern, Pattern):
        return pattern
    key = (pattern, int(flags))
    if key not in _cache:
        _cache[key] = Pattern(pattern, int(flags))
    return _cache[key]


def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)


def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)


def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)


def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)


def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)


def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)


def escape(pattern):
    return ''.join('\\' + c if c in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f' else c for c in pattern)


def purge():
    _cache.clear()
